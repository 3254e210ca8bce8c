#include "tests/unit/link/keyring.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/link/allowed.h"

enum { PATH_SIZE = 128 };

char folder[64];
struct ss_key coordinator, worker, stranger;
static struct ss_error error;

const char *path_of(const char *name)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

void write_text(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void make(const char *name, enum ss_role role, struct ss_key *ret_key)
{
    int status = ss_key_make(name, role, ret_key, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ck_assert_int_eq(ss_key_save(ret_key, folder, &error), SS_OK);
}

void allow(const struct ss_key *key)
{
    struct ss_allowed list;
    ss_allowed_init(&list, folder);
    (void)!ss_allowed_read(&list, NULL);
    ck_assert_int_eq(ss_allowed_put(&list, key, &error), SS_OK);
    ck_assert_int_eq(ss_allowed_write(&list, &error), SS_OK);
    ss_allowed_fini(&list);
}

void keyring_begin(void)
{
    snprintf(folder, sizeof(folder), "/tmp/ss-keys-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    make("coordinator", SS_ROLE_COORDINATOR, &coordinator);
    make("worker", SS_ROLE_WORKER, &worker);
    make("stranger", SS_ROLE_WORKER, &stranger);
    allow(&worker);
}

void keyring_end(void)
{
    static const char *const names[] = {"coordinator.key", "coordinator.pub",
        "worker.key", "stranger.key", "allowed", "odd"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(path_of(names[i]));
    ck_assert_int_eq(rmdir(folder), 0);
}
