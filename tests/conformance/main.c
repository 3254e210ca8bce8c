// main.c - the program `conformance`: plays scenarios on Superstep and holds
// the answers against the reference's.
//
// Exit status: 0 all passed (or differ on purpose), 1 one failed, 2 usage, 77
// there is no PostgreSQL to play on.
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/conformance/app/python.h"
#include "tests/conformance/compare.h"
#include "tests/conformance/folder.h"
#include "tests/conformance/play.h"
#include "tests/support/postgres_server.h"

static const char usage[] =
    "usage: conformance [--mode local|distributed|both]\n"
    "                   [--store memory|sqlite|postgres] [--json] "
    "[--answers]\n"
    "                   [--differences FILE] FILE|DIR...\n"
    "Plays scenarios and compares the answers with the reference's. A DIR\n"
    "stands for the *.json files in it. --answers prints what was computed, "
    "and\n"
    "needs nothing to compare with. --json prints a JSON object a line.\n";

struct options {
    bool local;
    bool distributed;
    const char *store;
    struct postgres_server *server; // of this run, or NULL
    bool json;
    bool answers;
    json_t *differences; // scenario -> why it differs
};

struct totals {
    size_t passed;
    size_t on_purpose;
    size_t failed;
};

enum verdict { PASSED, ON_PURPOSE, FAILED };
static const char *const verdicts[] = {"passed", "on purpose", "FAILED"};

struct result {
    const char *name;
    const char *mode;
    enum verdict verdict;
    struct difference difference;
    const char *reason; // of an error, or of a difference on purpose
};

// ------------------------------------------------------------------ reports

static void print_value(const char *label, json_t *value)
{
    enum { shown_max = 600 };
    char *text = value ? python_dumps(value) : NULL;
    const char *shown = text ? text : "nothing";
    printf("    %s %.*s%s\n", label, shown_max, shown,
        strlen(shown) > shown_max ? "..." : "");
    free(text);
}

static void print_text(const struct result *result)
{
    printf("%-10s %-11s %s\n", verdicts[result->verdict], result->mode,
        result->name);
    if (result->reason)
        printf("    %s\n", result->reason);
    if (result->difference.path) {
        printf("    at %s\n", result->difference.path);
        print_value("expected", result->difference.expected);
        print_value("got     ", result->difference.got);
    }
}

static void print_json(const struct result *result)
{
    json_t *line = json_pack("{s:s, s:s, s:s}", "scenario", result->name,
        "mode", result->mode, "result", verdicts[result->verdict]);
    if (result->reason)
        json_object_set_new(line, "reason", json_string(result->reason));
    if (result->difference.path) {
        json_object_set_new(line, "at", json_string(result->difference.path));
        if (result->difference.expected)
            json_object_set(line, "expected", result->difference.expected);
        if (result->difference.got)
            json_object_set(line, "got", result->difference.got);
    }
    char *text = python_dumps(line);
    printf("%s\n", text);
    free(text);
    json_decref(line);
}

static void report(
    const struct options *options, struct totals *totals, struct result *result)
{
    totals->passed += result->verdict == PASSED;
    totals->on_purpose += result->verdict == ON_PURPOSE;
    totals->failed += result->verdict == FAILED;
    if (options->json)
        print_json(result);
    else if (!options->answers || result->verdict == FAILED)
        print_text(result);
    fflush(stdout);
    ss_free(result->difference.path);
}

static void judge(const struct options *options, struct totals *totals,
    struct result *result, json_t *expected, json_t *got)
{
    json_t *known = json_object_get(options->differences, result->name);
    json_t *places = json_object_get(known, "at");
    if (!expected) {
        result->verdict = options->answers ? PASSED : FAILED;
        if (!options->answers)
            result->reason = "it says nothing of what to expect";
    } else if (!compare(expected, got, NULL, &result->difference)) {
        result->verdict = PASSED;
    } else if (known) {
        ss_free(result->difference.path);
        result->difference = (struct difference){0};
        bool elsewhere =
            places && compare(expected, got, places, &result->difference);
        result->verdict = elsewhere ? FAILED : ON_PURPOSE;
        result->reason = json_string_value(json_object_get(known, "reason"));
    } else {
        result->verdict = FAILED;
    }
    report(options, totals, result);
}

// ------------------------------------------------------------------ playing

// The file that workers build their graphs from: what can be built. Gives a
// path; NULL if nothing can.
static char *write_scenario(json_t *scenario, const char *folder)
{
    json_t *graphs = play_graphs(scenario);
    char *path = NULL;
    if (json_object_size(graphs) > 0) {
        json_t *file = json_pack("{s:O}", "graphs", graphs);
        path = ss_format("%s/scenario.json", folder);
        if (json_dump_file(file, path, JSON_COMPACT) != 0) {
            ss_free(path);
            path = NULL;
        }
        json_decref(file);
    }
    json_decref(graphs);
    return path;
}

// Each scenario has a schema of its own. Gives.
static char *store_of(const struct options *options)
{
    static unsigned int count;
    if (!options->server)
        return ss_strdup(options->store);
    return ss_format(
        "%s&schema=scenario_%u", postgres_server_url(options->server), ++count);
}

// The answers to a scenario's calls, or NULL with the reason. Gives.
static json_t *answers_of(const struct options *options, json_t *scenario,
    const struct backend_type *type, struct ss_error *error)
{
    char *folder = folder_new();
    if (!folder) {
        ss_error_set(error, SS_EIO, "no temporary folder: %s", strerror(errno));
        return NULL;
    }
    char *path = write_scenario(scenario, folder);
    char *store = store_of(options);
    struct backend_options how = {
        .store = store, .folder = folder, .scenario = path};
    struct backend *backend = NULL;
    json_t *answers = NULL;
    if (type->open(&how, &backend, error) == SS_OK) {
        char *counters = ss_format("%s/scenario.json.counters", folder);
        answers = play(scenario, type, backend, counters);
        type->close(backend);
        ss_free(counters);
    }
    ss_free(store);
    ss_free(path);
    folder_remove(folder);
    ss_free(folder);
    return answers;
}

static void play_in(const struct options *options, struct totals *totals,
    json_t *scenario, const char *name, const struct backend_type *type)
{
    struct ss_error error;
    struct result result = {.name = name, .mode = type->name};
    json_t *answers = answers_of(options, scenario, type, &error);
    if (!answers) {
        result.verdict = FAILED;
        result.reason = error.message;
        report(options, totals, &result);
        return;
    }
    if (options->answers) {
        char *text = json_dumps(answers, JSON_INDENT(1));
        printf("%s\n", text);
        ss_free(text);
    }
    judge(
        options, totals, &result, json_object_get(scenario, "expect"), answers);
    json_decref(answers);
}

static void play_file(
    const struct options *options, struct totals *totals, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = ss_strdup(slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    json_error_t error;
    json_t *scenario = json_load_file(file, 0, &error);
    if (!scenario) {
        struct result result = {.name = file, .mode = "-", .verdict = FAILED};
        result.reason = error.text;
        report(options, totals, &result);
    }
    if (scenario && options->local)
        play_in(options, totals, scenario, name, &backend_local);
    if (scenario && options->distributed)
        play_in(options, totals, scenario, name, &backend_distributed);
    json_decref(scenario);
    ss_free(name);
}

static int is_scenario(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0;
}

static int play_path(
    const struct options *options, struct totals *totals, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        fprintf(stderr, "conformance: %s: %s\n", path, strerror(errno));
        return -1;
    }
    if (!S_ISDIR(status.st_mode)) {
        play_file(options, totals, path);
        return 0;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, is_scenario, alphasort);
    for (int i = 0; i < count; i++) {
        char *file = ss_format("%s/%s", path, entries[i]->d_name);
        play_file(options, totals, file);
        ss_free(file);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return 0;
}

// ------------------------------------------------------------------ arguments

static bool parse_mode(struct options *options, const char *mode)
{
    options->local = strcmp(mode, "distributed") != 0;
    options->distributed = strcmp(mode, "local") != 0;
    return strcmp(mode, "local") == 0 || strcmp(mode, "distributed") == 0 ||
           strcmp(mode, "both") == 0;
}

static bool load_differences(struct options *options, const char *file)
{
    json_error_t error;
    options->differences = json_load_file(file, 0, &error);
    if (!options->differences)
        fprintf(
            stderr, "conformance: %s:%d: %s\n", file, error.line, error.text);
    return options->differences;
}

static bool parse_value(
    struct options *options, const char *name, const char *value)
{
    if (!value)
        return false;
    if (strcmp(name, "--mode") == 0)
        return parse_mode(options, value);
    if (strcmp(name, "--differences") == 0)
        return load_differences(options, value);
    options->store = value;
    return strcmp(name, "--store") == 0;
}

// The index of the first path, or -1.
static int parse(struct options *options, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--json") == 0)
            options->json = true;
        else if (strcmp(argv[i], "--answers") == 0)
            options->answers = true;
        else if (!parse_value(options, argv[i], argv[i + 1]))
            return -1;
        else
            i++;
    }
    return i < argc ? i : -1;
}

static int summary(const struct options *options, const struct totals *totals)
{
    if (options->json)
        printf("{\"passed\": %zu, \"on_purpose\": %zu, \"failed\": %zu}\n",
            totals->passed, totals->on_purpose, totals->failed);
    else if (!options->answers || totals->failed > 0)
        printf("%zu passed, %zu differing on purpose, %zu failed\n",
            totals->passed, totals->on_purpose, totals->failed);
    return totals->failed > 0 ? 1 : 0;
}

// A private server where --store postgres asks for one; 77 where there is none
// to be had, which ctest knows as skipped.
static int server_start(struct options *options)
{
    if (strcmp(options->store, "postgres") != 0)
        return 0;
    const char *missing = postgres_server_missing();
    if (missing) {
        fprintf(stderr, "conformance: SKIPPED: %s\n", missing);
        return 77;
    }
    options->server = postgres_server_start(false);
    return options->server ? 0 : 2;
}

int main(int argc, char **argv)
{
    struct options options = {
        .local = true, .distributed = true, .store = "memory"};
    struct totals totals = {0};
    ss_value_setup();
    int first = parse(&options, argc, argv);
    if (first < 0) {
        fputs(usage, stderr);
        json_decref(options.differences);
        return 2;
    }
    int status = server_start(&options);
    if (status != 0) {
        json_decref(options.differences);
        return status;
    }
    for (int i = first; i < argc && status == 0; i++)
        status = play_path(&options, &totals, argv[i]);
    postgres_server_stop(&options.server);
    json_decref(options.differences);
    return status == 0 ? summary(&options, &totals) : 2;
}
