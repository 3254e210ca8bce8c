// finding.h - what `superstep doctor` can find wrong (finding.def).
#ifndef SS_MODEL_FINDING_H
#define SS_MODEL_FINDING_H

enum ss_finding {
#define X(id, name, remedy) SS_FINDING_##id,
#include "common/model/finding.def"
#undef X
    SS_FINDINGS_COUNT
};

// "clock", and what to do about it. Never NULL.
const char *ss_finding_name(enum ss_finding finding);
const char *ss_finding_remedy(enum ss_finding finding);

// Called for each finding; `text` says what is wrong and where, in a sentence
// without secrets.
typedef void ss_finding_fn(
    void *ctx, enum ss_finding finding, const char *text);

#endif
