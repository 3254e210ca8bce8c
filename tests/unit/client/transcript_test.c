// Every command that asks a coordinator, word for word: what it asks, prints
// and ends with, where the answer is full, empty, or an error. commands.txt
// holds it; what differs is in the file that the test names.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

enum { WORDS_MAX = 16, LINE_SIZE = 256, TEXT_SIZE_MAX = 1 << 20 };

#define RUNS                                                                   \
    "{\"run\":\"1f0a-r1\",\"thread\":\"demo\",\"graph\":\"digest\","           \
    "\"version\":\"5f0c1e7a99\",\"status\":\"running\",\"created_at\":"        \
    "\"2026-11-22T01:02:03.5+00:00\",\"key\":\"demo/1f0a-r1\",\"paused\":"     \
    "{\"graph\":\"digest\"}},{\"run\":\"r2\",\"thread\":\"t 2\","              \
    "\"graph\":\"hello\",\"version\":\"9a1b\",\"status\":\"done\"}"
#define PAUSE                                                                  \
    "{\"graph\":\"digest\",\"version\":\"5f0c1e7a99\",\"since_us\":"           \
    "1767225600000000,\"since_at\":\"2026-01-01T00:00:00.0+00:00\","           \
    "\"by\":\"olga\",\"reason\":\"ill\"}"
#define SNAPSHOT                                                               \
    "{\"values\":{\"a\":1},\"config\":{\"thread_id\":\"demo\","                \
    "\"checkpoint_id\":\"c1\"},\"metadata\":{\"step\":1,\"source\":"           \
    "\"loop\"},\"next\":[],\"interrupts\":[{\"id\":\"i\",\"value\":2}]}"
#define SETTING                                                                \
    "{\"name\":\"lease-ms\",\"value\":10000,\"unit\":\"ms\",\"from\":"         \
    "\"flag\"},{\"name\":\"listen\",\"value\":\"tcp://a:1\",\"from\":"         \
    "\"environment\",\"at\":\"SUPERSTEP_LISTEN\"}"

static const struct script full[] = {
    {.op = "graphs",
        .final = "{\"graphs\":[{\"name\":\"digest\",\"version\":\"5f0c1e7a99\","
                 "\"nodes\":6,\"workers\":0}]}"},
    {.op = "workers",
        .final = "{\"workers\":[{\"worker\":\"w1\",\"graphs\":"
                 "[\"digest@5f0c1e7a\",\"a@1\"],\"running\":4,\"capacity\":8,"
                 "\"attempts\":1204,\"lost\":1,\"seen_ms\":3000}]}"},
    NO_MORE("threads", "t 2\a"),
    {.op = "threads",
        .final = "{\"threads\":[{\"thread\":\"demo\",\"graph\":\"digest\","
                 "\"created_at\":\"2026-11-22T01:02:03.5+00:00\","
                 "\"updated_at\":\"2026-11-22T01:02:04.5+00:00\","
                 "\"status\":\"interrupted\",\"interrupts\":{\"k\":[{\"id\":"
                 "\"i\",\"node\":\"ask\",\"value\":[\"ok?\"]}]}},"
                 "{\"thread\":\"t 2\\u0007\",\"graph\":null}]}"},
    NO_MORE("runs", "r2"), {.op = "runs", .final = "{\"runs\":[" RUNS "]}"},
    {.op = "tasks",
        .final = "{\"tasks\":[{\"state\":\"running\",\"node\":\"a\","
                 "\"thread\":\"demo\",\"run\":\"1f0a-r1\",\"task\":\"k\","
                 "\"attempt\":2,\"worker\":\"w1\",\"since_ms\":5000}],"
                 "\"running\":1,\"ready\":2433,\"backoff\":1,\"waits\":["
                 "{\"node\":\"b\",\"graph\":\"digest\",\"why\":\"backoff\","
                 "\"count\":1,\"thread\":\"demo\",\"run\":\"1f0a-r1\","
                 "\"attempt\":2,\"in_ms\":2600,\"failures\":2,\"error\":"
                 "\"busy\\u0007\"},{\"node\":\"b\",\"graph\":\"digest\","
                 "\"why\":\"workers_busy\",\"count\":2431}]}"},
    {.op = "pauses", .final = "{\"pauses\":[" PAUSE ",{\"since_us\":1}]}"},
    {.op = "settings",
        .final =
            "{\"settings\":[{\"worker\":\"w1\",\"settings\":[" SETTING "]}]}"},
    {.op = "show",
        .final = "{\"config\":[" SETTING "],\"limits\":[{\"name\":"
                 "\"connections\",\"limit\":1024,\"now\":3},{\"name\":"
                 "\"handshake, in ms\",\"limit\":5000}],\"coordinators\":"
                 "[{\"endpoint\":\"tcp://a:1\",\"shards\":64,\"self\":true}]}"},
    {.op = "status",
        .final = "{\"epoch\":7,\"threads\":2,\"runs\":1,\"workers\":1,"
                 "\"attempts\":4,\"pauses\":[" PAUSE "]}"},
    {.op = "health",
        .final = "{\"health\":{\"ok\":true,\"damaged\":[{\"what\":\"t\","
                 "\"text\":\"thread t is damaged\"}]}}"},
    {.op = "state", .final = "{\"state\":" SNAPSHOT "}"},
    {.op = "history", .final = "{\"history\":[" SNAPSHOT "]}"},
    {.op = "journal",
        .final = "{\"rows\":[{\"seq\":1,\"kind\":\"entry\",\"step\":-1,"
                 "\"size\":436,\"checkpoint_id\":\"c1\",\"writes\":"
                 "[{\"channel\":\"log\"},{\"channel\":\"log\"}]}]}"},
    {.op = "update", .final = "{\"config\":{\"checkpoint_id\":\"c9\"}}"},
    {.op = "copy", .final = "{\"rows\":5}"},
    {.op = "delete", .final = "{\"rows\":6}"},
    {.op = "prune", .final = "{\"rows\":7}"},
    {.op = "clear_cache", .final = "{\"entries\":3}"},
    {.op = "cancel", .final = "{\"status\":\"cancelled\"}"},
    {.op = "release", .final = "{\"status\":\"running\"}"},
    {.op = "migrate",
        .final = "{\"run\":\"r\",\"thread\":\"demo\",\"graph\":\"digest\","
                 "\"from\":\"5f0c1e7a99\",\"to\":\"cccccccccc\"}"},
    {.op = "drain", .final = "{\"status\":\"draining\"}"},
    {.op = "pause", .final = "{\"status\":\"paused\",\"pause\":" PAUSE "}"},
    {.op = "unpause",
        .final =
            "{\"status\":\"unpaused\",\"was_paused\":true,\"still\":[" PAUSE
            "]}"},
    {.op = "draw", .final = "{\"mermaid\":\"graph TD;\\n\"}"},
    {.op = "explain",
        .final = "{\"explain\":{\"run\":\"r\",\"thread\":\"demo\",\"graph\":"
                 "\"digest\",\"status\":\"done\",\"steps\":[],\"waits\":[]}}"},
    {.op = "attach", .final = DONE},
    {.op = "run", .items = {ACCEPTED}, .final = DONE}, {0}};

static const struct script empty[] = {
    {.op = "graphs", .final = "{\"graphs\":[]}"},
    {.op = "workers", .final = "{\"workers\":[]}"},
    {.op = "threads", .final = "{\"threads\":[]}"},
    {.op = "runs", .final = "{\"runs\":[]}"},
    {.op = "tasks", .final = "{\"tasks\":[],\"running\":0,\"ready\":0}"},
    {.op = "pauses", .final = "{\"pauses\":[]}"},
    {.op = "settings", .final = "{\"settings\":[]}"},
    {.op = "show",
        .final = "{\"config\":[],\"limits\":[],\"coordinators\":[]}"},
    {.op = "status", .final = "{\"pauses\":[]}"},
    {.op = "health", .final = "{\"health\":{\"ok\":true,\"damaged\":[]}}"},
    {.op = "state", .final = "{\"state\":{\"values\":{},\"config\":null}}"},
    {.op = "history", .final = "{\"history\":[]}"},
    {.op = "checkpoints", .final = "{\"checkpoints\":[]}"},
    {.op = "journal", .final = "{\"rows\":[]}"},
    {.op = "update", .final = "{\"config\":{}}"},
    {.op = "copy", .final = "{\"rows\":0}"},
    {.op = "delete", .final = "{\"rows\":0}"},
    {.op = "prune", .final = "{\"rows\":0}"},
    {.op = "clear_cache", .final = "{\"entries\":0}"},
    {.op = "cancel", .final = "{\"status\":\"done\"}"},
    {.op = "release", .final = "{\"status\":\"running\"}"},
    {.op = "migrate", .final = "{\"from\":\"aa\",\"to\":\"aa\"}"},
    {.op = "drain", .final = "{}"}, {.op = "pause", .final = "{}"},
    {.op = "unpause", .final = "{\"was_paused\":false}"},
    {.op = "draw", .final = "{\"mermaid\":\"\"}"},
    {.op = "explain", .final = "{\"explain\":{}}"},
    {.op = "attach", .final = "{\"status\":\"cancelled\",\"output\":null}"},
    {.op = "run", .final = "{\"status\":\"failed\",\"error\":{}}"}, {0}};

#define NOT_FOUND(of)                                                          \
    {                                                                          \
        .op = of,                                                              \
        .final = "{\"error\":{\"code\":\"not_found\",\"message\":\"there is "  \
                 "no such thing\"}}"                                           \
    }
#define DENIED(of)                                                             \
    {                                                                          \
        .op = of, .final =                                                     \
                      "{\"error\":{\"code\":\"denied\",\"message\":\"not for " \
                      "you\"}}"                                                \
    }

// The lists are there, so that a name may be found in them.
static const struct script refused[] = {
    {.op = "graphs", .final = "{\"graphs\":[{\"name\":\"digest\"}]}"},
    NO_MORE("threads", "demos"),
    {.op = "threads", .final = "{\"threads\":[{\"thread\":\"demos\"}]}"},
    DENIED("checkpoints"), DENIED("workers"), DENIED("runs"), DENIED("tasks"),
    DENIED("pauses"), DENIED("settings"), DENIED("show"), DENIED("status"),
    DENIED("health"), NOT_FOUND("state"), NOT_FOUND("history"),
    NOT_FOUND("journal"), NOT_FOUND("update"), NOT_FOUND("copy"),
    NOT_FOUND("delete"), NOT_FOUND("prune"), DENIED("clear_cache"),
    NOT_FOUND("cancel"), NOT_FOUND("release"), NOT_FOUND("migrate"),
    NOT_FOUND("drain"), NOT_FOUND("pause"), NOT_FOUND("unpause"),
    NOT_FOUND("draw"), NOT_FOUND("explain"), NOT_FOUND("attach"),
    NOT_FOUND("run"), {0}};

// Words between blanks.
static const char *const lines[] = {"graphs", "graphs --names", "graphs --json",
    "workers", "workers --names", "workers --json", "threads",
    "threads --names", "threads --json", "threads -n 1 --after demo", "inbox",
    "inbox --json", "runs", "runs --names", "runs --json",
    "runs -t demo --limit 3 --after k", "show", "show runs",
    "show threads --limit 1", "show graphs", "show tasks -n 2", "show workers",
    "show pauses", "show leases", "show coordinators", "show limits",
    "show config", "show pauses --json", "show config --json",
    "show leases --json", "show rnus", "top --once", "top --once --json",
    "state demo", "state demo --json", "state demo -g digst --ns n --subgraphs",
    "state demo --at c1", "history demo", "history demo --json -n 3",
    "history demo --ns n -g digst", "journal demo", "journal demo --json",
    "journal demo --from 2 -n 3", "update demo --values {\"a\":1}",
    "update demo --values {} --as n --at c1 -g digst --ns x --json",
    "copy demo two", "copy demo two --json", "delete demo",
    "delete demo --json", "prune demo", "prune demo --json",
    "retain --delete-after 30d --prune-after 12h",
    "retain --prune-after 90s --json", "retain", "retain --every 3",
    "cancel 1f0a-r1", "cancel r --rollback", "cancel r -t demo --json",
    "release r", "release r --thread demo --json", "migrate r",
    "migrate r -t demo --to cc --json", "migrate --graph digest --from 5f",
    "drain w1", "drain w1 --json", "pause digest -r ill", "pause --all --json",
    "unpause digest", "unpause --all --json", "draw digest --xray",
    "draw digest --json", "explain r", "explain r -t demo", "explain -t demo",
    "explain r --json", "attach r -t demo --after 2.1 --subgraphs",
    "attach r --json", "run digest -t demo --detach",
    "resume demo --value 1 -g digest", "resume demo", "doctor",
    "doctor --json"};

static struct ss_buf told;

static void add_lines(const struct ss_buf *from, const char *before)
{
    const char *endpoint = ss_link_endpoint(server);
    for (const char *at = ss_buf_str(from); *at;) {
        size_t size = strcspn(at, "\n");
        const char *place = strstr(at, endpoint);
        ss_buf_add_str(&told, size > 0 ? before : "");
        if (place && place < at + size) { // its port is another each time
            ss_buf_addf(&told, "%.*sENDPOINT", (int)(place - at), at);
            size -= (size_t)(place - at) + strlen(endpoint);
            at = place + strlen(endpoint);
        }
        ss_buf_addf(&told, "%.*s\n", (int)size, at);
        at += size + (at[size] == '\n');
    }
}

// What a busy machine adds is left out: a client that waits for long asks why
// (`health`), and asks again.
static void add_asked(void)
{
    struct ss_buf kept;
    const char *last = "";
    size_t last_size = 0;
    ss_buf_init(&kept, TEXT_SIZE_MAX);
    for (const char *at = ss_buf_str(&was_asked); *at;) {
        size_t size = strcspn(at, "\n") + 1;
        bool is_same = size == last_size && memcmp(at, last, size) == 0;
        if (!is_same && strncmp(at, "health ", 7) != 0)
            ss_buf_add(&kept, at, size);
        last = at;
        last_size = size;
        at += size;
    }
    add_lines(&kept, "> ");
    ss_buf_fini(&kept);
}

static void tell(const char *line)
{
    const char *words[WORDS_MAX] = {NULL};
    char text[LINE_SIZE];
    char *rest = NULL;
    size_t count = 0;
    ck_assert_uint_lt(strlen(line), sizeof(text));
    memcpy(text, line, strlen(line) + 1);
    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        ck_assert_uint_lt(count + 1, WORDS_MAX);
        words[count++] = word;
    }
    ss_buf_reset(&was_asked);
    int status = command_run(PROGRAM, words, NULL);
    ss_buf_addf(&told, "$ superstep %s\n", line);
    add_asked();
    add_lines(&out, "  ");
    add_lines(&err, "! ");
    ss_buf_addf(&told, "= %d\n", status);
}

static void keep(const char *path)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(told.data, 1, told.size, file), told.size);
    fclose(file);
}

START_TEST(each_command_word_for_word)
{
    static const struct {
        const char *title;
        const struct script *script;
    } worlds[] = {{"The answers are full.", full}, {"They are empty.", empty},
        {"They are errors.", refused}};
    char now[] = SS_TEST_BIN_DIR "/commands.txt";
    struct ss_buf wanted;
    setenv("USER", "olga", 1);
    ss_buf_init(&told, TEXT_SIZE_MAX);
    ss_buf_init(&wanted, TEXT_SIZE_MAX);
    for (size_t i = 0; i < sizeof(worlds) / sizeof(*worlds); i++) {
        script = worlds[i].script;
        ss_buf_addf(&told, "%s# %s\n", i ? "\n" : "", worlds[i].title);
        for (size_t j = 0; j < sizeof(lines) / sizeof(*lines); j++)
            tell(lines[j]);
    }
    keep(now);
    FILE *file =
        fopen(SS_TEST_SOURCE_DIR "/tests/unit/client/commands.txt", "rb");
    ck_assert_ptr_nonnull(file);
    read_file(file, &wanted);
    ck_assert_msg(strcmp(ss_buf_str(&told), ss_buf_str(&wanted)) == 0,
        "tests/unit/client/commands.txt says otherwise; look at\n"
        "  diff tests/unit/client/commands.txt %s",
        now);
    ss_buf_fini(&told);
    ss_buf_fini(&wanted);
}
END_TEST

int main(void)
{
    if (access(PROGRAM, X_OK) != 0)
        return 77; // built apart from the programs
    Suite *suite = suite_create("transcript");
    TCase *tcase = tcase_create("transcript");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, NULL);
    tcase_add_test(tcase, each_command_word_for_word);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
