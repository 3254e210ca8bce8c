// journal.c - a thread's rows, each in its place, and the index over them.
//
// The index is a function of the rows that are not void: it grows with each
// row, and is built anew when a row voids others, or when rows are unpacked
// (journal_pack.c: whoever asks for one has them unpacked). Invariants:
//   - checkpoints of a namespace stand in the order of their ids;
//   - a mark's parent, if the journal has it, is its `parent`;
//   - pending writes stand with the mark that they belong to, or, while the
//     journal has no such mark, with an orphan (a mark without a row).
#include <inttypes.h>

#include "common/base/check.h"
#include "common/model/journal_impl.h"

// --- making and freeing -----------------------------------------------------

struct ss_journal *ss_journal_new(void)
{
    struct ss_journal *journal = ss_zalloc(1, sizeof(*journal));
    journal->index = ss_zalloc(1, sizeof(*journal->index));
    return journal;
}

void ss_journal_destroy(struct ss_journal **journal)
{
    struct ss_journal *it = *journal;
    if (!it) {
        return;
    }
    *journal = NULL;
    ss_journal_drop_rows(it);
    ss_free(it->packed);
    ss_free(it);
}

void ss_journal_drop_rows(struct ss_journal *journal)
{
    if (journal->index)
        ss_journal_index_fini(journal->index);
    ss_free(journal->index);
    journal->index = NULL;
    for (size_t i = 0; i < journal->places.count; i++) {
        ss_row_destroy(&journal->places.items[i].row);
    }
    SS_VEC_FINI(&journal->places);
    journal->live_size = 0;
}

// --- places -----------------------------------------------------------------

uint64_t ss_journal_head(const struct ss_journal *journal)
{
    size_t count =
        journal->packed ? journal->packed_count : journal->places.count;
    return count == 0 ? 0 : journal->first_seq + count - 1;
}

bool ss_journal_is_packed(const struct ss_journal *journal)
{
    return journal->packed != NULL;
}

// Rows and index, unpacked: as with a value, who looks has it decoded.
static struct ss_journal *opened(const struct ss_journal *journal)
{
    struct ss_journal *it = (struct ss_journal *)journal;
    if (it->packed) {
        ss_journal_unpack(it);
    }
    return it;
}

static const struct ss_namespace *space_of(
    const struct ss_journal *journal, const char *ns)
{
    return ss_journal_index_space(opened(journal)->index, ns);
}

static const struct ss_journal_place *place_at(
    const struct ss_journal *journal, uint64_t seq)
{
    if (seq == 0 || seq < journal->first_seq ||
        seq > ss_journal_head(journal)) {
        return NULL;
    }
    return &opened(journal)->places.items[seq - journal->first_seq];
}

const struct ss_row *ss_journal_row(
    const struct ss_journal *journal, uint64_t seq)
{
    const struct ss_journal_place *place = place_at(journal, seq);
    return place ? place->row : NULL;
}

size_t ss_journal_bytes_from(
    const struct ss_journal *journal, uint64_t from, uint64_t to)
{
    const struct ss_journal_place *first =
        place_at(journal, from < to ? from : to);
    const struct ss_journal_place *last =
        place_at(journal, from < to ? to : from);
    ss_check(first && last);
    bool is_first = first == journal->places.items;
    return (size_t)(last->end - (is_first ? 0 : first[-1].end));
}

// --- looking up -------------------------------------------------------------

struct ss_checkpoint_entry *ss_journal_find(
    const struct ss_journal *journal, const char *ns, const char *id)
{
    const struct ss_namespace *space = space_of(journal, ns);
    if (!space) {
        return NULL;
    }
    if (id) {
        return ss_namespace_find(space, id);
    }
    return space->marks.items[space->marks.count - 1];
}

struct ss_checkpoint_entry *ss_journal_before(
    const struct ss_journal *journal, const char *ns, const char *id)
{
    const struct ss_namespace *space = space_of(journal, ns);
    size_t at = space ? ss_namespace_position(space, id) : 0;
    return at > 0 ? space->marks.items[at - 1] : NULL;
}

struct ss_checkpoint_entry *const *ss_journal_list(
    const struct ss_journal *journal, const char *ns, size_t *ret_count)
{
    const struct ss_namespace *space = space_of(journal, ns);
    *ret_count = space ? space->marks.count : 0;
    return space ? space->marks.items : NULL;
}

const char *const *ss_journal_namespaces(
    const struct ss_journal *journal, size_t *ret_count)
{
    const struct ss_journal_index *index = opened(journal)->index;
    *ret_count = index->names.count;
    return index->names.items;
}

const struct ss_run_rows *ss_journal_run(
    const struct ss_journal *journal, const char *run)
{
    return ss_map_get(&opened(journal)->index->runs, run);
}

const struct ss_run_rows *ss_journal_newest_run(
    const struct ss_journal *journal)
{
    for (uint64_t seq = ss_journal_head(journal); seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (row && row->entry) {
            return ss_journal_run(journal, row->run);
        }
    }
    return NULL;
}

const json_t *ss_journal_facts(
    const struct ss_journal *journal, uint64_t *ret_seq)
{
    const struct ss_journal_index *index = opened(journal)->index;
    *ret_seq = index->facts_seq;
    return index->facts;
}

// --- rows that void others --------------------------------------------------

struct voided {
    struct ss_journal_place *place;
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
        struct ss_journal_place *place =
            &journal->places.items[seq - journal->first_seq];
        if (place->row) {
            SS_VEC_PUSH(
                list, (struct voided){.place = place, .row = place->row});
            place->row = NULL;
        }
    }
}

int ss_journal_index_build(const struct ss_journal *journal,
    struct ss_journal_index *index, struct ss_error *error)
{
    int status = SS_OK;
    for (size_t i = 0; i < journal->places.count && status == SS_OK; i++) {
        struct ss_row *row = journal->places.items[i].row;
        status = row ? ss_journal_index_add(journal, index, row, error) : SS_OK;
    }
    return status;
}

// The last row voids others: build the index anew, of what it leaves.
static int rows_void(
    struct ss_journal *journal, const struct ss_row *by, struct ss_error *error)
{
    struct voided_list list = {0};
    rows_take_out(journal, by, &list);
    struct ss_journal_index index = {0};
    int status = ss_journal_index_build(journal, &index, error);
    if (status == SS_OK) {
        status = ss_journal_index_check(&index, error);
    }
    if (status == SS_OK) {
        struct ss_journal_index before = *journal->index;
        *journal->index = index;
        index = before;
    }
    ss_journal_index_fini(&index);
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

void ss_journal_place_add(
    struct ss_journal *journal, struct ss_row *row, size_t size)
{
    size_t count = journal->places.count;
    struct ss_journal_place place = {
        .row = row,
        .weight = row ? ss_row_weight(row, size,
                            count ? journal->places.items[count - 1].row : NULL)
                      : 0,
        .end = size + (count ? journal->places.items[count - 1].end : 0),
    };
    SS_VEC_PUSH(&journal->places, place);
    journal->live_size += place.weight;
}

static void place_remove(struct ss_journal *journal)
{
    struct ss_journal_place *last =
        &journal->places.items[--journal->places.count];
    journal->live_size -= last->weight;
}

int ss_journal_append(
    struct ss_journal *journal, struct ss_row *row, struct ss_error *error)
{
    int status = row_check(opened(journal), row, error);
    if (status != SS_OK) {
        return status;
    }
    if (journal->places.count == 0) {
        journal->first_seq = row->seq;
    }
    ss_journal_place_add(journal, row, ss_row_size(row));
    if (row->kind == SS_ROW_VOID && row->void_seq >= journal->first_seq) {
        status = rows_void(journal, row, error);
    } else {
        status = ss_journal_index_add(journal, journal->index, row, error);
    }
    if (status != SS_OK) {
        place_remove(journal);
    }
    return status;
}

// --- in full ----------------------------------------------------------------

static int mark_fold(struct ss_journal *journal,
    struct ss_checkpoint_entry *mark, struct ss_checkpoint **ret_checkpoint,
    struct ss_error *error)
{
    struct ss_namespace *space =
        ss_journal_index_space(journal->index, mark->row->ns);
    ss_check(space && space->marks.items[mark->order] == mark);
    return ss_namespace_fold(space, mark, ret_checkpoint, error);
}

struct ss_checkpoint *ss_journal_fold(
    struct ss_journal *journal, struct ss_checkpoint_entry *mark)
{
    struct ss_checkpoint *checkpoint = NULL;
    if (mark_fold(journal, mark, &checkpoint, NULL) != SS_OK) {
        return NULL;
    }
    return checkpoint;
}

int ss_journal_check(struct ss_journal *journal, struct ss_error *error)
{
    int status = ss_journal_index_check(opened(journal)->index, error);
    size_t count = journal->index->names.count;
    for (size_t i = 0; i < count && status == SS_OK; i++) {
        struct ss_checkpoint_entry *head =
            ss_journal_find(journal, journal->index->names.items[i], NULL);
        struct ss_checkpoint *checkpoint = NULL;
        status = mark_fold(journal, head, &checkpoint, error);
        ss_checkpoint_unref(checkpoint);
    }
    return status;
}

size_t ss_journal_size(const struct ss_journal *journal)
{
    return sizeof(*journal) + journal->packed_size + journal->live_size +
           journal->places.count * sizeof(struct ss_journal_place) +
           (journal->index ? sizeof(*journal->index) +
                                 journal->index->marks_count *
                                     sizeof(struct ss_checkpoint_entry)
                           : 0);
}
