// recall.c - what threads hold and held: a name a line in, and out the thread's
// state and history as one line of JSON, or what the client says is wrong. One
// program for many threads, where a command for each would take minutes.
#include <superstep/client.h>

#include <err.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 512, PATIENCE_MS = 60000 };

// Gives.
static json_t *recall(struct ss_client *client, const char *thread)
{
    struct ss_client_error error;
    json_t *state = NULL, *history = NULL;
    if (ss_client_state(client, thread, NULL, &state, &error) != 0 ||
        ss_client_history(client, thread, NULL, &history, &error) != 0) {
        json_decref(state);
        return json_pack(
            "{s:s, s:s}", "thread", thread, "error", error.message);
    }
    return json_pack("{s:s, s:o, s:o}", "thread", thread, "state", state,
        "history", history);
}

int main(int argc, char **argv)
{
    char thread[NAME_SIZE];
    struct ss_client *client;
    struct ss_client_error error;
    struct ss_client_options options = {
        .endpoints = argc > 1 ? argv[1] : NULL, .connect_ms = PATIENCE_MS};
    if (ss_client_open(&options, &client, &error) != 0)
        errx(1, "%s", error.message);
    while (fgets(thread, sizeof(thread), stdin)) {
        thread[strcspn(thread, "\n")] = '\0';
        json_t *answer = recall(client, thread);
        if (!answer || json_dumpf(answer, stdout, JSON_COMPACT) != 0 ||
            putchar('\n') == EOF)
            errx(1, "no answer about %s can be written", thread);
        json_decref(answer);
    }
    ss_client_close(&client);
    return fflush(stdout) == 0 ? 0 : 1;
}
