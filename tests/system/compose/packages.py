"""The packages for Debian, in containers that have nothing else of ours: what an
application needs to be built, and to be run.
"""

import os
import pathlib
import shutil
import tempfile

from engine import BASE, ROOT, Failure, run

BUILD = pathlib.Path(os.environ.get("SS_BIN_DIR", ROOT / "build/dev/bin")).parent
NAMES = ["superstep", "superstep-coordinator", "superstep-worker",
         "superstep-dev", "libsuperstep0"]

# The library has to be found without a word, and the functions of the worker by
# what it loads.
CALLER = """#include <stdio.h>
#include <superstep/client.h>
int main(void)
{
    struct ss_client_error error;
    struct ss_client *client;
    int status = ss_client_open(NULL, &client, &error);
    if (status == 0)
        ss_client_close(&client);
    puts("linked");
    return 0;
}
"""

# As the page on installation has it, and what units name is where they say.
PLAY = r"""set -eu
superstep-coordinator --db /tmp/first.db >/tmp/coordinator 2>&1 & first=$!
superstep-worker --app "$1" >/tmp/worker 2>&1 & second=$!
tries=0
until superstep graphs --names 2>/dev/null | grep -q '^hello$'; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { cat /tmp/coordinator /tmp/worker; exit 1; }
    sleep 0.1
done
superstep run hello --thread first --input '{"name": "Ada"}' ||
    { cat /tmp/coordinator /tmp/worker; exit 1; }
superstep state first | grep -q Ada
kill $first $second
cd /usr/lib/systemd/system
for unit in superstep-coordinator.service superstep-worker@.service; do
    program=$(sed -n 's/^ExecStart="\(.*\)"$/\1/p' "$unit")
    [ -x "$program" ] || { echo "$unit: no $program"; exit 1; }
done
application=$(sed -n 's/^Environment="SUPERSTEP_APP=\(.*\)"$/\1/p' \
    superstep-worker@.service)
for name in hello digest approval; do
    [ -s "$(printf %s "$application" | sed "s/%i/$name/")" ] ||
        { echo "no application $name"; exit 1; }
done
grep -q '^u superstep ' /usr/lib/sysusers.d/superstep-worker.conf
man=/usr/share/man/man1
ls $man/superstep.1* $man/superstep-worker.1* $man/superstep-coordinator.1* >/dev/null
"""

FILE = f"""FROM {BASE} AS dev
COPY superstep-dev_*.deb libsuperstep0_*.deb /packages/
RUN apt-get -q update && apt-get -q -o Dpkg::Options::=--force-unsafe-io install -y --no-install-recommends \\
    gcc /packages/*.deb
COPY hello.c caller.c /src/
WORKDIR /src
RUN cc -shared -fPIC -Wall -Wextra -Werror $(pkg-config --cflags superstep) \\
        hello.c -o hello.so \\
    && cc caller.c -o caller $(pkg-config --cflags --libs superstep) && ./caller
FROM {BASE}
COPY superstep_*.deb superstep-coordinator_*.deb superstep-worker_*.deb /packages/
RUN apt-get -q update && apt-get -q -o Dpkg::Options::=--force-unsafe-io install -y --no-install-recommends \\
    /packages/*.deb
COPY --from=dev /src/hello.so /tmp/
COPY play.sh /tmp/
RUN sh /tmp/play.sh /tmp/hello.so
"""


def trouble():
    """Why they cannot be tried here; None: they can."""
    if not shutil.which("dpkg-shlibdeps"):
        return "dpkg-dev is missing, which makes them"
    release = BASE.split(":")[1].split("-")[0]
    if release not in pathlib.Path("/etc/os-release").read_text():
        return f"they are built here for another Debian than {release}"
    return None


def play(engine):
    with tempfile.TemporaryDirectory(prefix="superstep-packages-") as folder:
        folder = pathlib.Path(folder)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B",
            folder)
        shutil.rmtree(folder / "_CPack_Packages")
        made = sorted(path.name.split("_")[0] for path in folder.glob("*.deb"))
        if made != sorted(NAMES):
            raise Failure(f"made were {made}")
        shutil.copy(ROOT / "examples/hello/hello.c", folder)
        (folder / "caller.c").write_text(CALLER)
        (folder / "play.sh").write_text(PLAY)
        (folder / "Dockerfile").write_text(FILE)
        engine.docker("build", "-q", "--network", "host", folder)
