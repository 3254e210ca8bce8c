// cmd_new.c - superstep new NAME: a project that builds, runs and tests.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "client/commands.h"

enum { NAME_MAX_SIZE = 64, PATH_SIZE = 256 };

static struct ss_arg_list words;

const struct ss_arg ss_cmd_new_options[] = {
    SS_CLI_WORD(words, "NAME"), SS_CLI_OPTIONS};

// A file of the project: in its name and its text @ stands for the project's
// name.
struct file {
    const char *name;
    const char *text;
};

static const char cmake_text[] =
    "cmake_minimum_required(VERSION 3.22)\n"
    "project(app_@ LANGUAGES C)\n"
    "set(CMAKE_C_STANDARD 11)\n"
    "add_compile_options(-Wall -Wextra)\n"
    "find_package(superstep REQUIRED)\n"
    "\n"
    "# lib@.so, which a worker loads.\n"
    "add_library(app_@ MODULE @.c)\n"
    "set_target_properties(app_@ PROPERTIES OUTPUT_NAME @)\n"
    "target_link_libraries(app_@ PRIVATE superstep::app)\n"
    "\n"
    "# The same graphs in a program of their own, without any other process.\n"
    "add_executable(test_@ test_@.c @.c)\n"
    "target_link_libraries(test_@ PRIVATE superstep::superstep)\n"
    "enable_testing()\n"
    "add_test(NAME test_@ COMMAND test_@)\n";

static const char graph_text[] =
    "// @.c - a graph of two nodes, one after the other.\n"
    "#include <string.h>\n"
    "#include <superstep/superstep.h>\n"
    "\n"
    "static int greet(struct ss_task *task)\n"
    "{\n"
    "    const char *name = ss_input_str(task, \"name\");\n"
    "    if (!name)\n"
    "        return ss_fail_final(\n"
    "            task, \"no_name\", \"give me a name: {\\\"name\\\": "
    "\\\"Ada\\\"}\");\n"
    "    return ss_set_text(task, \"greeting\", \"Hello, %s!\", name);\n"
    "}\n"
    "\n"
    "static int measure(struct ss_task *task)\n"
    "{\n"
    "    const char *greeting = ss_input_str(task, \"greeting\");\n"
    "    return ss_set_int(task, \"length\", (int64_t)strlen(greeting));\n"
    "}\n"
    "\n"
    "static void define(struct ss_graph_def *graph)\n"
    "{\n"
    "    ss_key(graph, \"name\", SS_STR);\n"
    "    ss_key(graph, \"greeting\", SS_STR);\n"
    "    ss_key(graph, \"length\", SS_INT);\n"
    "\n"
    "    ss_node(graph, \"greet\", greet);\n"
    "    ss_node(graph, \"measure\", measure);\n"
    "\n"
    "    ss_edge(graph, SS_START, \"greet\");\n"
    "    ss_edge(graph, \"greet\", \"measure\");\n"
    "    ss_edge(graph, \"measure\", SS_END);\n"
    "}\n"
    "\n"
    "SS_APP(SS_GRAPH(\"@\", define))\n";

static const char test_text[] =
    "// test_@.c - the graph does what it is for: no socket, no file.\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "#include <superstep/local.h>\n"
    "\n"
    "extern const struct ss_app ss_app_descriptor; // of SS_APP() in @.c\n"
    "\n"
    "static int failures;\n"
    "\n"
    "// Run the graph, and look at how it ended, and at a key of what it "
    "gave.\n"
    "static void expect(struct ss_local *local, json_t *input,\n"
    "    const char *status, const char *key, json_t *value)\n"
    "{\n"
    "    struct ss_local_error error;\n"
    "    json_t *answer;\n"
    "    if (ss_local_ask(local, \"run\",\n"
    "            json_pack(\"{s:s, s:o}\", \"graph\", \"@\", \"input\", "
    "input),\n"
    "            NULL, &answer, &error) != 0) {\n"
    "        fprintf(stderr, \"%s\\n\", error.message);\n"
    "        failures++;\n"
    "    } else {\n"
    "        json_t *output = json_object_get(answer, \"output\");\n"
    "        json_t *ended = json_object_get(answer, \"status\");\n"
    "        if (strcmp(json_string_value(ended), status) != 0 ||\n"
    "            (key && !json_equal(json_object_get(output, key), value))) {\n"
    "            json_dumpf(answer, stderr, JSON_INDENT(1));\n"
    "            failures++;\n"
    "        }\n"
    "        json_decref(answer);\n"
    "    }\n"
    "    json_decref(value);\n"
    "}\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "    struct ss_local_options options = {.app = &ss_app_descriptor};\n"
    "    struct ss_local_error error;\n"
    "    struct ss_local *local;\n"
    "    if (ss_local_open(&options, &local, &error) != 0) {\n"
    "        fprintf(stderr, \"%s\\n\", error.message);\n"
    "        return 1;\n"
    "    }\n"
    "    expect(local, json_pack(\"{s:s}\", \"name\", \"Ada\"), \"done\", "
    "\"length\",\n"
    "        json_integer(11));\n"
    "    expect(local, json_pack(\"{s:s}\", \"greeting\", \"\"), \"failed\", "
    "NULL, NULL);\n"
    "    ss_local_close(&local);\n"
    "    return failures > 0;\n"
    "}\n";

static const char readme_text[] =
    "# @\n"
    "\n"
    "Build it, and test it without any process:\n"
    "\n"
    "    $ cmake -B build && cmake --build build\n"
    "    $ ctest --test-dir build\n"
    "\n"
    "Run it, with a coordinator and workers on this machine:\n"
    "\n"
    "    $ superstep dev build/lib@.so\n"
    "    $ superstep run @ --input '{\"name\": \"Ada\"}'      # in another "
    "terminal\n"
    "    {\"name\": \"Ada\", \"greeting\": \"Hello, Ada!\", \"length\": 11}\n";

static const struct file files[] = {{"CMakeLists.txt", cmake_text},
    {"@.c", graph_text}, {"test_@.c", test_text}, {"README.md", readme_text},
    {".gitignore", "build/\nsuperstep.db*\n"}};
enum { FILES = sizeof(files) / sizeof(*files) };

static bool is_name(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return isalpha((unsigned char)name[0]) && !name[size] &&
           size <= NAME_MAX_SIZE;
}

static void path_of(char *ret_path, const char *name, const struct file *file)
{
    const char *at = strchr(file->name, '@');
    int size = at ? (int)(at - file->name) : (int)strlen(file->name);
    snprintf(ret_path, PATH_SIZE, "%s/%.*s%s%s", name, size, file->name,
        at ? name : "", at ? at + 1 : "");
}

// False: errno says why.
static bool write_file(const char *path, const char *name, const char *text)
{
    FILE *out = fopen(path, "wx");
    if (!out)
        return false;
    for (; *text; text++)
        if (*text == '@')
            fputs(name, out);
        else
            fputc(*text, out);
    bool is_whole = !ferror(out);
    return fclose(out) == 0 && is_whole;
}

int ss_cmd_new(struct ss_client *client)
{
    char path[PATH_SIZE];
    const char *name = words.items[0];
    (void)client;
    if (!is_name(name))
        return ss_cli_usage(
            "\"%s\" is not a name for a project: letters, digits, "
            "_ and -, %d at most, and a letter first",
            name, NAME_MAX_SIZE);
    if (mkdir(name, 0777) != 0)
        return errno == EEXIST
                   ? ss_cli_fail(
                         "%s is there already: nothing was written", name)
                   : ss_cli_fail("cannot make %s: %s", name, strerror(errno));
    for (size_t i = 0; i < FILES; i++) {
        path_of(path, name, &files[i]);
        if (!write_file(path, name, files[i].text))
            return ss_cli_fail("cannot write %s: %s", path, strerror(errno));
    }
    printf("%s: CMakeLists.txt, %s.c, test_%s.c, README.md\n"
           "Next: cd %s && cmake -B build && cmake --build build && "
           "ctest --test-dir build\n",
        name, name, name, name);
    return SS_CLI_DONE;
}
