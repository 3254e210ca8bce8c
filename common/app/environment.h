// environment.h - a setting from the environment, or from a file that it names.
//
// Secrets (a database's password in a DSN) should not stand in an environment,
// which every child inherits and every inspection shows: container engines give
// them as files. NAME_FILE names such a file in place of NAME.
#ifndef SS_APP_ENVIRONMENT_H
#define SS_APP_ENVIRONMENT_H

#include "common/base/status.h"

enum { SS_ENVIRONMENT_FILE_SIZE_MAX = 64 * 1024 }; // a setting is a line

// The value of the variable `name`, or the text of the file that NAME_FILE
// names, without the line ends behind it. *ret_value is NULL where neither is
// set (or both are empty), *ret_path where it is not a file's; borrowed, until
// the process ends. Errors: SS_EINVAL (both are set; the file cannot be read,
// is too long, or has NULs), naming the variable and the file.
int ss_environment_get(const char *name, const char **ret_value,
    const char **ret_path, struct ss_error *error) SS_MUST_USE;
// A copy of `text` to write to, until the process ends.
char *ss_environment_keep(const char *text);

#endif
