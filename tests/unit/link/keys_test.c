// Files of keys, and the list of those that are allowed.
#include "common/link/keys.h"

#include <check.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/link/allowed.h"
#include "common/link/limits.h"
#include "tests/suite.h"
#include "tests/unit/link/keyring.h"

static struct ss_error error;

// ------------------------------------------------------------------ files

static void expect_exposed(
    const char *keys, enum ss_role role, const char *wanted)
{
    char *path = ss_keys_exposed(keys, role);
    ck_assert_ptr_nonnull(path);
    ck_assert_str_eq(path, wanted);
    ss_free(path);
}

START_TEST(a_key_comes_back_as_it_was_saved)
{
    struct ss_key read;
    struct stat found;
    ck_assert_int_eq(ss_key_load(path_of("worker.key"), &read, &error), SS_OK);
    ck_assert_str_eq(read.name, "worker");
    ck_assert_int_eq(read.role, SS_ROLE_WORKER);
    ck_assert_str_eq(read.public_half, worker.public_half);
    ck_assert_str_eq(read.secret_half, worker.secret_half);
    ck_assert_int_eq(stat(path_of("worker.key"), &found), 0);
    ck_assert_uint_eq(found.st_mode & 0777, 0600);
    ck_assert(!ss_key_is_exposed(path_of("worker.key")));
    ck_assert_ptr_null(ss_keys_exposed(folder, SS_ROLE_WORKER));
    ck_assert_int_eq(chmod(path_of("worker.key"), 0640), 0);
    ck_assert(ss_key_is_exposed(path_of("worker.key")));
    expect_exposed(folder, SS_ROLE_WORKER, path_of("worker.key"));
    expect_exposed(
        path_of("worker.key"), SS_ROLE_CLIENT, path_of("worker.key"));
    ck_assert_ptr_null(ss_keys_exposed(folder, SS_ROLE_CLIENT));
    ck_assert_ptr_null(ss_keys_exposed("", SS_ROLE_WORKER));
    ck_assert_ptr_null(ss_keys_exposed(NULL, SS_ROLE_WORKER));
    ss_key_forget(&read);
    ck_assert_str_eq(read.secret_half, "");
}
END_TEST

START_TEST(a_key_is_never_written_over)
{
    ck_assert_int_eq(ss_key_save(&worker, folder, &error), SS_EEXISTS);
    ck_assert_ptr_nonnull(strstr(error.message, "worker.key is there"));
    // Without its public half the pair would be of no use: neither stays.
    unlink(path_of("coordinator.key"));
    ck_assert_int_eq(ss_key_save(&coordinator, folder, &error), SS_EEXISTS);
    ck_assert_int_ne(access(path_of("coordinator.key"), F_OK), 0);
}
END_TEST

// What czmq wrote in two files is read from the secret one: a new key beside it
// would be made, and never be used.
START_TEST(a_key_is_not_made_beside_the_secret_one_of_czmq)
{
    unlink(path_of("worker.key"));
    write_text("worker.key_secret", "of czmq");
    ck_assert_int_eq(ss_key_save(&worker, folder, &error), SS_EEXISTS);
    ck_assert_ptr_nonnull(strstr(error.message, "worker.key_secret is there"));
    unlink(path_of("worker.key_secret"));
    ck_assert_int_ne(access(path_of("worker.key"), F_OK), 0);
}
END_TEST

START_TEST(what_is_no_key_is_refused_and_never_shown)
{
    static const char *const texts[] = {"", "name a\nrole worker\n",
        "secret tooshort\n", "role king\n", "name ../a\n", "nonsense\n",
        ("name a\nrole worker\npublic "
         "0000000000000000000000000000000000000000\nsecret "
         "0000000000000000000000000000000000000001\n")};
    struct ss_key key;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        write_text("odd", texts[i]);
        ck_assert_int_eq(ss_key_load(path_of("odd"), &key, &error), SS_EFORMAT);
        ck_assert_ptr_null(strstr(error.message, "tooshort"));
    }
    char large[SS_KEY_FILE_SIZE_MAX + 2];
    memset(large, '#', sizeof(large));
    large[sizeof(large) - 1] = '\0';
    write_text("odd", large);
    ck_assert_int_eq(ss_key_load(path_of("odd"), &key, &error), SS_EFORMAT);
    ck_assert_int_eq(ss_key_load(path_of("no"), &key, &error), SS_ENOTFOUND);
}
END_TEST

START_TEST(a_folder_gives_the_key_of_the_role_and_a_file_itself)
{
    struct ss_key key;
    ck_assert_int_eq(ss_keys_own(folder, SS_ROLE_WORKER, &key, &error), SS_OK);
    ck_assert_str_eq(key.name, "worker");
    ck_assert_int_eq(
        ss_keys_own(folder, SS_ROLE_CLIENT | SS_ROLE_OPERATOR, &key, &error),
        SS_ENOTFOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "client.key"));
    ck_assert_int_eq(
        ss_keys_own(path_of("stranger.key"), SS_ROLE_WORKER, &key, &error),
        SS_OK);
    ck_assert_int_eq(
        ss_keys_own(path_of("stranger.key"), SS_ROLE_CLIENT, &key, &error),
        SS_EDENIED);
    ck_assert_ptr_nonnull(
        strstr(error.message, "is the key of a worker, which does not fit"));
    char half[SS_KEY_TEXT_SIZE];
    ck_assert_int_eq(
        ss_keys_server(path_of("stranger.key"), half, &error), SS_OK);
    ck_assert_str_eq(half, coordinator.public_half);
    ck_assert_int_eq(
        ss_keys_server("/no/such/keys", half, &error), SS_ENOTFOUND);
    ck_assert_str_eq(error.message,
        "/no/such/keys: there is no such folder of keys, nor file of one");
}
END_TEST

START_TEST(names_of_keys_are_words)
{
    static const char *const wrong[] = {"", ".", ".a", "-a", "a b", "a/b",
        "a\n",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        ck_assert_int_eq(ss_key_check_name(wrong[i], &error), SS_EINVAL);
    ck_assert_int_eq(ss_key_check_name("ci-7.worker_A", &error), SS_OK);
}
END_TEST

// ------------------------------------------------------------------ the list

START_TEST(the_list_is_read_again_when_it_changes)
{
    struct ss_allowed list;
    bool is_changed;
    int64_t now_ms = 1000;
    ss_allowed_init(&list, folder);
    ck_assert_int_eq(ss_allowed_read(&list, &error), SS_OK);
    ck_assert_ptr_nonnull(ss_allowed_find(&list, worker.public_half));
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_OK);
    ck_assert(!is_changed);
    allow(&stranger);
    // Not so soon.
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms + 1, &is_changed, &error), SS_OK);
    ck_assert(!is_changed);
    now_ms += SS_KEYS_LOOK_MS;
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_OK);
    ck_assert(is_changed);
    ck_assert_ptr_nonnull(ss_allowed_find(&list, stranger.public_half));

    write_text("allowed", "worker\n");
    now_ms += SS_KEYS_LOOK_MS;
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(ss_allowed_find(&list, worker.public_half));
    now_ms += SS_KEYS_LOOK_MS; // said once
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_OK);

    unlink(path_of("allowed"));
    now_ms += SS_KEYS_LOOK_MS;
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_ENOTFOUND);
    ck_assert_ptr_null(ss_allowed_find(&list, worker.public_half));
    ss_allowed_fini(&list);
}
END_TEST

// What stands behind the damage is allowed as before.
START_TEST(a_list_that_is_damaged_is_not_taken_in_part)
{
    struct ss_allowed list;
    bool is_changed;
    allow(&stranger);
    ss_allowed_init(&list, folder);
    ck_assert_int_eq(ss_allowed_read(&list, &error), SS_OK);
    char *damaged = ss_format("worker %s %s\nworker\nworker %s %s\n",
        worker.name, worker.public_half, stranger.name, stranger.public_half);
    write_text("allowed", damaged);
    ss_free(damaged);
    ck_assert_int_eq(
        ss_allowed_refresh(&list, 1000 + SS_KEYS_LOOK_MS, &is_changed, &error),
        SS_EFORMAT);
    ck_assert_ptr_nonnull(ss_allowed_find(&list, worker.public_half));
    ck_assert_ptr_nonnull(ss_allowed_find(&list, stranger.public_half));
    ss_allowed_fini(&list);
}
END_TEST

START_TEST(a_list_that_is_damaged_says_where)
{
    static const struct {
        const char *text, *said;
    } cases[] = {{"# fine\n\nking ada x\n", "line 3: \"king\" is not a role"},
        {"coordinator ada x\n", "is not a role"},
        {"worker a/b x\n", "is not a name"},
        {"worker ada short\n", "no public key behind the name ada"}};
    struct ss_allowed list;
    ss_allowed_init(&list, folder);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        write_text("allowed", cases[i].text);
        ck_assert_int_eq(ss_allowed_read(&list, &error), SS_EFORMAT);
        ck_assert_msg(
            strstr(error.message, cases[i].said) != NULL, "%s", error.message);
    }
    ss_allowed_fini(&list);
}
END_TEST

START_TEST(a_name_stands_for_one_key)
{
    struct ss_allowed list;
    struct ss_key other = stranger;
    ss_allowed_init(&list, folder);
    ck_assert_int_eq(ss_allowed_read(&list, &error), SS_OK);
    memcpy(other.name, "worker", sizeof("worker"));
    ck_assert_int_eq(ss_allowed_put(&list, &other, &error), SS_EEXISTS);
    ck_assert(!ss_allowed_remove(&list, "stranger"));
    ck_assert(ss_allowed_remove(&list, worker.public_half));
    ck_assert_int_eq(ss_allowed_put(&list, &other, &error), SS_OK);
    ss_allowed_fini(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("keys");
    TCase *tcase = tcase_create("keys");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, keyring_begin, keyring_end);
    tcase_add_test(tcase, a_key_comes_back_as_it_was_saved);
    tcase_add_test(tcase, a_key_is_never_written_over);
    tcase_add_test(tcase, a_key_is_not_made_beside_the_secret_one_of_czmq);
    tcase_add_test(tcase, what_is_no_key_is_refused_and_never_shown);
    tcase_add_test(tcase, a_folder_gives_the_key_of_the_role_and_a_file_itself);
    tcase_add_test(tcase, names_of_keys_are_words);
    tcase_add_test(tcase, the_list_is_read_again_when_it_changes);
    tcase_add_test(tcase, a_list_that_is_damaged_is_not_taken_in_part);
    tcase_add_test(tcase, a_list_that_is_damaged_says_where);
    tcase_add_test(tcase, a_name_stands_for_one_key);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
