// Files of keys that czmq's programs and ours read of each other, and what
// stays of a secret in memory that is freed.
#include "common/link/key_file.h"

#include <check.h>
#include <czmq.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "tests/suite.h"
#include "tests/unit/link/keyring.h"

static struct ss_error error;

// ------------------------------------------------ freed memory

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KNOWS_WHAT_IS_FREED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KNOWS_WHAT_IS_FREED 0
#endif
#endif
#ifndef KNOWS_WHAT_IS_FREED
#define KNOWS_WHAT_IS_FREED 1
#endif

#if KNOWS_WHAT_IS_FREED
static char sought[2][SS_KEY_TEXT_SIZE]; // in Z85, and as bytes
static size_t sought_sizes[2];
static unsigned leaks;

extern void __libc_free(void *memory);

static bool has(const char *bytes, size_t size, const char *part, size_t count)
{
    for (size_t at = 0; at + count <= size; at++)
        if (memcmp(bytes + at, part, count) == 0)
            return true;
    return false;
}

// In place of the library's, for czmq and libzmq as well.
void free(void *memory)
{
    size_t size = memory ? malloc_usable_size(memory) : 0;
    for (size_t i = 0; i < 2; i++)
        if (sought_sizes[i] > 0 &&
            has(memory, size, sought[i], sought_sizes[i]))
            leaks++;
    __libc_free(memory);
}

static void seek(const struct ss_key *key)
{
    leaks = 0;
    memcpy(sought[0], key->secret_half, SS_KEY_TEXT_SIZE);
    zmq_z85_decode((uint8_t *)sought[1], key->secret_half);
    sought_sizes[0] = SS_KEY_TEXT_SIZE - 1;
    sought_sizes[1] = 32;
}

static void seek_no_more(void)
{
    sought_sizes[0] = sought_sizes[1] = 0;
}
#endif

// libzmq itself forgets nothing; its socket stays open while we look.
START_TEST(no_secret_is_left_in_memory_that_is_freed)
{
#if KNOWS_WHAT_IS_FREED
    struct ss_key read;
    zsys_handler_set(NULL);
    zsock_t *socket = zsock_new(ZMQ_DEALER);
    seek(&worker);
    ck_assert_int_eq(ss_key_load(path_of("worker.key"), &read, &error), SS_OK);
    ck_assert_int_eq(ss_key_apply(&read, socket, &error), SS_OK);
    unlink(path_of("worker.key"));
    ck_assert_int_eq(ss_key_save(&read, folder, &error), SS_OK);
    ck_assert_uint_eq(leaks, 0);
    // zcert does: that we would see it.
    zcert_t *cert = zcert_load(path_of("worker.key"));
    zcert_destroy(&cert);
    ck_assert_uint_gt(leaks, 0);
    seek_no_more();
    zsock_destroy(&socket);
    ss_key_forget(&read);
#endif
}
END_TEST

// ------------------------------------------------------------------ zcert

START_TEST(our_keys_are_certificates_of_czmq)
{
    zcert_t *cert = zcert_load(path_of("worker.key"));
    ck_assert_ptr_nonnull(cert);
    ck_assert_str_eq(zcert_public_txt(cert), worker.public_half);
    ck_assert_str_eq(zcert_secret_txt(cert), worker.secret_half);
    ck_assert_str_eq(zcert_meta(cert, "name"), "worker");
    ck_assert_str_eq(zcert_meta(cert, "role"), "worker");
    zcert_destroy(&cert);
    cert = zcert_load(path_of("coordinator.pub"));
    ck_assert_ptr_nonnull(cert);
    ck_assert_str_eq(zcert_public_txt(cert), coordinator.public_half);
    ck_assert_str_ne(zcert_secret_txt(cert), coordinator.secret_half);
    zcert_destroy(&cert);
}
END_TEST

static zcert_t *foreign; // what a program with czmq made

static void foreign_make(void)
{
    keyring_begin();
    foreign = zcert_new();
    ck_assert_ptr_nonnull(foreign);
    zcert_set_meta(foreign, "email", "ada@example.org");
}

static void foreign_end(void)
{
    zcert_destroy(&foreign);
    keyring_end();
}

static void expect_foreign(const struct ss_key *key)
{
    ck_assert_str_eq(key->public_half, zcert_public_txt(foreign));
    ck_assert_str_eq(key->secret_half, zcert_secret_txt(foreign));
}

START_TEST(a_key_of_czmq_is_called_like_its_file)
{
    struct ss_key key;
    zcert_t *named = zcert_dup(foreign);
    zcert_set_meta(named, "name", "Ada Lovelace"); // a key is not called so
    ck_assert_int_eq(zcert_save_secret(named, path_of("client.key")), 0);
    zcert_destroy(&named);
    ck_assert_int_eq(ss_keys_own(folder, SS_ROLE_CLIENT, &key, &error), SS_OK);
    expect_foreign(&key);
    ck_assert_str_eq(key.name, "client");
    ck_assert_int_eq(key.role, SS_ROLE_CLIENT);
    unlink(path_of("client.key"));

    ck_assert_int_eq(zcert_save_secret(foreign, path_of("odd")), 0);
    ck_assert_int_eq(ss_key_load(path_of("odd"), &key, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "what it is for"));
    zcert_set_meta(foreign, "role", "worker");
    zcert_set_meta(foreign, "name", "ada");
    ck_assert_int_eq(zcert_save_secret(foreign, path_of("odd")), 0);
    ck_assert_int_eq(ss_key_load(path_of("odd"), &key, &error), SS_OK);
    expect_foreign(&key);
    ck_assert_str_eq(key.name, "ada");
    ck_assert_int_eq(key.role, SS_ROLE_WORKER);
}
END_TEST

START_TEST(of_two_files_of_czmq_the_secret_one_is_read)
{
    struct ss_key key;
    ck_assert_int_eq(zcert_save(foreign, path_of("client.key")), 0);
    ck_assert_int_eq(access(path_of("client.key_secret"), F_OK), 0);
    ck_assert_int_eq(ss_keys_own(folder, SS_ROLE_CLIENT, &key, &error), SS_OK);
    expect_foreign(&key);
    ck_assert_str_eq(key.name, "client");
    // Also where it is alone, and before the key of a lesser role.
    ck_assert_int_eq(zcert_save(foreign, path_of("operator.key")), 0);
    ck_assert_int_eq(unlink(path_of("operator.key")), 0);
    ck_assert_int_eq(
        ss_keys_own(folder, SS_ROLE_CLIENT | SS_ROLE_OPERATOR, &key, &error),
        SS_OK);
    ck_assert_str_eq(key.name, "operator");
    ck_assert_int_eq(unlink(path_of("operator.key_secret")), 0);
    // Whether it can be read by others is asked of that one, too.
    ck_assert_int_eq(chmod(path_of("client.key"), 0644), 0);
    ck_assert_int_eq(chmod(path_of("client.key_secret"), 0600), 0);
    ck_assert(!ss_key_is_exposed(path_of("client.key")));
    ck_assert_int_eq(chmod(path_of("client.key_secret"), 0640), 0);
    ck_assert(ss_key_is_exposed(path_of("client.key")));
    // The public one alone is not a key.
    unlink(path_of("client.key_secret"));
    ck_assert_int_eq(
        ss_key_load(path_of("client.key"), &key, &error), SS_EFORMAT);
    unlink(path_of("client.key"));
}
END_TEST

START_TEST(a_server_is_known_by_a_public_certificate_of_czmq)
{
    char half[SS_KEY_TEXT_SIZE];
    unlink(path_of("coordinator.pub"));
    ck_assert_int_eq(zcert_save_public(foreign, path_of("coordinator.pub")), 0);
    ck_assert_int_eq(ss_keys_server(folder, half, &error), SS_OK);
    ck_assert_str_eq(half, zcert_public_txt(foreign));
    ck_assert_int_eq(zcert_save_secret(foreign, path_of("coordinator.pub")), 0);
    ck_assert_int_eq(ss_keys_server(folder, half, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "stays where it was made"));
    ck_assert_ptr_null(strstr(error.message, zcert_secret_txt(foreign)));
}
END_TEST

// ------------------------------------------------------------------ before

START_TEST(files_of_before_are_read)
{
    struct ss_key key;
    char text[SS_KEY_FILE_SIZE_MAX], half[SS_KEY_TEXT_SIZE];
    snprintf(text, sizeof(text),
        "# A key of Superstep. Whoever has this file is \"worker\".\n"
        "name ada\nrole client\npublic %s\nsecret %s\n",
        worker.public_half, worker.secret_half);
    write_text("odd", text);
    ck_assert_int_eq(ss_key_load(path_of("odd"), &key, &error), SS_OK);
    ck_assert_str_eq(key.name, "ada");
    ck_assert_int_eq(key.role, SS_ROLE_CLIENT);
    ck_assert_str_eq(key.public_half, worker.public_half);
    ck_assert_str_eq(key.secret_half, worker.secret_half);
    // They name all themselves.
    snprintf(text, sizeof(text), "role worker\npublic %s\nsecret %s\n",
        worker.public_half, worker.secret_half);
    write_text("odd", text);
    ck_assert_int_eq(ss_key_load(path_of("odd"), &key, &error), SS_EFORMAT);
    snprintf(text, sizeof(text), "%s\n", stranger.public_half);
    write_text("coordinator.pub", text);
    ck_assert_int_eq(ss_keys_server(folder, half, &error), SS_OK);
    ck_assert_str_eq(half, stranger.public_half);
}
END_TEST

// A file that was damaged on its way is not read up to there.
START_TEST(a_file_with_a_nul_is_no_key)
{
    struct ss_key key;
    char text[SS_KEY_FILE_SIZE_MAX], half[SS_KEY_TEXT_SIZE];
    ss_key_file_print(&worker, true, text);
    size_t size = strlen(text);
    FILE *file = fopen(path_of("worker.key"), "w");
    ck_assert_uint_eq(fwrite(text, 1, size + 1, file), size + 1);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(
        ss_key_load(path_of("worker.key"), &key, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "worker.key is not a key"));
    ck_assert_ptr_nonnull(strstr(error.message, "is a NUL; copy it anew"));
    snprintf(text, sizeof(text), "%s junk\n", stranger.public_half);
    write_text("coordinator.pub", text);
    ck_assert_int_eq(ss_keys_server(folder, half, &error), SS_EFORMAT);
}
END_TEST

// ------------------------------------------------------------------ lines

START_TEST(lines_of_a_certificate_are_taken_as_czmq_takes_them)
{
    static const struct {
        const char *before, *line;
        int status;
    } cases[] = {{"", "", SS_OK}, {"\n# a comment\n", " # of ours", SS_OK},
        {"metadata\n    role = worker # of ours\n", "", SS_OK},
        {"metadata\n    role = 'worker'\n", "", SS_OK},
        {"metadata\n    role = 'worker' # of ours\n", "", SS_OK},
        {"metadata\n    role = \"worker\" or not\n", "", SS_EFORMAT},
        {"", "junk", SS_EFORMAT},
        {"metadata\n    role=\"worker\"\n        role = \"king\"\n", "", SS_OK},
        {"elsewhere\n    public-key = \"none\"\n", "", SS_OK},
        {"metadata\n    role = \"king\"\n", "", SS_EFORMAT},
        {"metadata\n  role = \"worker\"\n", "", SS_EFORMAT},
        {"metadata\n    role \"worker\"\n", "", SS_EFORMAT},
        {"metadata\n    role = \"worker\n", "", SS_EFORMAT},
        {"", "\n    secret-key = \"tooshort\"", SS_EFORMAT},
        {"= \"worker\"\n", "", SS_EFORMAT}};
    struct ss_key key;
    char text[SS_KEY_FILE_SIZE_MAX];
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        snprintf(text, sizeof(text),
            "%scurve\n    public-key = \"%s\"\n    secret-key = \"%s\"%s",
            cases[i].before, worker.public_half, worker.secret_half,
            cases[i].line);
        write_text("worker.key", text);
        int status = ss_key_load(path_of("worker.key"), &key, &error);
        ck_assert_msg(status == cases[i].status, "case %zu: %d", i, status);
        if (status == SS_OK)
            ck_assert_str_eq(key.secret_half, worker.secret_half);
        else
            ck_assert_ptr_null(strstr(error.message, "tooshort"));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("key_file");
    TCase *ours = tcase_create("ours"), *theirs = tcase_create("theirs");
    tcase_set_timeout(ours, 600);
    tcase_set_timeout(theirs, 600);
    tcase_add_checked_fixture(ours, keyring_begin, keyring_end);
    tcase_add_checked_fixture(theirs, foreign_make, foreign_end);
    tcase_add_test(ours, no_secret_is_left_in_memory_that_is_freed);
    tcase_add_test(ours, our_keys_are_certificates_of_czmq);
    tcase_add_test(ours, files_of_before_are_read);
    tcase_add_test(ours, a_file_with_a_nul_is_no_key);
    tcase_add_test(ours, lines_of_a_certificate_are_taken_as_czmq_takes_them);
    tcase_add_test(theirs, a_key_of_czmq_is_called_like_its_file);
    tcase_add_test(theirs, of_two_files_of_czmq_the_secret_one_is_read);
    tcase_add_test(theirs, a_server_is_known_by_a_public_certificate_of_czmq);
    suite_add_tcase(suite, ours);
    suite_add_tcase(suite, theirs);
    return suite_main(suite);
}
