// paused.c - records of pauses as sentences.
#include "client/cli/paused.h"

#include "client/cli/text.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum { TEXT_SIZE_MAX = 64 * 1024, VERSION_WIDTH = 8 };

static void add_plain(struct ss_buf *buf, const char *before, const char *text)
{
    char *plain = text ? ss_text_plain(text) : NULL;
    if (plain)
        ss_buf_addf(buf, "%s%s", before, plain);
    ss_free(plain);
}

char *ss_paused_text(const json_t *record)
{
    struct ss_buf buf;
    const char *graph = ss_json_str(record, "graph", NULL);
    const char *version = ss_json_str(record, "version", NULL);
    char iso[SS_TIME_SIZE];
    ss_time_text(ss_json_int(record, "since_us", 0), iso);
    char *since = ss_text_time(iso);
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    if (!graph)
        ss_buf_add_str(&buf, "everything");
    add_plain(&buf, "graph ", graph);
    if (version)
        ss_buf_addf(&buf, " in version %.*s", VERSION_WIDTH, version);
    ss_buf_addf(&buf, " is paused since %s", since);
    add_plain(&buf, " by ", ss_json_str(record, "by", NULL));
    add_plain(&buf, ": ", ss_json_str(record, "reason", NULL));
    ss_free(since);
    return ss_buf_steal(&buf, NULL);
}

void ss_paused_mark(json_t *runs)
{
    size_t i;
    json_t *run;
    json_array_foreach (runs, i, run)
        if (json_object_get(run, "paused"))
            json_object_set_new(run, "status",
                json_sprintf("%s, paused", ss_json_str(run, "status", "?")));
}
