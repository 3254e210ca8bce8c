"""What deploy/ says is true: its settings are options of the programs, its
units are sound, its images are built with the packages that the project names.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import pathlib

import harness
from harness import BIN, ROOT, expect

DEPLOY = ROOT / "deploy"
# Settings of the client, and those that the compose file itself reads.
OTHERS = {"SUPERSTEP_COORDINATOR", "SUPERSTEP_PORT", "SUPERSTEP_PORT2",
          "SUPERSTEP_BIND", "SUPERSTEP_SECRETS", "SUPERSTEP_NAME"}


def variables(program):
    """The variables that a program reads, from its --help."""
    text = subprocess.run([BIN / program, "--help"], check=True, text=True,
                          capture_output=True).stdout
    names = re.findall(r"^ +(?:-\w, )?--([\w-]+)", text, re.M)
    return {"SUPERSTEP_" + name.upper().replace("-", "_") for name in names}


def test_each_setting_is_an_option():
    known = OTHERS | variables("superstep-coordinator") | variables(
        "superstep-worker")
    known |= {name + "_FILE" for name in known}
    count = 0
    for path in sorted(DEPLOY.rglob("*")):
        if not path.is_file() or "secrets" in path.relative_to(DEPLOY).parts:
            continue
        for name in re.findall(r"\bSUPERSTEP_[A-Z0-9_]+\b",
                               path.read_text(encoding="utf-8")):
            count += 1
            expect(name in known or name == "SUPERSTEP_",
                   f"{path.relative_to(ROOT)}: {name} is not a setting")
    expect(count > 10, "no settings were found")


def test_the_sdk_has_the_packages_of_the_build():
    setup = (ROOT / "tools/setup.sh").read_text(encoding="utf-8")
    wanted = re.search(r'packages_build="([^"]+)"', setup)[1].split()
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    sdk = text[text.index("AS tools"):text.index("AS runtime")]
    for package in wanted:
        expect(any(re.search(rf"\b{re.escape(name)}\b", sdk)
                   for name in package.split("|")),
               f"deploy/Dockerfile: the sdk lacks {package}")


def test_images_have_no_places_where_tests_stop_them():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    builds = re.findall(r"cmake --preset release[^&]*", text)
    expect(builds and all("-DSS_TESTS=OFF" in it for it in builds),
           "deploy/Dockerfile: an image is built with tests")
    with tempfile.TemporaryDirectory(prefix="superstep-build-") as folder:
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja",
                        "-DSS_TESTS=OFF"], check=True, capture_output=True)
        rules = (pathlib.Path(folder) / "build.ninja").read_text()
        expect("common/app/log.c" in rules, "no rule for log.c was found")
        expect("stop.c" not in rules and "SS_STOPS" not in rules,
               "a build without tests has the places")
    for room in ("common", "coordinator", "worker", "client", "local"):
        for path in sorted((ROOT / room).rglob("*.[ch]")):
            name = path.relative_to(ROOT).as_posix()
            expect(name in ("common/app/stop.c", "common/app/stop.h")
                   or "SUPERSTEP_TEST" not in path.read_text(encoding="utf-8"),
                   f"{name}: has a variable for tests of its own")


# docker and docker-compose for a script: they say what they were asked for.
STUB = """#!/bin/sh
echo "${0##*/} $*" >>"$STUBS/asked"
case "$1 $2 $3 $4" in
"version "*) echo 2.26.1 ;;
*" ps -a"*) echo one ;;
"inspect "*) echo "one /one $STATE running" ;;
"logs "*) echo "what it logged" ;;
esac
"""


class Stubs:
    """A copy of deploy/ with a Docker that does nothing; what it was asked."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        shutil.copytree(DEPLOY, self.folder / "deploy",
                        ignore=shutil.ignore_patterns("secrets", ".env"))
        for name in ("docker", "docker-compose"):
            (self.folder / name).write_text(STUB)
            (self.folder / name).chmod(0o755)

    def up(self, **environment):
        (self.folder / "asked").write_text("")
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            two.bind(("127.0.0.1", 0))
            environment = dict(
                {"SUPERSTEP_PORT": str(one.getsockname()[1]),
                 "SUPERSTEP_PORT2": str(two.getsockname()[1]),
                 "STATE": "healthy"}, **environment)
        path = f"{self.folder}:{BIN}:{os.environ['PATH']}"
        done = subprocess.run(
            [self.folder / "deploy/up.sh"], text=True, capture_output=True,
            check=False, env=dict(os.environ, STUBS=str(self.folder),
                                  PATH=path, **environment))
        return done, (self.folder / "asked").read_text()


def test_up_never_builds_an_image_of_the_users():
    ours = ["superstep-postgres", "superstep-coordinator", "superstep-sdk",
            "superstep-worker", "superstep-digest"]
    with tempfile.TemporaryDirectory(prefix="superstep-up-") as folder:
        stubs = Stubs(folder)
        done, asked = stubs.up()
        expect(done.returncode == 0 and "The cluster is up" in done.stdout,
               f"{done.stdout}{done.stderr}")
        expect(re.findall(r"^docker build -t (\S+)", asked, re.M) == ours, asked)
        # In the environment, and in the file that Compose reads.
        for name, count in (("WORKER_IMAGE", 2), ("POSTGRES_IMAGE", 4),
                            ("COORDINATOR_IMAGE", 4)):
            dotenv = stubs.folder / "deploy/.env"
            for text, given in (("", {name: "mine"}), (f'{name}="mine"\n', {})):
                dotenv.write_text(f"# yours\n{text}")
                asked = stubs.up(**given)[1]
                built = re.findall(r"^docker build -t (\S+)", asked, re.M)
                expect(len(built) == count and "mine" not in built,
                       f"{name}: {asked}")
            dotenv.unlink()


def test_up_says_first_which_port_is_taken():
    with tempfile.TemporaryDirectory(prefix="superstep-up-") as folder, \
            socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        stubs = Stubs(folder)
        for name in ("SUPERSTEP_PORT", "SUPERSTEP_PORT2"):
            done, asked = stubs.up(**{name: port})
            expect(done.returncode == 1 and f"port {port} of 127.0.0.1 is taken"
                   in done.stderr and f" {name}=" in done.stderr,
                   f"{name}: {done.stdout}{done.stderr}")
            expect(" build " not in asked and " up " not in asked, asked)
        # On another address it disturbs nobody.
        done, _ = stubs.up(SUPERSTEP_PORT=port, SUPERSTEP_BIND="127.0.0.9")
        expect(done.returncode == 0, done.stderr)


def test_up_tells_what_is_not_healthy():
    with tempfile.TemporaryDirectory(prefix="superstep-up-") as folder:
        done, _ = Stubs(folder).up(STATE="unhealthy", UP_WAIT_S="0")
        expect(done.returncode == 1 and "is up" not in done.stdout,
               done.stdout)
        for text in ("not healthy: one (unhealthy)", "    what it logged"):
            expect(text in done.stderr, f'no "{text}": {done.stderr}')


def test_a_database_of_the_unit_is_read_by_nobody_else():
    unit = (DEPLOY / "systemd/superstep-coordinator.service").read_text(
        encoding="utf-8")
    expect(re.search(r"(?m)^Environment=SUPERSTEP_DB=/var/lib/superstep/", unit)
           and re.search(r"(?m)^StateDirectory=superstep$", unit),
           "it is elsewhere")
    mode = re.search(r"(?m)^StateDirectoryMode=(\d+)$", unit)
    expect(mode and int(mode[1], 8) & 0o007 == 0, "others may read it")


def test_the_units_are_told_when_their_programs_are_ready_and_hang():
    for path in (DEPLOY / "systemd").glob("*.service"):
        text = path.read_text(encoding="utf-8")
        for line in "^Type=notify$", r"^WatchdogSec=\d+", "^Restart=":
            expect(re.search(line, text, re.M), f"{path.name}: no {line}")


def test_the_units_are_sound():
    if not shutil.which("systemd-analyze"):
        print("*** systemd-analyze is not here: the units were not verified ***")
        return
    with tempfile.TemporaryDirectory(prefix="superstep-units-") as folder:
        folder = pathlib.Path(folder)
        units = []
        for path in sorted((DEPLOY / "systemd").glob("*.service")):
            # A template is verified as an instance of it.
            unit = folder / path.name.replace("@.", "@digest.")
            unit.write_text(path.read_text(encoding="utf-8").replace(
                "/usr/bin/", f"{BIN}/"), encoding="utf-8")
            units.append(unit)
        expect(len(units) >= 2, "no units were found")
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *units], text=True,
            capture_output=True, check=False)
        complaints = [line for line in done.stderr.splitlines()
                      if str(folder) in line]
        expect(not complaints, "\n".join(complaints))


if __name__ == "__main__":
    harness.main(globals())
