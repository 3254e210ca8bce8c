// startup_warnings.h - doubts about how a program was started, which do not
// stop it.
#ifndef SS_APP_STARTUP_WARNINGS_H
#define SS_APP_STARTUP_WARNINGS_H

#include "common/app/settings.h"
#include "common/model/finding.h"

enum {
    // An environment with more of them has another fault, and a log is for
    // people.
    SS_STARTUP_WARNINGS_VARIABLES_MAX = 16,
};

// Variables that begin as settings do (SS_SETTINGS_PREFIX) and that no program
// takes: mistyped, most likely, and without effect. Not those of our Compose
// file and tests, nor what container engines set for a service of that name.
void ss_startup_warnings_variables(ss_finding_fn *found, void *ctx);
// Secrets that others on this machine could read: our own key in `keys`, of one
// of `roles` (bits; `keys` NULL or "": none), and the files that settings were
// read from.
void ss_startup_warnings_exposed(const struct ss_settings *of, const char *keys,
    unsigned roles, ss_finding_fn *found, void *ctx);
// Both, as warnings in the log, with what to do.
void ss_startup_warnings_log(
    const struct ss_settings *of, const char *keys, unsigned roles);

#endif
