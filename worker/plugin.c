// plugin.c - dlopen, and errors that say what to do.
#include "worker/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

static int check_file(const char *path, struct ss_error *error)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return ss_error_set(error, errno == ENOENT ? SS_ENOTFOUND : SS_EIO,
            "application %s: %s", path, strerror(errno));
    if (S_ISDIR(facts.st_mode))
        return ss_error_set(error, SS_EFORMAT,
            "application %s is a folder, not a shared object", path);
    if (access(path, R_OK) != 0)
        return ss_error_set(
            error, SS_EIO, "application %s: %s", path, strerror(errno));
    return SS_OK;
}

static int explain(const char *path, const char *file, const char *reason,
    struct ss_error *error)
{
    // "FILE: undefined symbol: x": the message has the path already.
    size_t size = strlen(file);
    if (strncmp(reason, file, size) == 0 && reason[size] == ':')
        reason += size + 1 + (reason[size + 1] == ' ');
    if (strstr(reason, "undefined symbol"))
        return ss_error_set(error, SS_EFORMAT,
            "application %s cannot be loaded: %s; link the library that has "
            "it, or build the application against this version's headers",
            path, reason);
    return ss_error_set(error, SS_EFORMAT,
        "application %s is not a shared object that can be loaded here: %s; "
        "build it with: cc -shared -fPIC",
        path, reason);
}

int ss_plugin_open(
    const char *path, const struct ss_app **ret_app, struct ss_error *error)
{
    int status = check_file(path, error);
    if (status != SS_OK)
        return status;
    // Without a slash dlopen() would look in the system's folders.
    char *file = strchr(path, '/') ? ss_strdup(path) : ss_format("./%s", path);
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        status = explain(path, file, reason ? reason : "unknown reason", error);
    } else {
        const struct ss_app *app = dlsym(handle, "ss_app_descriptor");
        if (app)
            *ret_app = app;
        else
            status = ss_error_set(error, SS_EINVAL,
                "%s is not an application: it has no ss_app_descriptor; end it "
                "with SS_APP(SS_GRAPH(\"name\", function))",
                path);
    }
    ss_free(file);
    return status;
}
