// saver.c - chooses between the savers for PostgreSQL and SQLite.
#include "client/saver/saver.h"

#include <string.h>
#include <unistd.h>

#include "client/saver/saver_impl.h"

static bool is_dsn(const char *where)
{
    return strncmp(where, "postgres://", 11) == 0 ||
           strncmp(where, "postgresql://", 13) == 0 ||
           (strchr(where, '=') && access(where, F_OK) != 0);
}

// "sqlite:FILE", as --store takes it; and where there is no such file
// "sqlite:///FILE", as SQLAlchemy writes one in this folder.
static const char *file_of(const char *where)
{
    if (strncmp(where, "sqlite:", 7) != 0 || access(where, F_OK) == 0)
        return where;
    const char *file = where + 7;
    bool is_here = strncmp(file, "///", 3) == 0 && access(file, F_OK) != 0 &&
                   access(file + 3, F_OK) == 0;
    return is_here ? file + 3 : file;
}

int ss_saver_weigh(size_t *weight, size_t size, struct ss_error *error)
{
    size_t left = SS_LANGGRAPH_SAVED_MAX - *weight;
    if (left < SS_LANGGRAPH_ROW_SIZE || size > left - SS_LANGGRAPH_ROW_SIZE)
        return ss_error_set(error, SS_ELIMIT,
            "its values and writes take over %zu bytes",
            SS_LANGGRAPH_SAVED_MAX);
    *weight += size + SS_LANGGRAPH_ROW_SIZE;
    return SS_OK;
}

int ss_saver_open(const char *where, bool to_write, struct ss_saver **ret_saver,
    struct ss_error *error)
{
    const char *file = file_of(where);
    if (!is_dsn(where) && strstr(file, "://") && access(file, F_OK) != 0)
        return ss_error_set(error, SS_EINVAL,
            "\"%.200s\" is neither postgres://USER@HOST/DATABASE nor a file",
            where);
    if (!is_dsn(where))
        return ss_saver_sqlite_open(file, to_write, ret_saver, error);
#ifdef SS_HAVE_POSTGRES
    return ss_saver_postgres_open(where, to_write, ret_saver, error);
#else
    return ss_error_set(error, SS_EINVAL,
        "this build has no PostgreSQL: build it again with libpq-dev there");
#endif
}

void ss_saver_close(struct ss_saver **saver)
{
    if (*saver)
        (*saver)->table->close(*saver);
    *saver = NULL;
}

int ss_saver_threads(
    struct ss_saver *saver, json_t **ret_threads, struct ss_error *error)
{
    return saver->table->threads(saver, ret_threads, error);
}

int ss_saver_read(struct ss_saver *saver, const char *thread,
    ss_saver_each_fn *each, void *ctx, struct ss_error *error)
{
    return saver->table->read(saver, thread, each, ctx, error);
}

enum ss_record_layout ss_saver_layout(const struct ss_saver *saver)
{
    return saver->table->layout;
}

int ss_saver_begin(struct ss_saver *saver, const char *thread, bool replace,
    struct ss_error *error)
{
    return saver->table->begin(saver, thread, replace, error);
}

int ss_saver_write(struct ss_saver *saver, const char *thread,
    const struct ss_record_rows *rows, struct ss_error *error)
{
    return saver->table->write(saver, thread, rows, error);
}

int ss_saver_commit(struct ss_saver *saver, struct ss_error *error)
{
    return saver->table->commit(saver, error);
}

void ss_saver_rollback(struct ss_saver *saver)
{
    saver->table->rollback(saver);
}
