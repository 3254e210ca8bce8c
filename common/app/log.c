// log.c - lines for operators.
#include "common/app/log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/base/buf.h"

static struct ss_log_options current = {
    .program = "superstep", .level = SS_LOG_INFO};

static _Atomic uint64_t current_epoch; // a worker logs from its threads

static unsigned current_process; // 0: it is of no family

static const char *const level_names[] = {
    [SS_LOG_ERROR] = "error",
    [SS_LOG_WARNING] = "warning",
    [SS_LOG_INFO] = "info",
    [SS_LOG_DEBUG] = "debug",
};

void ss_log_setup(const struct ss_log_options *options)
{
    current = *options;
}

bool ss_log_wants(enum ss_log_level level)
{
    return level <= current.level;
}

static void add_time(struct ss_buf *line)
{
    int64_t now_us = ss_clock_wall_us();
    time_t seconds = (time_t)(now_us / 1000000);
    struct tm utc;
    char text[32];
    gmtime_r(&seconds, &utc);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
    ss_buf_addf(line, "%s.%03dZ", text, (int)(now_us / 1000 % 1000));
}

// Newlines and other controls must not forge a line; JSON wants them escaped.
static void add_escaped(struct ss_buf *line, const char *text, bool is_json)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (is_json && (c == '"' || c == '\\'))
            ss_buf_addf(line, "\\%c", c);
        else if (is_json && (c < 0x20 || c == 0x7f))
            ss_buf_addf(line, "\\u%04x", c);
        else if (c == '\n')
            ss_buf_add_str(line, "\\n");
        else if (c < 0x20 || c == 0x7f)
            ss_buf_addf(line, "\\x%02x", c);
        else
            ss_buf_add(line, text, 1);
    }
}

static void add_field(struct ss_buf *line, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    ss_buf_addf(line, ",\"%s\":\"", name);
    add_escaped(line, text, true);
    ss_buf_add_str(line, "\"");
}

static void add_subject(
    struct ss_buf *line, const struct ss_log_subject *subject)
{
    uint64_t epoch = subject->epoch ? subject->epoch : current_epoch;
    if (epoch)
        ss_buf_addf(line, ",\"epoch\":%llu", (unsigned long long)epoch);
    add_field(line, "thread", subject->thread);
    add_field(line, "run", subject->run);
    add_field(line, "task", subject->task);
}

static void add_line(struct ss_buf *line, enum ss_log_level level,
    const struct ss_log_subject *subject, const char *message)
{
    if (!current.is_json) {
        add_time(line);
        ss_buf_addf(line, " %s: ", level_names[level]);
        if (current_process)
            ss_buf_addf(line, "[%u] ", current_process);
        add_escaped(line, message, false);
        ss_buf_add_str(line, "\n");
        return;
    }
    ss_buf_add_str(line, "{\"time\":\"");
    add_time(line);
    ss_buf_addf(line, "\",\"level\":\"%s\",\"program\":\"", level_names[level]);
    add_escaped(line, current.program, true);
    ss_buf_addf(line, "\",\"pid\":%ld", (long)getpid());
    if (current_process)
        ss_buf_addf(line, ",\"process\":%u", current_process);
    add_subject(line, subject);
    ss_buf_add_str(line, ",\"message\":\"");
    add_escaped(line, message, true);
    ss_buf_add_str(line, "\"}\n");
}

static void say(enum ss_log_level level, const struct ss_log_subject *subject,
    const char *format, va_list args)
{
    char message[SS_LOG_LINE_SIZE];
    int size = vsnprintf(message, sizeof(message), format, args);
    if (size >= (int)sizeof(message))
        memcpy(message + sizeof(message) - 4, "...", 4);
    struct ss_buf line;
    ss_buf_init(
        &line, (size_t)16 * SS_LOG_LINE_SIZE); // the longest escape is six
    add_line(&line, level, subject, message);
    if (current.sink)
        current.sink(current.sink_ctx, line.data, line.size);
    else
        fwrite(line.data, 1, line.size, stderr);
    ss_buf_fini(&line);
}

void ss_log_say(enum ss_log_level level, const char *format, ...)
{
    static const struct ss_log_subject nothing;
    va_list args;
    if (!ss_log_wants(level))
        return;
    va_start(args, format);
    say(level, &nothing, format, args);
    va_end(args);
}

void ss_log_about(enum ss_log_level level, const struct ss_log_subject *subject,
    const char *format, ...)
{
    va_list args;
    if (!ss_log_wants(level))
        return;
    va_start(args, format);
    say(level, subject, format, args);
    va_end(args);
}

void ss_log_set_epoch(uint64_t epoch)
{
    current_epoch = epoch;
}

void ss_log_set_process(unsigned number)
{
    current_process = number;
}
