// mermaid.c - a picture as Mermaid text (spec/graph.md 5.2).
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/model/draw.h"
#include "common/model/value.h"

enum { WORDS_IN_LINE = 9 };

struct text {
    struct ss_buf buf;
    const struct ss_drawing *drawing;
    bool has_styles;
    size_t first; // the node that is drawn as entry, or SS_NONE
    size_t last;
    char **prefixes; // of each edge: what its two ids have in common
    struct ss_map opened;
};

// Letters, digits, _ and - stand for themselves, others for their code point.
static void emit_id(struct ss_buf *buf, const char *id)
{
    const unsigned char *at = (const unsigned char *)id;
    while (*at) {
        uint32_t c = *at++;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (is_plain) {
            ss_buf_addf(buf, "%c", (int)c);
            continue;
        }
        int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
        c &= more == 3 ? 0x07u : more == 2 ? 0x0fu : more == 1 ? 0x1fu : 0xffu;
        while (more-- > 0 && *at)
            c = c << 6 | (*at++ & 0x3fu);
        ss_buf_addf(buf, "\\%x", c);
    }
}

static void emit_escaped(struct ss_buf *buf, const char *text)
{
    static const char special[] = "#[](){}\"<>|";
    static const char *const entities[] = {"#35;", "#91;", "#93;", "#40;",
        "#41;", "#123;", "#125;", "#quot;", "#60;", "#62;", "#124;"};
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found)
            ss_buf_add_str(buf, entities[found - special]);
        else
            ss_buf_add(buf, text, 1);
    }
}

// Texts, numbers and truth values, as Python shows them.
static bool emit_scalar(struct ss_buf *buf, const json_t *json)
{
    if (json_is_string(json)) {
        emit_escaped(buf, json_string_value(json));
    } else if (json_is_boolean(json)) {
        ss_buf_add_str(buf, json_is_true(json) ? "True" : "False");
    } else if (json_is_number(json)) {
        char *text = ss_json_text(json);
        ss_buf_add_str(buf, text);
        ss_free(text);
    } else {
        return false;
    }
    return true;
}

static bool emit_metadata_value(struct ss_buf *buf, const json_t *json)
{
    if (!json_is_array(json))
        return emit_scalar(buf, json);
    for (size_t i = 0; i < json_array_size(json); i++) {
        if (i > 0)
            ss_buf_add_str(buf, ", ");
        if (!emit_scalar(buf, json_array_get(json, i)))
            return false;
    }
    return true;
}

static void emit_metadata(struct ss_buf *buf, json_t *metadata)
{
    bool is_first = true;
    for (void *at = json_object_iter(metadata); at;
         at = json_object_iter_next(metadata, at)) {
        struct ss_buf value;
        ss_buf_init(&value, SIZE_MAX);
        if (emit_metadata_value(&value, json_object_iter_value(at))) {
            ss_buf_add_str(buf, is_first ? "<hr/><small><em>" : "\n");
            emit_escaped(buf, json_object_iter_key(at));
            ss_buf_addf(buf, " = %s", ss_buf_str(&value));
            is_first = false;
        }
        ss_buf_fini(&value);
    }
    if (!is_first)
        ss_buf_add_str(buf, "</em></small>");
}

static bool is_markdown(char c)
{
    return c == '*' || c == '_' || c == '`';
}

static void emit_node(struct text *text, size_t index)
{
    const struct ss_drawn_node *node = &text->drawing->nodes.items[index];
    bool is_round = index == text->first || index == text->last;
    const char *colon = strrchr(node->name, ':');
    const char *name = colon ? colon + 1 : node->name;
    size_t size = strlen(name);
    bool is_wrapped =
        size > 0 && is_markdown(name[0]) && is_markdown(name[size - 1]);
    ss_buf_add_str(&text->buf, "\t");
    emit_id(&text->buf, node->id);
    ss_buf_add_str(&text->buf, is_round ? "([" : "(");
    ss_buf_addf(&text->buf, is_wrapped ? "<p>%s</p>" : "%s", name);
    emit_metadata(&text->buf, node->metadata);
    ss_buf_addf(&text->buf, "%s%s\n", is_round ? "])" : ")",
        index == text->last    ? ":::last"
        : index == text->first ? ":::first"
                               : "");
}

// Long labels are broken every few words; blanks between words become one.
static void emit_label(struct ss_buf *buf, const char *label)
{
    size_t words = 0;
    for (const char *at = label; *at;) {
        at += strspn(at, " \t\n\r\f\v");
        size_t size = strcspn(at, " \t\n\r\f\v");
        words += size > 0;
        at += size;
    }
    if (words <= WORDS_IN_LINE) {
        ss_buf_add_str(buf, label);
        return;
    }
    size_t done = 0;
    for (const char *at = label; *at;) {
        at += strspn(at, " \t\n\r\f\v");
        size_t size = strcspn(at, " \t\n\r\f\v");
        if (size == 0)
            break;
        if (done > 0)
            ss_buf_add_str(
                buf, done % WORDS_IN_LINE == 0 ? "&nbsp<br>&nbsp" : " ");
        ss_buf_add(buf, at, size);
        done++;
        at += size;
    }
}

static void emit_edge(struct text *text, const struct ss_drawn_edge *edge)
{
    struct ss_buf *buf = &text->buf;
    ss_buf_add_str(buf, "\t");
    emit_id(buf, edge->source);
    if (edge->label) {
        ss_buf_add_str(buf, edge->is_conditional ? " -. &nbsp;" : " -- &nbsp;");
        emit_label(buf, edge->label);
        ss_buf_add_str(
            buf, edge->is_conditional ? "&nbsp; .-> " : "&nbsp; --> ");
    } else {
        ss_buf_add_str(buf, edge->is_conditional ? " -.-> " : " --> ");
    }
    emit_id(buf, edge->target);
    ss_buf_add_str(buf, ";\n");
}

// The components that stand at the same place in both ids. Gives.
static char *common_prefix(const char *a, const char *b)
{
    struct ss_buf buf;
    bool is_first = true;
    ss_buf_init(&buf, SIZE_MAX);
    while (true) {
        size_t x = strcspn(a, ":"), y = strcspn(b, ":");
        if (x == y && memcmp(a, b, x) == 0) {
            if (!is_first)
                ss_buf_add_str(&buf, ":");
            ss_buf_add(&buf, a, x);
            is_first = false;
        }
        if (!a[x] || !b[y])
            break;
        a += x + 1;
        b += y + 1;
    }
    char *prefix = ss_strdup(ss_buf_str(&buf));
    ss_buf_fini(&buf);
    return prefix;
}

static bool is_within(const char *id, const char *prefix)
{
    const char *colon = strrchr(id, ':');
    size_t size = strlen(prefix);
    return colon && (size_t)(colon - id) == size &&
           strncmp(id, prefix, size) == 0;
}

static void emit_nodes_within(struct text *text, const char *prefix)
{
    for (size_t i = 0; text->has_styles && i < text->drawing->nodes.count; i++)
        if (is_within(text->drawing->nodes.items[i].id, prefix))
            emit_node(text, i);
}

// Two blocks may not have one name: the second gets its whole path.
static void open_block(struct text *text, const char *prefix)
{
    const char *colon = strrchr(prefix, ':');
    const char *name = colon ? colon + 1 : prefix;
    ss_buf_add_str(&text->buf, "\tsubgraph ");
    if (ss_map_get(&text->opened, name))
        emit_id(&text->buf, prefix);
    else
        ss_buf_add_str(&text->buf, name);
    ss_buf_add_str(&text->buf, "\n");
    ss_map_put(&text->opened, name, text);
    emit_nodes_within(text, prefix);
}

// Is this edge the first one of its group?
static bool leads_group(const struct text *text, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(text->prefixes[i], text->prefixes[index]) == 0)
            return false;
    return true;
}

static void emit_group(struct text *text, const char *prefix)
{
    const struct ss_drawing *drawing = text->drawing;
    size_t size = strlen(prefix), count = 0;
    bool is_loop = false;
    for (size_t i = 0; i < drawing->edges.count; i++)
        if (strcmp(text->prefixes[i], prefix) == 0) {
            const struct ss_drawn_edge *edge = &drawing->edges.items[i];
            is_loop = count++ == 0 && strcmp(edge->source, edge->target) == 0;
        }
    bool is_block = size > 0 && !is_loop;
    if (is_block)
        open_block(text, prefix);
    for (size_t i = 0; i < drawing->edges.count; i++)
        if (strcmp(text->prefixes[i], prefix) == 0)
            emit_edge(text, &drawing->edges.items[i]);
    for (size_t i = 0; size > 0 && i < drawing->edges.count; i++) {
        const char *nested = text->prefixes[i];
        if (leads_group(text, i) && strncmp(nested, prefix, size) == 0 &&
            nested[size] == ':' && !strchr(nested + size + 1, ':'))
            emit_group(text, nested);
    }
    if (is_block)
        ss_buf_add_str(&text->buf, "\tend\n");
}

// Has the group around this one edges of its own, so that it shows it?
static bool is_shown_by_parent(const struct text *text, const char *prefix)
{
    const char *colon = strrchr(prefix, ':');
    if (!colon)
        return false;
    size_t size = (size_t)(colon - prefix);
    for (size_t i = 0; i < text->drawing->edges.count; i++)
        if (strlen(text->prefixes[i]) == size &&
            strncmp(text->prefixes[i], prefix, size) == 0)
            return true;
    return false;
}

static void emit_groups(struct text *text)
{
    const struct ss_drawing *drawing = text->drawing;
    emit_group(text, "");
    for (size_t i = 0; i < drawing->edges.count; i++) {
        const char *prefix = text->prefixes[i];
        if (!*prefix || !leads_group(text, i) ||
            is_shown_by_parent(text, prefix))
            continue;
        emit_group(text, prefix);
        ss_map_put(&text->opened, prefix, text);
    }
    // Subgraphs without edges of their own.
    for (size_t i = 0; text->has_styles && i < drawing->nodes.count; i++) {
        const char *id = drawing->nodes.items[i].id;
        size_t size = strcspn(id, ":");
        if (!id[size] || strchr(id + size + 1, ':'))
            continue;
        char *prefix = ss_memdup(id, size);
        if (!ss_map_get(&text->opened, prefix)) {
            open_block(text, prefix);
            ss_buf_add_str(&text->buf, "\tend\n");
        }
        ss_free(prefix);
    }
}

char *ss_graph_mermaid(struct ss_graph *graph, bool styles, int xray)
{
    struct ss_drawing drawing;
    if (!ss_drawing_init(&drawing, graph, xray))
        return NULL;
    size_t edges = drawing.edges.count;
    struct text text = {.drawing = &drawing,
        .has_styles = styles,
        .first = ss_drawing_first(&drawing, SS_NONE),
        .last = ss_drawing_last(&drawing, SS_NONE),
        .prefixes = ss_zalloc(edges + 1, sizeof(*text.prefixes))};
    for (size_t i = 0; i < edges; i++)
        text.prefixes[i] = common_prefix(
            drawing.edges.items[i].source, drawing.edges.items[i].target);
    ss_buf_init(&text.buf, SIZE_MAX);
    if (styles)
        ss_buf_add_str(
            &text.buf, "---\nconfig:\n  flowchart:\n    curve: linear\n---\n");
    ss_buf_add_str(&text.buf, "graph TD;\n");
    for (size_t i = 0; styles && i < drawing.nodes.count; i++)
        if (!strchr(drawing.nodes.items[i].id, ':'))
            emit_node(&text, i);
    emit_groups(&text);
    if (styles)
        ss_buf_add_str(&text.buf,
            "\tclassDef default fill:#f2f0ff,line-height:1.2\n"
            "\tclassDef first fill-opacity:0\n"
            "\tclassDef last fill:#bfb6fc\n");
    for (size_t i = 0; i < edges; i++)
        ss_free(text.prefixes[i]);
    ss_free(text.prefixes);
    ss_map_fini(&text.opened, NULL);
    ss_drawing_fini(&drawing);
    return ss_buf_steal(&text.buf, NULL);
}
