// settings.h - the settings of programs: one table (config.def), a struct of
// values for each program, and where each value came from.
//
//     struct ss_coordinator_settings values;
//     struct ss_settings settings;
//     ss_settings_init(&settings, SS_SETTINGS_OF_COORDINATOR, &values);
//     struct ss_args args = {..., .items = settings.items};
//     int code = ss_args_run(&args, argc, argv);
#ifndef SS_APP_SETTINGS_H
#define SS_APP_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/app/args.h"

enum ss_settings_of {
    SS_SETTINGS_OF_COORDINATOR,
    SS_SETTINGS_OF_WORKER,
    SS_SETTINGS_OF_CLIENT,
};

// The prefix of all variables.
#define SS_SETTINGS_PREFIX "SUPERSTEP_"

// struct ss_coordinator_settings, ss_worker_settings, ss_client_settings: a
// field a row. Texts are borrowed from argv and the environment.
#define SS_SETTING_TEXT(field)  const char *field;
#define SS_SETTING_INT(field)   int64_t field;
#define SS_SETTING_FLAG(field)  bool field;
#define SS_SETTING_LIST(field)  struct ss_arg_list field;
#define X(of, kind, field, ...) SS_SETTING_OF_##of(SS_SETTING_##kind(field))

#define SS_SETTING_OF_COORDINATOR(x) x
#define SS_SETTING_OF_WORKER(x)
#define SS_SETTING_OF_CLIENT(x)
struct ss_coordinator_settings {
#include "common/app/config.def"
};
#undef SS_SETTING_OF_COORDINATOR
#undef SS_SETTING_OF_WORKER

#define SS_SETTING_OF_COORDINATOR(x)
#define SS_SETTING_OF_WORKER(x) x
struct ss_worker_settings {
#include "common/app/config.def"
};
#undef SS_SETTING_OF_WORKER
#undef SS_SETTING_OF_CLIENT

#define SS_SETTING_OF_WORKER(x)
#define SS_SETTING_OF_CLIENT(x) x
struct ss_client_settings {
#include "common/app/config.def"
};
#undef SS_SETTING_OF_COORDINATOR
#undef SS_SETTING_OF_WORKER
#undef SS_SETTING_OF_CLIENT
#undef X

// The defaults.
extern const struct ss_coordinator_settings ss_coordinator_initial;

enum { SS_SETTINGS_MAX = 32 }; // of one program: the rows of the table

struct ss_settings {
    enum ss_settings_of of;
    // Options over the values, with their origins; for ss_args, or as a part of
    // a table of them.
    struct ss_arg items[SS_SETTINGS_MAX + 1];
    struct ss_arg_origin origins[SS_SETTINGS_MAX];
    char *helps[SS_SETTINGS_MAX];
};

// `values`: the struct of the program `of`, borrowed; it is filled with the
// defaults. Neither struct may move from now on.
void ss_settings_init(
    struct ss_settings *settings, enum ss_settings_of of, void *values);
void ss_settings_fini(struct ss_settings *settings);
// This program does not take the setting `name`.
void ss_settings_hide(struct ss_settings *settings, const char *name);
// Where the value of a setting came from. The name must be in the table.
enum ss_arg_from ss_settings_from(
    const struct ss_settings *settings, const char *name);

// For `superstep show config`: [{name, value, unit, from, at}], where from is
// "default", "flag", "environment" or "file", and at the variable or the path.
// Of a secret the value says only whether there is one. Gives.
json_t *ss_settings_json(const struct ss_settings *settings);
// Set the final value in that list: the port that was taken, the name that was
// found. For a secret: a form without the secret. Takes `value`; a list that
// lacks the name is left as it is.
void ss_settings_note(json_t *list, const char *name, json_t *value);

// The files that secrets were read from (NAME_FILE in the environment), by
// index; NULL behind the last. Borrowed.
const char *ss_settings_secret_file(
    const struct ss_settings *settings, size_t index);

// The names of the options of a program, by index; NULL behind the last.
const char *ss_settings_name(enum ss_settings_of of, size_t index);

#endif
