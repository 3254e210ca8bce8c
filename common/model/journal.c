// journal.c - a thread's rows, and the index over them.
//
// The index is a function of the rows that are not void: it grows with each
// row, and is built anew when a row voids others. Invariants:
//   - checkpoints of a namespace stand in the order of their ids;
//   - a mark's parent, if the journal has it, is its `parent`;
//   - pending writes stand with the mark that they belong to, or, while the
//     journal has no such mark, with an orphan (a mark without a row).
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/journal_impl.h"

struct place {
    struct ss_row *row; // NULL: void
    size_t weight;      // bytes of memory that the row takes, about
    uint64_t end;       // bytes of all rows up to and with this one
};

struct index {
    struct ss_map spaces; // namespace -> struct ss_space *
    SS_VEC(const char *) names;
    struct ss_map runs;    // run -> struct ss_run_facts *
    struct ss_map orphans; // namespace, newline, id -> struct ss_mark *
    size_t marks_count;
};

struct ss_journal {
    uint64_t first_seq; // of places.items[0]
    SS_VEC(struct place) places;
    struct index index;
    size_t live_size; // bytes of the rows that are not void
};

// --- making and freeing -----------------------------------------------------

static void mark_free(struct ss_mark *mark)
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
    struct ss_space *space = value;
    for (size_t i = 0; i < space->marks.count; i++) {
        mark_free(space->marks.items[i]);
    }
    SS_VEC_FINI(&space->marks);
    ss_checkpoint_unref(space->folded);
    ss_free(space->ns);
    ss_free(space);
}

static void index_fini(struct index *index)
{
    ss_map_fini(&index->spaces, space_free);
    ss_map_fini(&index->runs, ss_free);
    ss_map_fini(&index->orphans, orphan_free);
    SS_VEC_FINI(&index->names);
}

struct ss_journal *ss_journal_new(void)
{
    return ss_zalloc(1, sizeof(struct ss_journal));
}

void ss_journal_destroy(struct ss_journal **journal)
{
    struct ss_journal *it = *journal;
    if (!it) {
        return;
    }
    *journal = NULL;
    index_fini(&it->index);
    for (size_t i = 0; i < it->places.count; i++) {
        ss_row_destroy(&it->places.items[i].row);
    }
    SS_VEC_FINI(&it->places);
    ss_free(it);
}

// --- places -----------------------------------------------------------------

uint64_t ss_journal_head(const struct ss_journal *journal)
{
    return journal->places.count == 0
               ? 0
               : journal->first_seq + journal->places.count - 1;
}

static const struct place *place_at(
    const struct ss_journal *journal, uint64_t seq)
{
    if (journal->places.count == 0 || seq < journal->first_seq ||
        seq > ss_journal_head(journal)) {
        return NULL;
    }
    return &journal->places.items[seq - journal->first_seq];
}

const struct ss_row *ss_journal_row(
    const struct ss_journal *journal, uint64_t seq)
{
    const struct place *place = place_at(journal, seq);
    return place ? place->row : NULL;
}

// Bytes that a reader who has row `from` passes up to row `to`.
static size_t bytes_between(
    const struct ss_journal *journal, uint64_t from, uint64_t to)
{
    const struct place *first = place_at(journal, from < to ? from : to);
    const struct place *last = place_at(journal, from < to ? to : from);
    ss_check(first && last);
    return (size_t)(last->end - first->end);
}

// --- looking up -------------------------------------------------------------

// Position of the first mark of `space` with an id of `id` or greater.
static size_t mark_position(const struct ss_space *space, const char *id)
{
    size_t low = 0;
    size_t high = space->marks.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(space->marks.items[middle]->id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct ss_mark *space_find(const struct ss_space *space, const char *id)
{
    size_t at = mark_position(space, id);
    if (at < space->marks.count &&
        strcmp(space->marks.items[at]->id, id) == 0) {
        return space->marks.items[at];
    }
    return NULL;
}

static const char *text(const char *maybe)
{
    return maybe ? maybe : "";
}

struct ss_mark *ss_journal_find(
    const struct ss_journal *journal, const char *ns, const char *id)
{
    const struct ss_space *space = ss_map_get(&journal->index.spaces, ns);
    if (!space) {
        return NULL;
    }
    if (id) {
        return space_find(space, id);
    }
    return space->marks.items[space->marks.count - 1];
}

struct ss_mark *ss_journal_before(
    const struct ss_journal *journal, const char *ns, const char *id)
{
    const struct ss_space *space = ss_map_get(&journal->index.spaces, ns);
    size_t at = space ? mark_position(space, id) : 0;
    return at > 0 ? space->marks.items[at - 1] : NULL;
}

struct ss_mark *const *ss_journal_list(
    const struct ss_journal *journal, const char *ns, size_t *ret_count)
{
    const struct ss_space *space = ss_map_get(&journal->index.spaces, ns);
    *ret_count = space ? space->marks.count : 0;
    return space ? space->marks.items : NULL;
}

const char *const *ss_journal_namespaces(
    const struct ss_journal *journal, size_t *ret_count)
{
    *ret_count = journal->index.names.count;
    return journal->index.names.items;
}

const struct ss_run_facts *ss_journal_run(
    const struct ss_journal *journal, const char *run)
{
    return ss_map_get(&journal->index.runs, run);
}

static char *orphan_key(const char *ns, const char *id)
{
    return ss_format("%s\n%s", ns, id);
}

const struct ss_pending **ss_journal_orphans(const struct ss_journal *journal,
    const char *ns, const char *id, size_t *ret_count)
{
    static const struct ss_mark none;
    char *key = orphan_key(ns, id);
    const struct ss_mark *orphan = ss_map_get(&journal->index.orphans, key);
    ss_free(key);
    return ss_journal_pending(orphan ? orphan : &none, ret_count);
}

// --- the index grows by a row -----------------------------------------------

static struct ss_space *space_of(struct index *index, const char *ns)
{
    struct ss_space *space = ss_map_get(&index->spaces, ns);
    if (!space) {
        space = ss_zalloc(1, sizeof(*space));
        space->ns = ss_strdup(ns);
        ss_map_put(&index->spaces, ns, space);
        SS_VEC_PUSH(&index->names, space->ns);
    }
    return space;
}

static struct ss_run_facts *run_of(struct index *index, const char *run)
{
    struct ss_run_facts *facts = ss_map_get(&index->runs, run);
    if (!facts) {
        facts = ss_zalloc(1, sizeof(*facts));
        memcpy(facts->id, run, strlen(run) + 1);
        ss_map_put(&index->runs, run, facts);
    }
    return facts;
}

static void run_add(struct index *index, const struct ss_row *row)
{
    if (!row->run[0]) {
        return;
    }
    struct ss_run_facts *facts = run_of(index, row->run);
    if (facts->first_seq == 0) {
        facts->first_seq = row->seq;
    }
    if (text(row->ns)[0]) {
        return;
    }
    // a later one says to which version of its graph it moved
    if (row->entry &&
        (!facts->entry || json_object_get(row->entry, "moved_from"))) {
        facts->entry = row->entry;
    }
    if (row->end) {
        facts->end = row->end;
    }
}

static void run_add_mark(struct index *index, struct ss_mark *mark)
{
    if (!mark->run[0] || mark->ns[0]) {
        return;
    }
    struct ss_run_facts *facts = run_of(index, mark->run);
    if (!facts->last || strcmp(facts->last->id, mark->id) < 0) {
        facts->last = mark;
    }
    if (strcmp(mark->source, "loop") == 0) {
        facts->steps++;
    }
}

static void answer_taken(struct index *index, const struct ss_row *row)
{
    const struct ss_space *root = ss_map_get(&index->spaces, "");
    struct ss_mark *mark = root ? space_find(root, row->answer_of) : NULL;
    if (mark) {
        ss_pending_answered(mark);
    }
}

static void writes_add(struct index *index, const struct ss_row *row)
{
    if (row->answer_of[0]) {
        answer_taken(index, row);
    }
    if (row->writes_count == 0) {
        return;
    }
    const struct ss_space *space = ss_map_get(&index->spaces, text(row->ns));
    struct ss_mark *mark = space ? space_find(space, row->of) : NULL;
    if (!mark) {
        char *key = orphan_key(text(row->ns), row->of);
        mark = ss_map_get(&index->orphans, key);
        if (!mark) {
            mark = ss_zalloc(1, sizeof(*mark));
            ss_map_put(&index->orphans, key, mark);
        }
        ss_free(key);
    }
    for (size_t i = 0; i < row->writes_count; i++) {
        ss_pending_add(mark, &row->writes[i], row->run, row->seq);
    }
}

static struct ss_mark *mark_new(
    const struct ss_space *space, struct ss_row *row)
{
    struct ss_mark *mark = ss_zalloc(1, sizeof(*mark));
    memcpy(mark->id, row->checkpoint_id, sizeof(mark->id));
    memcpy(mark->parent_id, row->parent_id, sizeof(mark->parent_id));
    memcpy(mark->run, row->run, sizeof(mark->run));
    memcpy(mark->source, row->source, sizeof(mark->source));
    mark->ns = space->ns;
    mark->step = row->step;
    mark->wall_us = row->wall_us;
    mark->metadata = row->metadata;
    mark->row = row;
    mark->whole = row->checkpoint.whole ? row : NULL;
    // A greater id is none that stood there when the row was written.
    if (strcmp(row->parent_id, row->checkpoint_id) < 0) {
        mark->parent = space_find(space, row->parent_id);
    }
    return mark;
}

// Where reading begins, and what is read until there.
static void mark_measure(const struct ss_journal *journal, struct ss_mark *mark)
{
    if (mark->whole) {
        mark->base_seq = mark->whole->seq;
        mark->bytes = 0;
        return;
    }
    mark->base_seq = mark->parent ? mark->parent->base_seq : mark->row->seq;
    mark->bytes = bytes_between(journal, mark->base_seq, mark->row->seq);
}

static void orphan_adopt(struct index *index, struct ss_mark *mark)
{
    if (index->orphans.count == 0) {
        return;
    }
    char *key = orphan_key(mark->ns, mark->id);
    struct ss_mark *orphan = ss_map_remove(&index->orphans, key);
    ss_free(key);
    if (orphan) {
        ss_pending_move(mark, orphan);
        mark_free(orphan);
    }
}

// Put `mark` in its place. Only one that is told again goes between others.
static void mark_insert(const struct ss_journal *journal,
    struct ss_space *space, struct ss_mark *mark)
{
    size_t at = mark_position(space, mark->id);
    SS_VEC_PUSH(&space->marks, mark);
    for (size_t i = space->marks.count - 1; i > at; i--) {
        space->marks.items[i] = space->marks.items[i - 1];
    }
    space->marks.items[at] = mark;
    mark->order = at;
    mark_measure(journal, mark);
    for (size_t i = at + 1; i < space->marks.count; i++) {
        struct ss_mark *other = space->marks.items[i];
        other->order = i;
        if (!other->parent && strcmp(other->parent_id, mark->id) == 0) {
            other->parent = mark;
        }
        mark_measure(journal, other);
    }
}

// A parent that is named with its row is there, unless that row was deleted: a
// snapshot may tell it again.
static int parent_check(const struct ss_journal *journal,
    const struct ss_space *space, const struct ss_row *row,
    struct ss_error *error)
{
    if (row->parent_seq == 0) {
        return SS_OK;
    }
    const struct ss_row *parent = ss_journal_row(journal, row->parent_seq);
    bool gone = !parent && row->parent_seq < row->seq;
    bool there = parent && parent->has_checkpoint && space &&
                 strcmp(parent->checkpoint_id, row->parent_id) == 0 &&
                 strcmp(row->parent_id, row->checkpoint_id) < 0 &&
                 space_find(space, row->parent_id);
    if (gone || there) {
        return SS_OK;
    }
    return ss_error_set(error, SS_ECORRUPT,
        "journal: row %" PRIu64 ": row %" PRIu64
        " should hold its parent checkpoint %s, and does not",
        row->seq, row->parent_seq, row->parent_id);
}

static int checkpoint_check(const struct ss_journal *journal,
    const struct index *index, const struct ss_row *row, struct ss_error *error)
{
    const struct ss_space *space = ss_map_get(&index->spaces, text(row->ns));
    int status = parent_check(journal, space, row, error);
    if (status != SS_OK || !space || row->kind == SS_ROW_SNAPSHOT) {
        return status;
    }
    const struct ss_mark *last = space->marks.items[space->marks.count - 1];
    if (strcmp(row->checkpoint_id, last->id) <= 0) {
        return ss_error_set(error, SS_ECORRUPT,
            "journal: row %" PRIu64 ": checkpoint %s does not come after %s",
            row->seq, row->checkpoint_id, last->id);
    }
    return SS_OK;
}

static void checkpoint_add(
    const struct ss_journal *journal, struct index *index, struct ss_row *row)
{
    struct ss_space *space = space_of(index, text(row->ns));
    struct ss_mark *mark = space_find(space, row->checkpoint_id);
    if (mark) {
        mark->whole = row;
        mark_measure(journal, mark);
        return;
    }
    mark = mark_new(space, row);
    mark_insert(journal, space, mark);
    run_add_mark(index, mark);
    orphan_adopt(index, mark);
    index->marks_count++;
}

static int index_add(const struct ss_journal *journal, struct index *index,
    struct ss_row *row, struct ss_error *error)
{
    if (row->has_checkpoint) {
        int status = checkpoint_check(journal, index, row, error);
        if (status != SS_OK) {
            return status;
        }
    }
    run_add(index, row);
    writes_add(index, row);
    if (row->has_checkpoint) {
        checkpoint_add(journal, index, row);
    }
    return SS_OK;
}

// --- rows that void others --------------------------------------------------

struct voided {
    struct place *place;
    struct ss_row *row;
};

struct voided_list {
    struct voided *items;
    size_t count;
    size_t capacity;
};

static void rows_take_out(struct ss_journal *journal, const struct ss_row *by,
    struct voided_list *list)
{
    uint64_t from =
        by->void_from > journal->first_seq ? by->void_from : journal->first_seq;
    for (uint64_t seq = from; seq <= by->void_seq; seq++) {
        struct place *place = &journal->places.items[seq - journal->first_seq];
        if (place->row) {
            SS_VEC_PUSH(
                list, (struct voided){.place = place, .row = place->row});
            place->row = NULL;
        }
    }
}

static bool mark_broken(const struct ss_mark *mark)
{
    return !mark->whole && !mark->parent && mark->row->parent_seq != 0;
}

// Each checkpoint's chain ends at a whole one or at the first.
static int index_check(const struct index *index, struct ss_error *error)
{
    for (struct ss_map_entry *e = index->spaces.first; e; e = e->next) {
        const struct ss_space *space = e->value;
        for (size_t i = 0; i < space->marks.count; i++) {
            const struct ss_mark *mark = space->marks.items[i];
            if (mark_broken(mark)) {
                return ss_error_set(error, SS_ECORRUPT,
                    "journal: row %" PRIu64
                    ": checkpoint %s: its parent %s is gone",
                    mark->row->seq, mark->id, mark->parent_id);
            }
        }
    }
    return SS_OK;
}

static int index_build(const struct ss_journal *journal, struct index *index,
    struct ss_error *error)
{
    for (size_t i = 0; i < journal->places.count; i++) {
        struct ss_row *row = journal->places.items[i].row;
        int status = row ? index_add(journal, index, row, error) : SS_OK;
        if (status != SS_OK) {
            return status;
        }
    }
    return index_check(index, error);
}

// The last row voids others: build the index anew, of what it leaves.
static int rows_void(
    struct ss_journal *journal, const struct ss_row *by, struct ss_error *error)
{
    struct voided_list list = {0};
    rows_take_out(journal, by, &list);
    struct index index = {0};
    int status = index_build(journal, &index, error);
    if (status == SS_OK) {
        struct index before = journal->index;
        journal->index = index;
        index = before;
    }
    index_fini(&index);
    for (size_t i = 0; i < list.count; i++) {
        struct voided *voided = &list.items[i];
        if (status == SS_OK) {
            journal->live_size -= voided->place->weight;
            ss_row_destroy(&voided->row);
        } else {
            voided->place->row = voided->row;
        }
    }
    SS_VEC_FINI(&list);
    return status;
}

// --- appending --------------------------------------------------------------

enum { ROW_PART_SIZE = 24 }; // of a write or a channel, beside its value

static size_t value_size(struct ss_value *value)
{
    size_t size = 0;
    if (value) {
        (void)ss_value_text(value, &size);
    }
    return size + ROW_PART_SIZE;
}

// Bytes of the encoded body; about so many, if it was not encoded yet.
static size_t row_size(const struct ss_row *row)
{
    if (row->size > 0) {
        return row->size;
    }
    size_t size = ROW_PART_SIZE;
    for (size_t i = 0; i < row->writes_count; i++) {
        size += value_size(row->writes[i].value);
    }
    for (size_t i = 0; i < row->checkpoint.channels_count; i++) {
        size += value_size(row->checkpoint.channels[i].value);
    }
    return size + row->checkpoint.seen_count * ROW_PART_SIZE;
}

// What the parts of a row take in memory, about, with what the allocator adds:
// a decoded value is about four times its text, beside its own head; names and
// ids stand in blocks of their own.
enum {
    WEIGHT_JSON = 48,    // a number, a text
    WEIGHT_OBJECT = 256, // with its table
    WEIGHT_MEMBER = 112, // beside key and value
    WEIGHT_NAME = 32,
    WEIGHT_VALUE = 112,
    WEIGHT_TEXT_TIMES = 4,
    WEIGHT_MARK = 192, // and what the run has in the index
};

static size_t json_weight(const json_t *json)
{
    size_t weight = json ? WEIGHT_JSON : 0;
    if (json_is_string(json)) {
        weight += json_string_length(json);
    }
    for (size_t i = 0; i < json_array_size(json); i++) {
        weight += sizeof(json) + json_weight(json_array_get(json, i));
    }
    json_t *object = (json_t *)json;
    for (void *at = json_object_iter(object); at;
         at = json_object_iter_next(object, at)) {
        weight += WEIGHT_MEMBER + json_weight(json_object_iter_value(at));
    }
    return weight + (json_is_object(json) ? WEIGHT_OBJECT : 0);
}

static size_t row_weight(const struct ss_row *row, size_t size)
{
    const struct ss_row_checkpoint *part = &row->checkpoint;
    size_t weight = sizeof(*row) + size * WEIGHT_TEXT_TIMES +
                    json_weight(row->metadata) + json_weight(row->entry) +
                    json_weight(row->end);
    weight += row->writes_count *
              (sizeof(*row->writes) + 2 * WEIGHT_NAME + WEIGHT_VALUE);
    weight += part->channels_count *
              (sizeof(*part->channels) + WEIGHT_NAME + WEIGHT_VALUE);
    weight += part->seen_count * (sizeof(*part->seen) + 2 * WEIGHT_NAME);
    for (size_t i = 0; i < row->events_count; i++) {
        weight += sizeof(*row->events) + json_weight(row->events[i].data);
    }
    return weight + (row->has_checkpoint ? WEIGHT_MARK : 0);
}

static int row_check(const struct ss_journal *journal, const struct ss_row *row,
    struct ss_error *error)
{
    uint64_t head = ss_journal_head(journal);
    if (journal->places.count > 0 && row->seq != head + 1) {
        return ss_error_set(error, SS_ECORRUPT,
            "journal: row %" PRIu64 " follows row %" PRIu64
            ": rows are missing or doubled",
            row->seq, head);
    }
    return ss_row_valid(row, error);
}

static void place_add(struct ss_journal *journal, struct ss_row *row)
{
    size_t count = journal->places.count;
    if (count == 0) {
        journal->first_seq = row->seq;
    }
    size_t size = row_size(row);
    struct place place = {
        .row = row,
        .weight = row_weight(row, size),
        .end = size + (count ? journal->places.items[count - 1].end : 0),
    };
    SS_VEC_PUSH(&journal->places, place);
    journal->live_size += place.weight;
}

static void place_remove(struct ss_journal *journal)
{
    struct place *last = &journal->places.items[--journal->places.count];
    journal->live_size -= last->weight;
}

int ss_journal_append(
    struct ss_journal *journal, struct ss_row *row, struct ss_error *error)
{
    int status = row_check(journal, row, error);
    if (status != SS_OK) {
        return status;
    }
    place_add(journal, row);
    if (row->kind == SS_ROW_VOID && row->void_seq >= journal->first_seq) {
        status = rows_void(journal, row, error);
    } else {
        status = index_add(journal, &journal->index, row, error);
    }
    if (status != SS_OK) {
        place_remove(journal);
    }
    return status;
}

// --- in full ----------------------------------------------------------------

static int mark_fold(struct ss_journal *journal, struct ss_mark *mark,
    struct ss_checkpoint **ret_checkpoint, struct ss_error *error)
{
    struct ss_space *space = ss_map_get(&journal->index.spaces, mark->ns);
    ss_check(space && space->marks.items[mark->order] == mark);
    return ss_space_fold(space, mark, ret_checkpoint, error);
}

struct ss_checkpoint *ss_journal_fold(
    struct ss_journal *journal, struct ss_mark *mark)
{
    struct ss_checkpoint *checkpoint = NULL;
    if (mark_fold(journal, mark, &checkpoint, NULL) != SS_OK) {
        return NULL;
    }
    return checkpoint;
}

int ss_journal_check(struct ss_journal *journal, struct ss_error *error)
{
    int status = index_check(&journal->index, error);
    size_t count = journal->index.names.count;
    for (size_t i = 0; i < count && status == SS_OK; i++) {
        struct ss_mark *head =
            ss_journal_find(journal, journal->index.names.items[i], NULL);
        struct ss_checkpoint *checkpoint = NULL;
        status = mark_fold(journal, head, &checkpoint, error);
        ss_checkpoint_unref(checkpoint);
    }
    return status;
}

size_t ss_journal_size(const struct ss_journal *journal)
{
    return sizeof(*journal) + journal->live_size +
           journal->places.count * sizeof(struct place) +
           journal->index.marks_count * sizeof(struct ss_mark);
}
