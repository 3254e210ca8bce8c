"""The pages of docs/operating: each line that begins with $ works, in its order.

A coordinator, a worker and a PostgreSQL of the test's own stand for the reader's.
"""

import os
import re
import subprocess
import sys

import harness
import postgres
from harness import BIN, LIB, ROOT, Failure, World, expect

PAGES = ROOT / "docs/operating"
# Run by the containers' test, and by the test of the import.
ELSEWHERE = {"compose.md", "langgraph.md"}
# Run by the test of the role (tls_test.py), on a server that it begins anew.
ELSEWHERE_LINES = ("psql -d superstep ", "openssl ")


def commands(page):
    """The lines after "$ " of a page, as a reader copies them."""
    text = (PAGES / page).read_text(encoding="utf-8")
    found = re.findall(r"^ {4,}\$ (.+)$", text, re.M)
    return [re.sub(r"\s+#.*$", "", line) for line in found]


def play(page, world, environment, stands_for):
    lines = commands(page)
    for line in lines:
        if line.startswith(ELSEWHERE_LINES):
            continue
        for word, value in stands_for.items():
            line = line.replace(word, value)
        done = subprocess.run(
            ["sh", "-c", line], cwd=world.folder, env=environment, text=True,
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
            OTHER_DSN=dsn % "other", PATH=":".join(
                [str(BIN), str(postgres.programs()), os.environ["PATH"]]))
        world.do("keys", "new", "client", "elsewhere", "--keys",
                 world.path("others"))
        listed = world.do("keys", "list", "--keys", world.path("others"))
        public = re.search(r"^elsewhere +client +(\S{40})$", listed, re.M)
        expect(public, f"the key that was made elsewhere: {listed}")
        stands_for = {"PUBLIC-KEY": public[1]}
        played = {}
        for page in sorted(path.name for path in PAGES.glob("*.md")):
            if page in ELSEWHERE:
                continue
            played[page] = play(page, world, environment, stands_for)
        expect(sum(played.values()) > 20, f"too few lines: {played}")
        for page in ("install.md", "monitor.md", "recover.md", "scale.md",
                     "upgrade.md"):
            expect(played[page] > 0, f"{page}: no line was run")


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
