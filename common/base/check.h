// check.h - what must be true, in release builds too.
//
// A failed check is a bug of ours. The process stops at once: all that it had
// acknowledged is in the journal, and recovery is tested (docs/decisions/0001).
#ifndef SS_BASE_CHECK_H
#define SS_BASE_CHECK_H

_Noreturn void ss_check_failed(const char *what, const char *file, int line);

// A function call, not a macro that vanishes: stays on in release builds.
#define ss_check(claim)                                                        \
    ((claim) ? (void)0 : ss_check_failed(#claim, __FILE__, __LINE__))

#define ss_unreachable() ss_check_failed("unreachable", __FILE__, __LINE__)

#endif
