// requests.h - what a client may ask a coordinator for (requests.def).
#ifndef SS_MODEL_REQUESTS_H
#define SS_MODEL_REQUESTS_H

enum ss_op {
#define R(OP, op, who, repeat, home, text, keys) SS_OP_##OP,
#include "common/model/requests.def"
#undef R
    SS_OPS // how many there are
};

// Who may ask for it where keys say who is who.
enum ss_op_who {
    SS_OP_FOR_CLIENTS, // and operators
    SS_OP_FOR_OPERATORS,
};

// What a client does that was sent no answer.
enum ss_op_repeat {
    SS_OP_REPEAT_RUN, // asks again by the run's id: it is the same run
    SS_OP_REPEAT_SAFE,
    SS_OP_REPEAT_ONCE, // says that nobody knows whether it was done
};

// Where it is answered.
enum ss_op_home {
    SS_OP_OF_THREAD,
    SS_OP_OF_RUN, // of its thread, which is looked up where none is named
    SS_OP_OF_CLUSTER,
    SS_OP_OF_PROCESS, // the coordinator's own: its engine does not know it
};

struct ss_op_row {
    enum ss_op op;
    enum ss_op_who who;
    enum ss_op_repeat repeat;
    enum ss_op_home home;
    const char *name;
    const char *text; // one line
    const char *keys; // what its body may hold: " graph thread ", or " "
};

const struct ss_op_row *ss_op_row(enum ss_op op);
// NULL: nothing is called so.
const struct ss_op_row *ss_op_by_name(const char *name);
// What to tell whoever sent a key that the op does not take: which ones are
// known, and the nearest of them. Gives.
char *ss_op_unknown_key(const struct ss_op_row *row, const char *key);
// The same of an object inside a body, which takes `keys` (" a b "). Gives.
char *ss_keys_unknown(const char *where, const char *key, const char *keys);

#endif
