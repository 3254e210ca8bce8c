// Any rows that a database gives back are a journal or a status, and whatever
// is a journal can be looked at from all sides.
//
// An input is the number of the first row, and then row by row
//
//   kind, parent row, base row, step          a byte each; 128 more in the
//   kind:
//                                             the body tells its columns
//   run, namespace, checkpoint, parent, source, metadata
//                                             a byte of size, and the text
//   body                                      two bytes of size, and the body
//
// Its rows lack what makes a chain of them: the hash of the body, the checksum
// of the row before. Who can write to the database can make these too, and a
// search would never find them.
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/pending.h"
#include "common/wire/row_impl.h"
#include "coordinator/core/journal_io.h"
#include "coordinator/store/store_actor.h"
#include "tests/support/journal_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 6, TEXT_SIZE_MAX = 255 };

struct input {
    const uint8_t *data;
    size_t size;
    size_t at;
};

struct texts {
    char items[TEXTS][TEXT_SIZE_MAX + 1];
};

static uint8_t next(struct input *input)
{
    return input->at < input->size ? input->data[input->at++] : 0;
}

static const uint8_t *next_bytes(
    struct input *input, size_t wanted, size_t *ret_size)
{
    size_t left = input->size - input->at;
    *ret_size = wanted < left ? wanted : left;
    const uint8_t *bytes = *ret_size > 0 ? input->data + input->at : NULL;
    input->at += *ret_size;
    return bytes;
}

static const char *next_text(struct input *input, char *ret_text)
{
    size_t size;
    const uint8_t *bytes = next_bytes(input, next(input), &size);
    if (size > 0)
        memcpy(ret_text, bytes, size);
    ret_text[size] = '\0';
    return ret_text;
}

// The body with its hash behind it. Gives.
static uint8_t *next_body(struct input *input, size_t *ret_size)
{
    size_t size = next(input), given;
    size |= (size_t)next(input) << 8;
    const uint8_t *bytes = next_bytes(input, size, &given);
    uint8_t *body = ss_alloc(given + SS_ROW_CHECK_SIZE);
    if (given > 0)
        memcpy(body, bytes, given);
    uint64_t hash = ss_hash64(body, given);
    body[given] = SS_ROW_CHECK_KEY;
    for (size_t i = 0; i < 8; i++)
        body[given + 1 + i] = (uint8_t)(hash >> (8 * i));
    *ret_size = given + SS_ROW_CHECK_SIZE;
    return body;
}

// The next row into the journal: false where it was refused.
static bool load(struct input *input, struct ss_journal *journal, uint64_t seq,
    uint64_t *checksum)
{
    struct texts texts;
    struct ss_error error = {0};
    struct ss_store_row row = {.thread = "t",
        .seq = seq,
        .format = 1,
        .checksum = *checksum,
        .wall_us = (int64_t)seq};
    row.kind = next(input);
    if (row.kind >= 128)
        row.format = SS_ROW_FORMAT_10;
    row.kind &= 127;
    row.parent_seq = next(input);
    row.base_seq = next(input);
    row.step = next(input);
    if (row.step > INT8_MAX)
        row.step -= 256;
    row.run = next_text(input, texts.items[0]);
    row.ns = next_text(input, texts.items[1]);
    row.checkpoint_id = next_text(input, texts.items[2]);
    row.parent_id = next_text(input, texts.items[3]);
    row.source = next_text(input, texts.items[4]);
    row.metadata = next_text(input, texts.items[5]);
    if (row.metadata[0] == '\0')
        row.metadata = NULL;
    uint8_t *body = next_body(input, &row.body_size);
    row.body = body;
    uint64_t head = ss_journal_head(journal);
    int status = journal_load_row(journal, &row, checksum, &error);
    ss_check(ss_journal_head(journal) == (status == SS_OK ? seq : head));
    ss_check(status == SS_OK || error.message[0] != '\0');
    ss_free(body);
    return status == SS_OK;
}

static void look_at(
    struct ss_journal *journal, struct ss_checkpoint_entry *mark)
{
    struct ss_pendings pending = {0};
    ss_journal_pending(mark, mark->row->run, &pending);
    for (size_t i = 0; i < pending.count; i++)
        ss_check(pending.items[i].write.value != NULL);
    ss_pendings_fini(&pending);
    struct ss_checkpoint *checkpoint = ss_journal_fold(journal, mark);
    if (checkpoint)
        ss_check(strcmp(checkpoint->id, mark->row->checkpoint_id) == 0);
    ss_checkpoint_unref(checkpoint);
    ss_journal_run(journal, mark->row->run);
}

static void look_around(struct ss_journal *journal)
{
    size_t spaces, count;
    const char *const *names = ss_journal_namespaces(journal, &spaces);
    bool is_sound = ss_journal_check(journal, NULL) == SS_OK;
    for (size_t i = 0; i < spaces; i++) {
        struct ss_checkpoint_entry *const *marks =
            ss_journal_list(journal, names[i], &count);
        for (size_t m = 0; m < count; m++) {
            ss_check(m == 0 || strcmp(marks[m - 1]->row->checkpoint_id,
                                   marks[m]->row->checkpoint_id) < 0);
            look_at(journal, marks[m]);
        }
        struct ss_checkpoint_entry *newest =
            ss_journal_find(journal, names[i], NULL);
        ss_check(newest == marks[count - 1]);
        struct ss_checkpoint *folded = ss_journal_fold(journal, newest);
        ss_check(!is_sound || folded);
        ss_checkpoint_unref(folded);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    if (!is_set_up++)
        ss_value_setup();
    struct input input = {.data = size > 0 ? data : NULL, .size = size};
    struct ss_journal *journal = ss_journal_new();
    uint64_t seq = (uint64_t)next(&input) + 1, checksum = 0;
    while (input.at < input.size && load(&input, journal, seq, &checksum))
        seq++;
    look_around(journal);
    ss_journal_destroy(&journal);
    return 0;
}
