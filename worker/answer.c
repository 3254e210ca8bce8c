// answer.c - does an answer fit the type that was asked for? It is lenient, as
// the reference's validator is (spec/engine.md R7.21): the text "5" is an
// integer, 1 is a number, "yes" is true.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "worker/task.h"

enum { NUMBER_SIZE_MAX = 64 };

// The text without blanks around it and without "_" between digits, as a C
// string; false if it is empty, too long to be a number, or has a NUL inside.
static bool number_text(const json_t *json, char ret_text[NUMBER_SIZE_MAX])
{
    const char *from = json_string_value(json);
    size_t size = json_string_length(json);
    while (size > 0 && isspace((unsigned char)from[0]))
        from++, size--;
    while (size > 0 && isspace((unsigned char)from[size - 1]))
        size--;
    if (size == 0 || size >= NUMBER_SIZE_MAX || memchr(from, '\0', size))
        return false;
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        bool is_between = i > 0 && i + 1 < size &&
                          isdigit((unsigned char)from[i - 1]) &&
                          isdigit((unsigned char)from[i + 1]);
        if (from[i] != '_' || !is_between)
            ret_text[used++] = from[i];
    }
    ret_text[used] = '\0';
    return true;
}

static bool whole(double number, json_t **ret_value)
{
    // Beyond this not every whole number is a double, or a json_int_t.
    if (!(fabs(number) < 9007199254740992.0))
        return false;
    json_int_t integer = (json_int_t)number;
    if ((double)integer < number || (double)integer > number)
        return false;
    *ret_value = json_integer(integer);
    return true;
}

static bool parse_number(const char *text, double *ret_number)
{
    char *end;
    if (strspn(text, "+-0123456789.eE") != strlen(text))
        return false;
    *ret_number = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*ret_number);
}

static bool to_integer(json_t *answer, json_t **ret_value)
{
    if (json_is_integer(answer)) {
        *ret_value = json_incref(answer);
        return true;
    }
    if (json_is_boolean(answer)) {
        *ret_value = json_integer(json_is_true(answer));
        return true;
    }
    if (json_is_real(answer))
        return whole(json_real_value(answer), ret_value);
    char text[NUMBER_SIZE_MAX];
    if (!json_is_string(answer) || !number_text(answer, text))
        return false;
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    // "5.0" is an integer too; "5.5", "5." and "5e0" are not.
    if (end != text && *end == '.' && end[1] != '\0')
        end += 1 + strspn(end + 1, "0");
    if (end == text || *end != '\0' || errno != 0)
        return false;
    *ret_value = json_integer(number);
    return true;
}

static bool to_number(json_t *answer, json_t **ret_value)
{
    char text[NUMBER_SIZE_MAX];
    double number;
    if (json_is_real(answer)) {
        *ret_value = json_incref(answer);
        return true;
    }
    if (json_is_integer(answer))
        number = (double)json_integer_value(answer);
    else if (json_is_boolean(answer))
        number = json_is_true(answer) ? 1 : 0;
    else if (!json_is_string(answer) || !number_text(answer, text) ||
             !parse_number(text, &number))
        return false;
    *ret_value = json_real(number);
    return true;
}

static bool to_boolean(json_t *answer, json_t **ret_value)
{
    static const char *const words[][2] = {{"false", "true"}, {"0", "1"},
        {"no", "yes"}, {"n", "y"}, {"off", "on"}, {"f", "t"}};
    if (json_is_boolean(answer)) {
        *ret_value = json_incref(answer);
        return true;
    }
    if (json_is_number(answer)) {
        double number = json_number_value(answer);
        bool is_one = number > 0;
        if (number < 0 || number > 1 || (is_one && number < 1))
            return false;
        *ret_value = json_boolean(is_one);
        return true;
    }
    const char *text = json_string_value(answer);
    for (size_t i = 0; text && i < sizeof(words) / sizeof(*words); i++) {
        for (int value = 0; value < 2; value++) {
            if (strcasecmp(words[i][value], text) != 0)
                continue;
            *ret_value = json_boolean(value == 1);
            return true;
        }
    }
    return false;
}

static bool to_string(json_t *answer, json_t **ret_value)
{
    if (!json_is_string(answer))
        return false;
    *ret_value = json_incref(answer);
    return true;
}

// The types of JSON Schema that mean something here; of others, and of none,
// any answer fits.
static const struct {
    const char *type;
    bool (*convert)(json_t *answer, json_t **ret_value);
} conversions[] = {
    {"integer", to_integer},
    {"number", to_number},
    {"boolean", to_boolean},
    {"string", to_string},
};

bool ss_answer_fits(const char *type, json_t *answer, json_t **ret_value)
{
    for (size_t i = 0; type && i < sizeof(conversions) / sizeof(*conversions);
         i++)
        if (strcmp(conversions[i].type, type) == 0)
            return conversions[i].convert(answer, ret_value);
    *ret_value = json_incref(answer);
    return true;
}
