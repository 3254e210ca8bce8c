// journal_index.c - the index over a journal's rows grows with each of them.
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/journal_impl.h"

_Static_assert(
    sizeof(struct ss_checkpoint_entry) <= 64, "what a checkpoint costs");

// --- freeing ----------------------------------------------------------------

static void mark_free(struct ss_checkpoint_entry *mark)
{
    ss_pending_fini(mark);
    ss_free(mark);
}

static void orphan_free(void *mark)
{
    mark_free(mark);
}

static void space_free(void *value)
{
    struct ss_namespace *space = value;
    for (size_t i = 0; i < space->marks.count; i++) {
        mark_free(space->marks.items[i]);
    }
    SS_VEC_FINI(&space->marks);
    ss_checkpoint_unref(space->folded);
    ss_free(space->ns);
    ss_free(space);
}

void ss_journal_index_fini(struct ss_journal_index *index)
{
    ss_map_fini(&index->spaces, space_free);
    ss_map_fini(&index->runs, ss_free);
    ss_map_fini(&index->orphans, orphan_free);
    SS_VEC_FINI(&index->names);
}

// --- looking up -------------------------------------------------------------

// The position of the first mark with an id of `id` or greater, and whether it
// has that one.
static size_t seek(
    const struct ss_namespace *space, const char *id, bool *ret_is_there)
{
    size_t low = 0;
    size_t high = space->marks.count;
    // most often it is the newest, or one that comes behind it
    int order =
        high > 0 ? strcmp(space->marks.items[high - 1]->row->checkpoint_id, id)
                 : -1;
    *ret_is_there = order == 0;
    if (order <= 0) {
        return high - (order == 0);
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(space->marks.items[middle]->row->checkpoint_id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_is_there =
        strcmp(space->marks.items[low]->row->checkpoint_id, id) == 0;
    return low;
}

size_t ss_namespace_position(const struct ss_namespace *space, const char *id)
{
    bool is_there;
    return seek(space, id, &is_there);
}

struct ss_checkpoint_entry *ss_namespace_find(
    const struct ss_namespace *space, const char *id)
{
    bool is_there;
    size_t at = seek(space, id, &is_there);
    return is_there ? space->marks.items[at] : NULL;
}

static char *orphan_key(const char *ns, const char *id)
{
    return ss_format("%s\n%s", ns, id);
}

// --- growing by a row -------------------------------------------------------

struct ss_namespace *ss_journal_index_space(
    const struct ss_journal_index *index, const char *ns)
{
    return ns[0] ? ss_map_get(&index->spaces, ns) : index->root;
}

static struct ss_namespace *space_of(
    struct ss_journal_index *index, const char *ns)
{
    struct ss_namespace *space = ss_journal_index_space(index, ns);
    if (!space) {
        space = ss_zalloc(1, sizeof(*space));
        space->ns = ss_strdup(ns);
        ss_map_put(&index->spaces, ns, space);
        index->root = ns[0] ? index->root : space;
        SS_VEC_PUSH(&index->names, space->ns);
    }
    return space;
}

static struct ss_run_rows *run_of(
    struct ss_journal_index *index, const char run[SS_UUID_SIZE])
{
    struct ss_run_rows *facts = index->newest;
    if (facts && ss_id_same(facts->id, run)) {
        return facts;
    }
    facts = ss_map_get(&index->runs, run);
    if (!facts) {
        facts = ss_zalloc(1, sizeof(*facts));
        ss_id_copy(facts->id, run);
        ss_map_put(&index->runs, run, facts);
        index->newest = facts;
    }
    return facts;
}

static void facts_add(struct ss_journal_index *index, const struct ss_row *row)
{
    const json_t *facts = json_object_get(row->end, "facts");
    if (json_is_object(facts)) {
        index->facts = facts;
        index->facts_seq = row->seq;
    }
}

static void run_add(struct ss_journal_index *index, const struct ss_row *row)
{
    if (!row->run[0]) {
        facts_add(index, row);
        return;
    }
    struct ss_run_rows *facts = run_of(index, row->run);
    if (facts->first_seq == 0) {
        facts->first_seq = row->seq;
    }
    if (row->ns[0]) {
        return;
    }
    // a later entry names the version of the graph that the run moved to
    if (row->entry &&
        (!facts->entry || json_object_get(row->entry, "moved_from"))) {
        facts->entry = row->entry;
    }
    if (row->end) {
        facts->end = row->end;
    }
}

static void run_add_mark(
    struct ss_journal_index *index, struct ss_checkpoint_entry *mark)
{
    if (!mark->row->run[0] || mark->row->ns[0]) {
        return;
    }
    struct ss_run_rows *facts = run_of(index, mark->row->run);
    if (!facts->last ||
        strcmp(facts->last->row->checkpoint_id, mark->row->checkpoint_id) < 0) {
        facts->last = mark;
    }
    if (mark->row->source == SS_SOURCE_LOOP) {
        facts->steps++;
    }
}

static struct ss_checkpoint_entry *mark_of(
    const struct ss_journal_index *index, const char *ns, const char *id)
{
    const struct ss_namespace *space = ss_journal_index_space(index, ns);
    return space ? ss_namespace_find(space, id) : NULL;
}

static void writes_add(struct ss_journal_index *index, const struct ss_row *row)
{
    struct ss_checkpoint_entry *mark = mark_of(index, row->ns, row->of);
    struct ss_checkpoint_entry *root =
        row->answer_of[0] ? mark_of(index, "", row->answer_of) : NULL;
    if (root && (root != mark || row->writes_count == 0)) {
        ss_pending_add(root, row);
    }
    if (row->writes_count == 0) {
        return;
    }
    if (!mark) {
        char *key = orphan_key(row->ns, row->of);
        mark = ss_map_get(&index->orphans, key);
        if (!mark) {
            mark = ss_zalloc(1, sizeof(*mark));
            ss_map_put(&index->orphans, key, mark);
        }
        ss_free(key);
    }
    ss_pending_add(mark, row);
}

static struct ss_checkpoint_entry *mark_new(
    struct ss_row *row, struct ss_checkpoint_entry *parent)
{
    struct ss_checkpoint_entry *mark = ss_zalloc(1, sizeof(*mark));
    ss_check(row->has_checkpoint && row->checkpoint_id[0]);
    mark->row = row;
    mark->whole = row->checkpoint.whole ? row : NULL;
    mark->parent = parent;
    return mark;
}

// Where reading its chain begins, and how many bytes are read from there.
static void mark_measure(
    const struct ss_journal *journal, struct ss_checkpoint_entry *mark)
{
    uint64_t last = mark->whole ? mark->whole->seq : mark->row->seq;
    mark->base_seq = mark->whole    ? last
                     : mark->parent ? mark->parent->base_seq
                                    : last;
    mark->bytes = ss_journal_bytes_from(journal, mark->base_seq, last);
}

static void orphan_adopt(
    struct ss_journal_index *index, struct ss_checkpoint_entry *mark)
{
    if (index->orphans.count == 0) {
        return;
    }
    char *key = orphan_key(mark->row->ns, mark->row->checkpoint_id);
    struct ss_checkpoint_entry *orphan = ss_map_remove(&index->orphans, key);
    ss_free(key);
    if (orphan) {
        ss_pending_move(mark, orphan);
        mark_free(orphan);
    }
}

// Put `mark` in its place. Only a checkpoint that a snapshot writes again goes
// between others.
static void mark_insert(const struct ss_journal *journal,
    struct ss_namespace *space, struct ss_checkpoint_entry *mark)
{
    size_t at = ss_namespace_position(space, mark->row->checkpoint_id);
    SS_VEC_PUSH(&space->marks, mark);
    for (size_t i = space->marks.count - 1; i > at; i--) {
        space->marks.items[i] = space->marks.items[i - 1];
    }
    space->marks.items[at] = mark;
    mark->order = at;
    mark_measure(journal, mark);
    for (size_t i = at + 1; i < space->marks.count; i++) {
        struct ss_checkpoint_entry *other = space->marks.items[i];
        other->order = i;
        if (!other->parent &&
            strcmp(other->row->parent_id, mark->row->checkpoint_id) == 0) {
            other->parent = mark;
        }
        mark_measure(journal, other);
    }
}

// A parent that is named with its row must be there, unless that row was
// deleted: then a snapshot may write it again.
static int parent_check(const struct ss_journal *journal,
    const struct ss_checkpoint_entry *mark, const struct ss_row *row,
    struct ss_error *error)
{
    if (row->parent_seq == 0) {
        return SS_OK;
    }
    const struct ss_row *parent = ss_journal_row(journal, row->parent_seq);
    bool gone = !parent && row->parent_seq < row->seq;
    bool there = parent && parent->has_checkpoint && mark &&
                 ss_id_same(parent->checkpoint_id, row->parent_id);
    if (gone || there) {
        return SS_OK;
    }
    return ss_error_set(error, SS_ECORRUPT,
        "journal: row %" PRIu64 ": row %" PRIu64
        " should hold its parent checkpoint %s, and does not",
        row->seq, row->parent_seq, row->parent_id);
}

// The mark of the row's parent; NULL: the index has none. One with a greater id
// did not exist when the row was written.
static struct ss_checkpoint_entry *parent_of(
    const struct ss_namespace *space, const struct ss_row *row)
{
    return space && row->parent_id[0] &&
                   strcmp(row->parent_id, row->checkpoint_id) < 0
               ? ss_namespace_find(space, row->parent_id)
               : NULL;
}

static int checkpoint_check(const struct ss_journal *journal,
    const struct ss_journal_index *index, const struct ss_row *row,
    struct ss_checkpoint_entry **ret_parent, struct ss_error *error)
{
    const struct ss_namespace *space = ss_journal_index_space(index, row->ns);
    *ret_parent = parent_of(space, row);
    int status = parent_check(journal, *ret_parent, row, error);
    if (status != SS_OK || !space || row->kind == SS_ROW_SNAPSHOT) {
        return status;
    }
    const struct ss_checkpoint_entry *last =
        space->marks.items[space->marks.count - 1];
    if (strcmp(row->checkpoint_id, last->row->checkpoint_id) <= 0) {
        return ss_error_set(error, SS_ECORRUPT,
            "journal: row %" PRIu64 ": checkpoint %s does not come after %s",
            row->seq, row->checkpoint_id, last->row->checkpoint_id);
    }
    return SS_OK;
}

// Its id comes after those that are there, but in a snapshot.
static void checkpoint_add(const struct ss_journal *journal,
    struct ss_journal_index *index, struct ss_row *row,
    struct ss_checkpoint_entry *parent)
{
    struct ss_namespace *space = space_of(index, row->ns);
    struct ss_checkpoint_entry *mark =
        row->kind == SS_ROW_SNAPSHOT
            ? ss_namespace_find(space, row->checkpoint_id)
            : NULL;
    if (mark) {
        mark->whole = row;
        mark_measure(journal, mark);
        return;
    }
    mark = mark_new(row, parent);
    mark_insert(journal, space, mark);
    run_add_mark(index, mark);
    orphan_adopt(index, mark);
    index->marks_count++;
}

int ss_journal_index_add(const struct ss_journal *journal,
    struct ss_journal_index *index, struct ss_row *row, struct ss_error *error)
{
    struct ss_checkpoint_entry *parent = NULL;
    if (row->has_checkpoint) {
        int status = checkpoint_check(journal, index, row, &parent, error);
        if (status != SS_OK) {
            return status;
        }
    }
    run_add(index, row);
    if (row->writes_count > 0 || row->answer_of[0]) {
        writes_add(index, row);
    }
    if (row->has_checkpoint) {
        checkpoint_add(journal, index, row, parent);
    }
    return SS_OK;
}

static bool mark_broken(const struct ss_checkpoint_entry *mark)
{
    return !mark->whole && !mark->parent && mark->row->parent_seq != 0;
}

int ss_journal_index_check(
    const struct ss_journal_index *index, struct ss_error *error)
{
    for (struct ss_map_entry *e = index->spaces.first; e; e = e->next) {
        const struct ss_namespace *space = e->value;
        for (size_t i = 0; i < space->marks.count; i++) {
            const struct ss_checkpoint_entry *mark = space->marks.items[i];
            if (mark_broken(mark)) {
                return ss_error_set(error, SS_ECORRUPT,
                    "journal: row %" PRIu64
                    ": checkpoint %s: its parent %s is gone",
                    mark->row->seq, mark->row->checkpoint_id,
                    mark->row->parent_id);
            }
        }
    }
    return SS_OK;
}
