"""The pages of docs/operating: each line that begins with $ works, in its order.

A coordinator, a worker and a PostgreSQL of the test's own stand for the reader's.
"""

import os
import re
import shutil
import subprocess
import sys

import harness
import postgres
import quarantine_test
from harness import BIN, LIB, ROOT, Failure, World, expect

PAGES = ROOT / "docs/operating"
# Run by the tests of containers and of Kubernetes, and by one below.
ELSEWHERE = {"compose.md", "kubernetes.md", "langgraph.md"}
# Lines that begin so are run by another test: on a server that it begins anew;
# and what takes minutes is the build that all tests are of.
ELSEWHERE_LINES = {"psql -d superstep ": "tests/system/tls_test.py",
                   "cmake --build ": "tests/system/install_test.sh"}
# Run below, each kind in a place of its own.
SOURCE_LINES = ("cmake --preset ", "cmake --install ")
SERVICE_LINES = ("cp deploy/systemd/", "systemctl ")
PARKED_LINES = ("superstep release ", "superstep cancel ")
COMMAND = re.compile(
    r"^ {4,}((?:superstep[\w-]*|docker[\w-]*|cmake|cp|mv|systemctl|psql|"
    r"pg_dump|openssl|export|deploy/\S+)(?: .*)?)$", re.M)


def commands(page):
    """The lines after "$ " of a page, as a reader copies them."""
    text = (PAGES / page).read_text(encoding="utf-8")
    found = re.findall(r"^ {4,}\$ (.+)$", text, re.M)
    return [re.sub(r"\s+#.*$", "", line) for line in found]


def begin(page, line, world, environment):
    """A program of the page that goes on until the test ends."""
    process = world.start(f"{page}: {line}", "sh", "-c", f"exec {line}",
                          environment=environment)
    process.wait_line(r"listening on|\bready\b")


def play(page, world, environment, stands_for, only=None, place=None):
    """Run the lines of a page that begin with one of `only`, in a folder;
    without: all but those that have a place elsewhere. How many they are."""
    others = (*ELSEWHERE_LINES, *SOURCE_LINES, *SERVICE_LINES, *PARKED_LINES)
    lines = [line for line in commands(page) if (
        line.startswith(only) if only else not line.startswith(others))]
    for line in lines:
        for word, value in stands_for.items():
            line = line.replace(word, value)
        if line.endswith(" &"):
            begin(page, line.removesuffix(" &"), world, environment)
            continue
        done = subprocess.run(
            ["sh", "-c", line], cwd=place or world.folder, env=environment, text=True,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
            check=False)
        if done.returncode != 0:
            raise Failure(f"{page}: $ {line}: status {done.returncode}\n"
                          f"{done.stdout}{done.stderr}")
    return len(lines)


def test_each_page_works_as_it_stands():
    with World() as world, postgres.Postgres() as server:
        server.sql("CREATE DATABASE other")
        coordinator = world.coordinator(
            "--store", server.url(), "--metrics", "127.0.0.1:0")
        port = coordinator.wait_line(r"metrics and health on port (\d+)")[1]
        world.worker(LIB / "libhello.so")
        dsn = f"postgresql://superstep@/%s?host={server.folder}"
        environment = dict(
            os.environ, SUPERSTEP_COORDINATOR=world.endpoint,
            METRICS=f"127.0.0.1:{port}", DSN=dsn % "postgres",
            OTHER_DSN=dsn % "other", SUPERSTEP_LISTEN=harness.ANY_PORT, PATH=":".join(
                [str(BIN), str(postgres.programs()), os.environ["PATH"]]))
        world.do("keys", "new", "client", "elsewhere", "--keys",
                 world.path("others"))
        listed = world.do("keys", "list", "--keys", world.path("others"))
        public = re.search(r"^elsewhere +client +(\S{40})$", listed, re.M)
        expect(public, f"the key that was made elsewhere: {listed}")
        world.do("keys", "new", "--keys", world.path("etc"))
        stands_for = {
            "PUBLIC-KEY": public[1],
            "/var/lib/superstep": str(world.folder),
            "/usr/lib/superstep/digest.so": str(LIB / "libdigest.so"),
            "postgres://superstep@db.example/superstep":
                f"'{server.url('other', schema='page')}'",
            "tcp://0.0.0.0:7433": "tcp://0.0.0.0:*",
            "/etc/superstep/keys": str(world.path("etc"))}
        played = {}
        for page in sorted(path.name for path in PAGES.glob("*.md")):
            if page in ELSEWHERE:
                continue
            played[page] = play(page, world, environment, stands_for)
        expect(sum(played.values()) > 20, f"too few lines: {played}")
        for page in ("install.md", "monitor.md", "recover.md", "scale.md",
                     "upgrade.md"):
            expect(played[page] > 0, f"{page}: no line was run")


def programs_of(world):
    return dict(os.environ, SUPERSTEP_COORDINATOR=world.endpoint or "",
                PATH=f"{BIN}:{os.environ['PATH']}")


def test_the_source_is_configured_and_installed_as_the_page_says():
    with World() as world:
        place = world.path("source")
        shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(
            "build", "secrets", ".git", "__pycache__"))
        lines = play("install.md", world, programs_of(world), {
            "build/release": str(harness.BUILD),
            "--prefix /usr": f"--prefix {place}/usr"}, SOURCE_LINES, place)
        expect(lines == 2, f"{lines} lines were run")
        rules = (place / "build/release/build.ninja").read_text(
            encoding="utf-8")
        expect("superstep-worker" in rules and "SS_STOPS" not in rules,
               "that is no build for use")
        expect((place / "usr/bin/superstep-worker").exists(),
               "nothing was installed")


def test_services_are_set_up_as_the_page_says():
    """In a root of its own: users and links are made, nothing is started."""
    tools = ("systemctl", "systemd-sysusers")
    if os.geteuid() != 0 or not all(shutil.which(tool) for tool in tools):
        print(f"*** {' and '.join(tools)} are not here, or not for us: their "
              "lines were not run ***")
        return
    with World() as world:
        root = world.path("root")
        for folder in ("etc/systemd/system", "usr/lib/sysusers.d"):
            (root / folder).mkdir(parents=True)
        world.path("deploy").symlink_to(ROOT / "deploy")
        lines = play("install.md", world, programs_of(world), {
            "/etc/systemd/system/": f"{root}/etc/systemd/system/",
            "/usr/lib/sysusers.d/": f"{root}/usr/lib/sysusers.d/",
            "systemd-sysusers": f"systemd-sysusers --root={root}",
            "systemctl enable --now": f"systemctl --root={root} enable"},
            SERVICE_LINES)
        expect(lines == 3, f"{lines} lines were run")
        users = (root / "etc/passwd").read_text(encoding="utf-8")
        expect(users.startswith("superstep:"), users)
        wanted = root / "etc/systemd/system/multi-user.target.wants"
        expect(sorted(path.name for path in wanted.iterdir()) ==
               ["superstep-coordinator.service",
                "superstep-worker@digest.service"],
               "the services are not enabled")


def test_a_run_in_quarantine_ends_as_the_page_says():
    for line, status in zip(PARKED_LINES, ("done", "cancelled")):
        with World() as world:
            quarantine_test.park(world)
            lines = play("recover.md", world, programs_of(world),
                         {"RUN": "poison-run"}, line)
            expect(lines == 1, f"{lines} lines were run of {line}")
            command = world.command("attach", "poison-run")
            command.wait()
            expect(quarantine_test.status_of(world, "poison-run") == status,
                   f"after {line}: {command.text()}")


def test_threads_of_langgraph_come_and_go_as_the_page_says():
    with World() as world, postgres.Postgres() as server:
        server.sql("CREATE DATABASE agents")
        server.sql("CREATE DATABASE empty")
        world.coordinator()
        world.worker(LIB / "libapproval.so")
        # What LangGraph has left: a thread that waits for an answer.
        world.do("run", "approval", "--thread", "t-17", "--input",
                 '{"topic": "a new chair"}', status=3)
        for tables in (server.url("agents"), world.path("checkpoints.db")):
            world.do("export", "langgraph", tables)
        world.do("delete", "t-17")
        lines = play("langgraph.md", world, programs_of(world), {
            "export langgraph postgres://ada@db/agents":
                f"export langgraph '{server.url('empty')}'",
            "postgres://ada@db/agents": f"'{server.url('agents')}'",
            "--graph support": "--graph approval", "'\"yes\"'": "true"})
        expect(lines == 5, f"{lines} lines were run")


def test_each_command_that_a_page_shows_is_run_by_a_test():
    lines = []
    for path in sorted(PAGES.glob("*.md")):
        lines += commands(path.name)
        for line in COMMAND.findall(path.read_text(encoding="utf-8")):
            raise Failure(f"{path.name}: no test runs: {line}; begin it with $")
    for begin_of, test in ELSEWHERE_LINES.items():
        expect(any(line.startswith(begin_of) for line in lines),
               f"no page shows {begin_of}")
        expect((ROOT / test).exists(), f"there is no {test}")


def test_what_the_pages_name_is_there():
    """Commands and options in their sentences and tables."""
    reference = (ROOT / "docs/reference/commands.md").read_text(
        encoding="utf-8")
    commands_there = set(re.findall(r"^## ([\w-]+)$", reference, re.M))
    options = set(re.findall(r"--[a-z][\w-]*", reference))
    count = 0
    for path in sorted(PAGES.glob("*.md")):
        for span in re.findall(r"`([^`\n]+)`",
                               path.read_text(encoding="utf-8")):
            named = re.match(r"superstep (?:--\S+ \S+ )?([a-z]+)", span)
            count += bool(named)
            expect(not named or named[1] in commands_there,
                   f"{path.name}: there is no command: {span}")
            if not span.startswith(("superstep", "--")):
                continue
            for option in re.findall(r"(?<!\S)--[a-z][\w-]*", span):
                count += 1
                expect(option in options,
                       f"{path.name}: there is no option {option}: {span}")
    expect(count > 40, f"only {count} were found")


def test_each_page_is_in_the_index():
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    for path in PAGES.glob("*.md"):
        expect(path.name == "README.md" or f"({path.name})" in index,
               f"docs/operating/README.md does not tell of {path.name}")


if __name__ == "__main__":
    if postgres.missing():
        print(f"*** SKIPPED: {postgres.missing()} ***")
        sys.exit(77)
    harness.main(globals())
