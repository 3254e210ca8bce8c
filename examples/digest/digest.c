// digest.c - a folder of documents becomes a report, once a person agrees.
//
//     list --> measure --> judge --> summarize --> approve --> publish
//              (one task    |                         |
//               a document) |                         +--> the end: refused
//                 ^         v
//                 +------ split   documents of too many words, in halves
//
// Each document is a task of its own, on any worker; a task that was finished
// is never done again, whoever is killed meanwhile. The statistics are in
// text.c, files in documents.c, the report in report.c; trial.c serves the
// proof.
#include <superstep/superstep.h>

#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "report.h"
#include "text.h"
#include "trial.h"

#define DEFAULT_FOLDER "/usr/share/common-licenses"

static const char *folder_of(struct ss_task *task)
{
    const char *folder = ss_input_str(task, "folder");
    return folder ? folder : DEFAULT_FOLDER;
}

// Which documents are there?
static int list(struct ss_task *task)
{
    if (trial_begin(task, "-") != 0)
        return SS_FAILED;
    char why[256];
    json_t *documents = documents_list(folder_of(task), why);
    if (!documents)
        return ss_fail_final(task, "folder", "%s", why);
    return ss_update(task, json_pack("{s:o}", "documents", documents));
}

// Fan out: one task for each of them.
static int each_document(struct ss_route *route)
{
    json_t *documents = json_object_get(ss_state(route), "documents");
    size_t i;
    json_t *document;
    json_array_foreach (documents, i, document)
        ss_route_send(route, "measure", json_incref(document));
    return 0;
}

// The statistics of one document, or of a section of one.
static int measure(struct ss_task *task)
{
    const char *name = ss_input_str(task, "name");
    if (trial_begin(task, name) != 0)
        return SS_FAILED;
    char why[256];
    size_t size;
    char *text = documents_read(ss_input(task), &size, why);
    if (!text)
        return ss_fail(task, "document", "%s", why);
    json_t *measured = text_measure(text, size);
    free(text);
    json_object_set(measured, "piece", ss_input(task));
    return ss_update(task, json_pack("{s:{s:o}}", "measures", name, measured));
}

// The quality rule: no text that was not split has more words than a person
// reads in one sitting.
static int judge(struct ss_task *task)
{
    const struct trial *options = ss_ctx(task);
    if (trial_begin(task, "-") != 0)
        return SS_FAILED;
    json_t *too_long = json_array();
    const char *name;
    json_t *measured;
    json_object_foreach (ss_input_get(task, "measures"), name, measured) {
        json_int_t words =
            json_integer_value(json_object_get(measured, "words"));
        bool is_split =
            json_object_get(ss_input_get(task, "sections"), name) != NULL;
        if (words > options->words_max && !is_split)
            json_array_append(too_long, json_object_get(measured, "piece"));
    }
    return ss_update(task, json_pack("{s:o}", "too_long", too_long));
}

// Once more with what is too long, or on to the summary.
static int while_too_long(struct ss_route *route)
{
    json_t *too_long = json_object_get(ss_state(route), "too_long");
    size_t i;
    json_t *piece;
    json_array_foreach (too_long, i, piece)
        ss_route_send(route, "split", json_incref(piece));
    return json_array_size(too_long) > 0 ? 0 : ss_route_to(route, "summarize");
}

// "GPL-3" has the sections "GPL-3 §1" and "GPL-3 §2"; the first of these
// "GPL-3 §1.1" and "GPL-3 §1.2".
static json_t *section_of(
    json_t *piece, int number, json_int_t begin, json_int_t end)
{
    const char *name = json_string_value(json_object_get(piece, "name"));
    const char *mark = strstr(name, " §") ? "." : " §";
    json_t *section = json_copy(piece);
    json_object_set_new(
        section, "name", json_sprintf("%s%s%d", name, mark, number));
    json_object_set_new(section, "begin", json_integer(begin));
    json_object_set_new(section, "end", json_integer(end));
    return section;
}

// Halve a text where a paragraph ends, and have both measured. A text of one
// paragraph stays whole; that is remembered too, or we would ask for ever. It
// is measured once more, because what is measured leads on: where nothing else
// is split, nothing else would.
static int split(struct ss_task *task)
{
    const char *name = ss_input_str(task, "name");
    if (trial_begin(task, name) != 0)
        return SS_FAILED;
    char why[256];
    size_t size;
    char *text = documents_read(ss_input(task), &size, why);
    if (!text)
        return ss_fail(task, "document", "%s", why);
    json_int_t half = (json_int_t)text_middle(text, size);
    free(text);
    json_int_t begin = ss_input_int(task, "begin");
    json_int_t end = ss_input_int(task, "end");
    if (half > 0) {
        json_t *first = section_of(ss_input(task), 1, begin, begin + half);
        json_t *second = section_of(ss_input(task), 2, begin + half, end);
        ss_send_to(task, "measure", first);
        ss_send_to(task, "measure", second);
    } else {
        ss_send_to(task, "measure", json_incref(ss_input(task)));
    }
    return ss_update(
        task, json_pack("{s:{s:i}}", "sections", name, half > 0 ? 2 : 0));
}

static int summarize(struct ss_task *task)
{
    if (trial_begin(task, "-") != 0)
        return SS_FAILED;
    return ss_update(task, json_pack("{s:o}", "summary",
                               report_summary(ss_input_get(task, "documents"),
                                   ss_input_get(task, "measures"))));
}

// Ask a person. The answer may come tomorrow, to another process.
static int approve(struct ss_task *task)
{
    if (trial_begin(task, "-") != 0)
        return SS_FAILED;
    json_t *summary = ss_input_get(task, "summary");
    json_t *answer;
    json_t *question = json_pack("{s:s, s:O, s:O}", "question",
        "Publish the report? (true or false)", "documents",
        json_object_get(summary, "documents"), "words",
        json_object_get(summary, "words"));
    if (ss_interrupt(task, question, &answer) != 0)
        return SS_INTERRUPTED;
    return ss_update(
        task, json_pack("{s:b}", "approved", json_is_true(answer)));
}

static int if_approved(struct ss_route *route)
{
    bool approved = json_is_true(json_object_get(ss_state(route), "approved"));
    return ss_route_to(route, approved ? "publish" : SS_END);
}

// Writing the same report to the same path twice does no harm: so may a body
// that may run more than once.
static int publish(struct ss_task *task)
{
    const struct trial *options = ss_ctx(task);
    if (trial_begin(task, "-") != 0)
        return SS_FAILED;
    const char *path = ss_input_str(task, "report");
    if (!path)
        return ss_fail_final(task, "report",
            "the input names no report: {\"report\": \"/path/digest.md\"}");
    char *text = report_text(folder_of(task), options->words_max,
        ss_input_get(task, "summary"), ss_input_get(task, "documents"),
        ss_input_get(task, "measures"));
    int number = report_write(path, text);
    free(text);
    if (number != 0)
        return ss_fail(
            task, "report", "cannot write %s: %s", path, strerror(number));
    return ss_update(task, json_pack("{s:s}", "published", path));
}

static void define(struct ss_graph_def *graph, void *options)
{
    // What comes in, and what comes out.
    ss_key(graph, "folder", SS_STR);
    ss_key(graph, "report", SS_STR);
    ss_key(graph, "approved", SS_BOOL);
    ss_key(graph, "published", SS_STR);
    ss_key(graph, "summary", SS_DICT);
    // What is between. Many tasks write measures at once, so they merge.
    ss_key(graph, "documents", SS_LIST);
    ss_key(graph, "measures", SS_DICT, .reducer = SS_OR);
    ss_key(graph, "sections", SS_DICT, .reducer = SS_OR);
    ss_key(graph, "too_long", SS_LIST);
    ss_input_keys(graph, SS_ALL("folder", "report"));
    ss_output_keys(graph, SS_ALL("summary", "approved", "published"));

    ss_node(graph, "list", list, .ctx = options);
    ss_node(graph, "measure", measure, .ctx = options, .retry.attempts_max = 3);
    ss_node(graph, "judge", judge, .ctx = options);
    ss_node(graph, "split", split, .ctx = options, .retry.attempts_max = 3,
        .goes_to = SS_ALL("measure"));
    ss_node(graph, "summarize", summarize, .ctx = options);
    ss_node(graph, "approve", approve, .ctx = options);
    ss_node(graph, "publish", publish, .ctx = options, .retry.attempts_max = 3);

    ss_edge(graph, SS_START, "list");
    ss_branch(graph, "list", each_document, .map = "[\"measure\"]");
    ss_edge(graph, "measure", "judge");
    ss_branch(
        graph, "judge", while_too_long, .map = "[\"split\", \"summarize\"]");
    ss_edge(graph, "summarize", "approve");
    ss_branch(
        graph, "approve", if_approved, .map = "[\"publish\", \"__end__\"]");
    ss_edge(graph, "publish", SS_END);
}

static int build(struct ss_app_builder *app, const char *arg)
{
    static struct trial options;
    const char *complaint = trial_read(&options, arg);
    if (complaint)
        return ss_app_error(app, "%s", complaint);
    return ss_app_graph(app, "digest", define, &options);
}

SS_APP_BUILD("1", build)
