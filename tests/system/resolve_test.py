"""A name that nobody resolves: it holds up what needs it, and nothing else."""

import os

import harness
from harness import BIN, LIB, World, expect

HELLO = LIB / "libhello.so"

# In place of the system's own: what looks up a name that ends in .held waits
# while the file is there.
HELD_NAMES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef int look_up_fn(const char *, const char *, const struct addrinfo *,
    struct addrinfo **);
int getaddrinfo(const char *name, const char *service,
    const struct addrinfo *hints, struct addrinfo **found)
{
    const char *path = getenv("HELD");
    if (name && strstr(name, ".held"))
        while (path && access(path, F_OK) == 0)
            usleep(10000);
    look_up_fn *look_up = (look_up_fn *)dlsym(RTLD_NEXT, "getaddrinfo");
    return look_up(name, service, hints, found);
}
"""


def held_names(world):
    source = world.path("held_names.c")
    source.write_text(HELD_NAMES, encoding="utf-8")
    return world.compile(source)


def test_a_worker_serves_one_coordinator_while_the_name_of_another_is_looked_up():
    with World() as world:
        held = world.path("held")
        held.touch()
        coordinator = world.coordinator()
        worker = world.start(
            "worker", "env", f"LD_PRELOAD={held_names(world)}",
            # A sanitizer would be the first library that is loaded.
            "ASAN_OPTIONS=verify_asan_link_order=0", f"HELD={held}",
            BIN / "superstep-worker", "--app", HELLO, "--connect",
            f"tcp://nobody.held:7433,{world.endpoint}")
        worker.wait_line(r"\bready\b", timeout=30)
        world.do("run", "hello", "--thread", "first", "--input",
                 '{"name": "Ada"}')
        # A coordinator that comes back is connected to again meanwhile.
        coordinator.kill()
        world.coordinator()
        world.do("run", "hello", "--thread", "second", "--input",
                 '{"name": "Ada"}')
        os.unlink(held)
        expect(worker.is_running(), worker.text())


if __name__ == "__main__":
    harness.main(globals())
