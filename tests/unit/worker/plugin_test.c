// plugin_test.c - what is said of files that are not applications. The shared
// objects are built here, as an author would build them.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "worker/application.h"
#include "worker/plugin.h"

static char folder[] = "/tmp/superstep-plugin-XXXXXX";
static char path[200];
static struct ss_error error;

static const char *file(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

// Compile `source` to a shared object of that name.
static const char *compiled(const char *name, const char *source)
{
    char *command = ss_format("cc -shared -fPIC -x c -o %s/%s -I "
                              "'" SS_TEST_SOURCE_DIR "/worker/include' -",
        folder, name);
    FILE *compiler = popen(command, "w");
    ck_assert_ptr_nonnull(compiler);
    fputs(source, compiler);
    ck_assert_int_eq(pclose(compiler), 0);
    ss_free(command);
    return file(name);
}

// What the compiler says of `source`, which it refuses. Borrowed until the next
// call.
static const char *said_by_compiler(const char *source)
{
    static char said[8192];
    char *file_name = ss_strdup(file("source.c"));
    FILE *it = fopen(file_name, "w");
    ck_assert_ptr_nonnull(it);
    fputs(source, it);
    fclose(it);
    char *command = ss_format("cc -fsyntax-only -I '" SS_TEST_SOURCE_DIR
                              "/worker/include' %s 2>&1",
        file_name);
    it = popen(command, "r");
    ck_assert_ptr_nonnull(it);
    said[fread(said, 1, sizeof(said) - 1, it)] = '\0';
    while (fgetc(it) != EOF) {
    }
    ck_assert_int_ne(pclose(it), 0);
    ss_free(command);
    ss_free(file_name);
    return said;
}

static int open_it(const char *name)
{
    const struct ss_app *app;
    return ss_plugin_open(name, &app, &error);
}

static void has(const char *part)
{
    ck_assert_msg(strstr(error.message, part), "\"%s\" is not in: %s", part,
        error.message);
}

START_TEST(a_file_that_is_not_there)
{
    ck_assert_int_eq(open_it(file("none.so")), SS_ENOTFOUND);
    has("none.so: No such file");
}
END_TEST

START_TEST(a_file_that_is_no_shared_object)
{
    FILE *text = fopen(file("text.so"), "w");
    fputs("I am a text.\n", text);
    fclose(text);
    ck_assert_int_eq(open_it(file("text.so")), SS_EFORMAT);
    has("is not a shared object that can be loaded here");
    has("cc -shared -fPIC");
    ck_assert_int_eq(open_it(folder), SS_EFORMAT);
    has("is a folder");
}
END_TEST

START_TEST(a_shared_object_without_a_descriptor)
{
    ck_assert_int_eq(open_it(compiled("plain.so", "int plain;")), SS_EINVAL);
    has("it has no ss_app_descriptor");
    has("SS_APP(SS_GRAPH(");
}
END_TEST

START_TEST(a_shared_object_that_needs_what_is_nowhere)
{
    ck_assert_int_eq(
        open_it(compiled("needs.so", "int nobody_has_this(void);"
                                     "int (*call)(void) = nobody_has_this;")),
        SS_EFORMAT);
    has("undefined symbol: nobody_has_this");
}
END_TEST

START_TEST(an_application_is_found_and_builds)
{
    const struct ss_app *app;
    struct ss_application *application;
    const char *so = compiled("good.so",
        "#include <superstep/superstep.h>\n"
        "static int body(struct ss_task *t) { return ss_update(t, "
        "json_pack(\"{s:i}\", \"k\", 1)); }\n"
        "static void g(struct ss_graph_def *graph) {\n"
        "    ss_key(graph, \"k\", SS_INT);\n"
        "    ss_node(graph, \"a\", body);\n"
        "    ss_edge(graph, SS_START, \"a\");\n"
        "}\n"
        "SS_APP(SS_GRAPH(\"g\", g))\n");
    ck_assert_msg(
        ss_plugin_open(so, &app, &error) == SS_OK, "%s", error.message);
    ck_assert_msg(ss_application_new(app, NULL, &application, &error) == SS_OK,
        "%s", error.message);
    ck_assert_ptr_nonnull(
        ss_application_bound(ss_application_find(application, "g"), "g"));
    ss_application_destroy(&application);
}
END_TEST

START_TEST(graphs_with_a_comma_between_them_are_told_so_by_the_compiler)
{
    static const char source[] =
        "#include <superstep/superstep.h>\n"
        "static void a(struct ss_graph_def *graph) { (void)graph; }\n"
        "SS_APP(SS_GRAPH(\"a\", a), SS_GRAPH(\"b\", a))\n";
    const char *said = said_by_compiler(source);
    ck_assert_msg(
        strstr(said, "SS_APP takes no comma between two graphs: ") != NULL,
        "%s", said);
}
END_TEST

START_TEST(a_name_without_a_slash_is_a_file_here)
{
    compiled("here.so", "int plain;");
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(open_it("here.so"), SS_EINVAL);
    has("here.so is not an application");
}
END_TEST

START_TEST(an_application_of_another_abi_is_refused_with_both_numbers)
{
    const struct ss_app *app;
    struct ss_application *application;
    const char *so = compiled("abi.so",
        "#include <superstep/superstep.h>\n"
        "SS_APP_EXPORT const struct ss_app ss_app_descriptor = "
        "{ 77, sizeof(struct ss_app), 0, 0, 0 };\n");
    ck_assert_int_eq(ss_plugin_open(so, &app, &error), SS_OK);
    ck_assert_int_eq(
        ss_application_new(app, NULL, &application, &error), SS_EVERSION);
    has("ABI version 77");
    has("version 1");
}
END_TEST

static bool remove_folder(void)
{
    char *command = ss_format("rm -r '%s'", folder);
    bool is_removed = system(command) == 0;
    ss_free(command);
    return is_removed;
}

int main(void)
{
    ss_value_setup();
    if (!mkdtemp(folder))
        return EXIT_FAILURE;
    Suite *suite = suite_create("plugin");
    TCase *tcase = tcase_create("plugin");
    tcase_add_test(tcase, a_file_that_is_not_there);
    tcase_add_test(tcase, a_file_that_is_no_shared_object);
    tcase_add_test(tcase, a_shared_object_without_a_descriptor);
    tcase_add_test(tcase, a_shared_object_that_needs_what_is_nowhere);
    tcase_add_test(tcase, an_application_is_found_and_builds);
    tcase_add_test(
        tcase, graphs_with_a_comma_between_them_are_told_so_by_the_compiler);
    tcase_add_test(tcase, a_name_without_a_slash_is_a_file_here);
    tcase_add_test(
        tcase, an_application_of_another_abi_is_refused_with_both_numbers);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 && remove_folder() ? EXIT_SUCCESS : EXIT_FAILURE;
}
