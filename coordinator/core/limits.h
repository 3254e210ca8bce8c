// limits.h - the bounds of the coordinator's core, each with its reason.
#ifndef SS_CORE_LIMITS_H
#define SS_CORE_LIMITS_H

enum {
    // Threads that the codec remembers before it is worth while to look for
    // those that the engine has forgotten.
    SS_STORE_CODEC_TIDY_MIN = 1024,
};

#endif
