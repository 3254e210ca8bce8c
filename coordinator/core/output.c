// output.c - the outputs of a step, in order.
//
// Bytes and names of peers are in one buffer, which moves while it grows: an
// output knows their offsets, which the end of the step turns into pointers.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/core/core_impl.h"
#include "coordinator/core/limits.h"

static void output_free_texts(struct ss_core_out *out)
{
    for (size_t i = 0; i < out->texts.count; i++)
        ss_free(out->texts.items[i]);
    out->texts.count = 0;
}

void ss_core_out_begin(struct ss_core *core)
{
    struct ss_core_out *out = &core->out;
    output_free_texts(out);
    out->items.count = out->places.count = 0;
    if (out->bytes.capacity > SS_CORE_BYTES_KEPT)
        ss_buf_fini(&out->bytes);
    if (out->bytes.size_max == 0)
        ss_buf_init(&out->bytes, SIZE_MAX / 4);
    ss_buf_reset(&out->bytes);
}

void ss_core_out_end(struct ss_core *core, struct ss_core_outputs *ret)
{
    struct ss_core_out *out = &core->out;
    for (size_t i = 0; i < out->items.count; i++) {
        struct ss_core_output *it = &out->items.items[i];
        if (it->type != SS_CORE_SEND)
            continue;
        it->peer = out->bytes.data + out->places.items[i].peer;
        it->bytes = out->bytes.data + out->places.items[i].bytes;
    }
    ret->items = out->items.items;
    ret->count = out->items.count;
}

void ss_core_out_fini(struct ss_core *core)
{
    struct ss_core_out *out = &core->out;
    output_free_texts(out);
    SS_VEC_FINI(&out->texts);
    SS_VEC_FINI(&out->items);
    SS_VEC_FINI(&out->places);
    ss_buf_fini(&out->bytes);
}

static void output_add(struct ss_core *core, struct ss_core_output output,
    struct ss_core_place place)
{
    SS_VEC_PUSH(&core->out.items, output);
    SS_VEC_PUSH(&core->out.places, place);
}

size_t ss_core_output_size(const struct ss_core_output *output)
{
    return output->size + output->orders * sizeof(struct ss_attempt);
}

void ss_core_out_send(
    struct ss_core *core, const char *peer, struct ss_core_output output)
{
    struct ss_buf *all = &core->out.bytes;
    struct ss_core_place place = {.peer = all->size};
    ss_buf_add(all, peer, strlen(peer) + 1);
    place.bytes = all->size;
    ss_buf_add(all, output.bytes, ss_core_output_size(&output));
    output.type = SS_CORE_SEND;
    output_add(core, output, place);
}

void ss_core_out_submit(
    struct ss_core *core, enum ss_core_lane lane, struct ss_job *job)
{
    output_add(core,
        (struct ss_core_output){
            .type = SS_CORE_SUBMIT, .lane = lane, .job = job},
        (struct ss_core_place){0});
}

void ss_core_out_complain(struct ss_core *core)
{
    output_add(core, (struct ss_core_output){.type = SS_CORE_COMPLAIN},
        (struct ss_core_place){0});
}

// ------------------------------------------------------------------ lines

// A copy that lives as long as the step's outputs. NULL for NULL.
static const char *output_keep(struct ss_core *core, const char *text)
{
    char *copy = ss_strdup(text);
    if (copy)
        SS_VEC_PUSH(&core->out.texts, copy);
    return copy;
}

static void output_say(struct ss_core *core, enum ss_core_level level,
    const struct ss_core_subject *subject, const char *const about[2],
    const char *format, va_list args)
{
    struct ss_core_output output = {.type = SS_CORE_SAY, .level = level};
    if (level == SS_CORE_DEBUG && !core->options.says_debug)
        return;
    char line[SS_CORE_LINE_SIZE];
    vsnprintf(line, sizeof(line), format, args);
    output.text = output_keep(core, line);
    output.kind = output_keep(core, about[0]);
    output.who = output_keep(core, about[1]);
    if (subject) {
        output.subject.thread = output_keep(core, subject->thread);
        output.subject.run = output_keep(core, subject->run);
        output.subject.task = output_keep(core, subject->task);
        output.subject.epoch = subject->epoch;
    }
    output.is_counted = about[0] && !subject;
    output_add(core, output, (struct ss_core_place){0});
}

void ss_core_say(
    struct ss_core *core, enum ss_core_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    output_say(core, level, NULL, (const char *const[2]){0}, format, args);
    va_end(args);
}

void ss_core_say_about(struct ss_core *core, enum ss_core_level level,
    const struct ss_core_subject *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    output_say(core, level, subject, (const char *const[2]){0}, format, args);
    va_end(args);
}

void ss_core_say_seldom(struct ss_core *core, enum ss_core_level level,
    const struct ss_core_subject *subject, const char *kind, const char *who,
    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    output_say(
        core, level, subject, (const char *const[2]){kind, who}, format, args);
    va_end(args);
}
