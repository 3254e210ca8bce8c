// application.c - from a descriptor to an application that can run.
#include "worker/application.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "worker/define.h"
#include "worker/limits.h"

struct ss_application {
    struct ss_map roots; // name -> struct ss_root_graph *
    char *version;
};

// ------------------------------------------------------------------ one graph

static void free_bound(void *value)
{
    ss_bound_graph_destroy(value);
}

static void free_root(void *value)
{
    struct ss_root_graph *root = value;
    ss_map_fini(&root->bound, free_bound);
    ss_graph_unref(root->graph);
    ss_free(root->name);
    ss_free(root);
}

// Bind `graph` and the graphs inside it under their names. A graph that several
// nodes use is compiled for each and bound once.
static int bind_all(struct ss_root_graph *root, const struct ss_graph_def *def,
    struct ss_graph *graph, struct ss_error *error)
{
    struct ss_bound_graph *bound;
    int status = ss_bind_graph(def, graph, &bound, error);
    if (status != SS_OK)
        return status;
    ss_map_put(&root->bound, graph->name, bound);
    for (size_t i = 0; i < graph->nodes_count && status == SS_OK; i++) {
        struct ss_graph *inner = graph->nodes[i].subgraph;
        if (!inner)
            continue;
        const struct ss_graph_def *inner_def =
            ss_map_get(&def->inner, inner->name);
        const struct ss_bound_graph *same =
            ss_map_get(&root->bound, inner->name);
        if (same && json_equal(same->graph->description, inner->description))
            continue;
        if (same)
            return ss_error_set(error, SS_EINVAL,
                "graph \"%s\": two different graphs inside it are named "
                "\"%s\"; name one of them otherwise",
                root->name, inner->name);
        if (!inner_def)
            return ss_error_set(error, SS_EINVAL,
                "graph \"%s\": the functions of subgraph \"%s\" are missing; "
                "define it with ss_subgraph()",
                graph->name, inner->name);
        status = bind_all(root, inner_def, inner, error);
    }
    return status;
}

static int describe(const struct ss_application *application,
    struct ss_graph_def *def, json_t **ret_description, struct ss_error *error)
{
    if (application->version)
        ss_describe(def, "app_version", json_string(application->version));
    if (def->error.status != SS_OK) {
        *error = def->error;
        return error->status;
    }
    return ss_spec_end(ss_graph_def_spec(def), ret_description, error);
}

static int add_graph(struct ss_application *application, const char *name,
    ss_graph_ctx_fn *define, void *ctx, struct ss_error *error)
{
    if (application->roots.count >= SS_GRAPHS_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "an application has at most %d graphs", SS_GRAPHS_MAX);
    if (ss_map_get(&application->roots, name))
        return ss_error_set(error, SS_EINVAL,
            "the application defines two graphs named \"%s\"", name);
    if (!define)
        return ss_error_set(error, SS_EINVAL,
            "graph \"%s\": its define function is NULL", name);
    struct ss_graph_def *def = ss_graph_def_new(NULL, name, define, ctx);
    struct ss_root_graph *root = ss_zalloc(1, sizeof(*root));
    root->name = ss_strdup(name);
    json_t *description = NULL;
    int status = describe(application, def, &description, error);
    if (status == SS_OK)
        status = ss_graph_compile(description, &root->graph, error);
    if (status == SS_OK)
        status = bind_all(root, def, root->graph, error);
    json_decref(description);
    ss_graph_def_destroy(&def);
    if (status == SS_OK)
        ss_map_put(&application->roots, name, root);
    else
        free_root(root);
    return status;
}

// ------------------------------------------------------------------ builder

int ss_app_graph(struct ss_app_builder *app, const char *name,
    ss_graph_ctx_fn *define, void *ctx)
{
    struct ss_error error;
    int status = add_graph(app->application, name, define, ctx, &error);
    if (status != SS_OK && app->error.status == SS_OK)
        app->error = error;
    return status == SS_OK ? 0 : -1;
}

int ss_app_error(struct ss_app_builder *app, const char *format, ...)
{
    char text[SS_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text),
        format ? format : "it cannot be set up, and gave NULL as the reason",
        args);
    va_end(args);
    if (app->error.status == SS_OK)
        ss_error_set(&app->error, SS_EINVAL, "%s", text);
    return -1;
}

static int run_build(struct ss_application *application, ss_app_build_fn *build,
    const char *arg, struct ss_error *error)
{
    struct ss_app_builder builder = {.application = application};
    int result = build(&builder, arg);
    if (builder.error.status != SS_OK) {
        *error = builder.error;
        return error->status;
    }
    if (result != 0)
        return ss_error_set(error, SS_EINVAL,
            "the application's build function returned %d without "
            "ss_app_error()",
            result);
    return SS_OK;
}

// Calls a plain define function, which is the context.
static void define_plain(struct ss_graph_def *graph, void *ctx)
{
    const struct ss_app_graph *entry = ctx;
    entry->define(graph);
}

static int check_abi(const struct ss_app *app, struct ss_error *error)
{
    if (app->abi != SS_ABI_VERSION)
        return ss_error_set(error, SS_EVERSION,
            "the application was built for ABI version %u of superstep.h, "
            "this worker has version %u; build it again",
            (unsigned)app->abi, (unsigned)SS_ABI_VERSION);
    if (app->size < sizeof(struct ss_app))
        return ss_error_set(error, SS_EVERSION,
            "the application's descriptor has %u bytes, this worker needs "
            "%zu; build it again",
            (unsigned)app->size, sizeof(struct ss_app));
    return SS_OK;
}

int ss_application_new(const struct ss_app *app, const char *arg,
    struct ss_application **ret_application, struct ss_error *error)
{
    int status = check_abi(app, error);
    if (status != SS_OK)
        return status;
    struct ss_application *made = ss_zalloc(1, sizeof(*made));
    made->version = ss_strdup(app->version);
    const struct ss_app_graph *entry = app->graphs;
    for (; entry && entry->name && status == SS_OK; entry++)
        status = add_graph(made, entry->name,
            entry->define ? define_plain : NULL, (void *)entry, error);
    if (status == SS_OK && app->build)
        status = run_build(made, app->build, arg, error);
    if (status == SS_OK && made->roots.count == 0)
        status =
            ss_error_set(error, SS_EINVAL, "the application defines no graph");
    if (status == SS_OK)
        *ret_application = made;
    else
        ss_application_destroy(&made);
    return status;
}

void ss_application_destroy(struct ss_application **application)
{
    struct ss_application *old = *application;
    if (!old)
        return;
    *application = NULL;
    ss_map_fini(&old->roots, free_root);
    ss_free(old->version);
    ss_free(old);
}

// ------------------------------------------------------------------ look-ups

size_t ss_application_count(const struct ss_application *application)
{
    return application->roots.count;
}

const struct ss_root_graph *ss_application_graph(
    const struct ss_application *application, size_t index)
{
    const struct ss_map_entry *entry = application->roots.first;
    while (entry && index-- > 0)
        entry = entry->next;
    return entry ? entry->value : NULL;
}

const struct ss_root_graph *ss_application_find(
    const struct ss_application *application, const char *name)
{
    return ss_map_get(&application->roots, name);
}

const struct ss_bound_graph *ss_application_bound(
    const struct ss_root_graph *root, const char *inner)
{
    return ss_map_get(&root->bound, inner);
}

const char *ss_application_version(const struct ss_application *application)
{
    return application->version;
}
