"""The cluster of deploy/docker-compose.yml: brought up, scaled, broken, rolled.

    tests/system/compose/compose_test.py [NAME...]

Each test leaves the cluster whole for the next one; the order is theirs. What a
disturbed run gives is always compared with an undisturbed one.
"""

import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "upgrade")]

import images  # noqa: E402
import older  # noqa: E402
import packages  # noqa: E402
import pods  # noqa: E402
import rolling  # noqa: E402
from cluster import Cluster  # noqa: E402
from engine import ROOT, Engine, Failure, Unavailable, say  # noqa: E402

NAPS = 200
NAP_MS = 100
SPEEDUP = 3.7
SPEEDUP_ATTEMPTS = 4
# What is tried once more with a second Compose: up, scaled, rolled, crashed.
AGAIN = {"the_digest_job_survives_the_loss_of_everything",
         "workers_come_and_go_during_a_run",
         "a_second_version_is_rolled_out_during_a_run"}
# What begins with a cluster of the version from before.
BEFORE = {"a_cluster_of_before_is_upgraded_under_load"}
# What needs containers, and no cluster.
ALONE = {"the_packages_work_in_a_clean_container",
         "the_pods_of_kubernetes_work_and_drain_as_containers"}
PACKAGED = {"the_packages_work_in_a_clean_container"}
# What a run of naps gives: the sum of squares of 0..NAPS-1.
SUM = sum(number * number for number in range(NAPS))


def expect(condition, text):
    if not condition:
        raise Failure(text)


# ---------------------------------------------------------------------- runs

class Naps:
    """A run of naps, begun in the background."""

    def __init__(self, cluster, name, count=NAPS):
        self.done = None
        self.name = name
        self.expected = sum(number * number for number in range(count))
        self.begin = time.monotonic()
        self.thread = threading.Thread(target=self._run, args=(cluster, count))
        self.thread.start()

    def _run(self, cluster, count):
        self.done = cluster.command(
            "run", "naps", "--thread", self.name, "--run", f"run-{self.name}",
            "--input", f'{{"count": {count}, "ms": {NAP_MS}}}', check=False)
        self.took = time.monotonic() - self.begin

    def result(self):
        self.thread.join()
        expect(self.done.returncode == 0,
               f"the run {self.name} ended with {self.done.returncode}:\n"
               f"{self.done.stdout[-2000:]}{self.done.stderr[-2000:]}")
        expect(f'"result": {self.expected}' in self.done.stdout,
               f"the run {self.name} gave {self.done.stdout}")
        return self.took


def under_way(cluster, naps, seconds=1.5):
    """Until the run has begun, and is in the midst of its naps."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done = cluster.command(
            "explain", f"run-{naps.name}", "--json", check=False)
        waits = json.loads(done.stdout)["waits"] if done.stdout else []
        if any(wait["why"] == "running" for wait in waits):
            time.sleep(seconds) # somewhere in the middle, wherever that is
            expect(naps.done is None, f"{naps.name} ended too soon")
            return
        time.sleep(0.1)
    raise Failure(f"the run {naps.name} does not begin")


def digest(cluster, thread, disturb=None):
    """The example job, approved; the bytes of its report."""
    report = f"/data/{thread}.md"
    done = cluster.command(
        "run", "digest", "--thread", thread, "--input",
        f'{{"folder": "/usr/share/common-licenses", "report": "{report}"}}',
        check=False)
    expect(done.returncode == 3, f"no question: {done.stdout}{done.stderr}")
    if disturb:
        disturb()
    cluster.answer("resume", thread, "--value", "true")
    return cluster.engine.docker(
        "exec", cluster.containers("worker")[0], "cat", report).stdout


# --------------------------------------------------------------------- tests

def test_the_page_works_as_it_stands(cluster):
    page = (ROOT / "docs/operating/compose.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    \$ (.+)$", page, re.M)
    expect(len(lines) >= 8, f"the page has {len(lines)} lines to run")
    cluster.script("\n".join(lines))
    cluster.wait_healthy("postgres", "coordinator1", "coordinator2", "worker")
    cluster.command("attach", cluster.ask("runs")[0]["run"], check=False)
    expect("digest" in cluster.command("graphs").stdout, "no graph is served")


def test_the_digest_job_survives_the_loss_of_everything(cluster):
    cluster.up(workers=2, WORKER_IMAGE="superstep-digest", WORKER_CAPACITY="4")
    cluster.wait_healthy("postgres", "coordinator1", "coordinator2", "worker")
    whole = digest(cluster, "undisturbed")

    def disturb():
        for service in ("worker", "coordinator1", "coordinator2", "postgres"):
            cluster.crash(service)
    expect(len(whole) > 1000, f"a short report: {whole}")
    other = digest(cluster, "disturbed", disturb)
    expect(other == whole, f"the reports differ:\n{whole}\n---\n{other}")


def test_four_workers_are_nearly_four_times_as_fast_as_one(cluster):
    cluster.up(workers=1, WORKER_IMAGE="superstep-naps:1", WORKER_CAPACITY="1")
    cluster.wait_workers(1)
    one = Naps(cluster, "one").result()
    cluster.up(workers=4)
    cluster.wait_workers(4)
    # A busy machine only makes it slower: the best of some counts.
    four = one
    for attempt in range(SPEEDUP_ATTEMPTS):
        four = min(four, Naps(cluster, f"four-{attempt}").result())
        if one / four >= SPEEDUP:
            break
    say(f"    {NAPS} naps of {NAP_MS} ms: {one:.1f} s on one worker, "
        f"{four:.1f} s on four ({one / four:.2f}x)")
    expect(one / four >= SPEEDUP,
           f"{one / four:.2f} times as fast, not {SPEEDUP}")


def test_workers_come_and_go_during_a_run(cluster):
    cluster.up(workers=1, WORKER_IMAGE="superstep-naps:1", WORKER_CAPACITY="1")
    cluster.wait_workers(1)
    naps = Naps(cluster, "scaled")
    under_way(cluster, naps)
    cluster.up(workers=4)
    cluster.wait_workers(4)
    cluster.up(workers=1)
    naps.result()
    cluster.wait_workers(1)


def test_a_worker_that_is_killed_loses_no_task(cluster):
    cluster.up(workers=4)
    cluster.wait_workers(4)
    naps = Naps(cluster, "worker-killed")
    under_way(cluster, naps)
    cluster.crash("worker")
    naps.result()


def test_a_coordinator_that_is_killed_loses_no_run(cluster):
    for service in ("coordinator1", "coordinator2"):
        naps = Naps(cluster, f"{service}-killed")
        under_way(cluster, naps)
        cluster.crash(service)
        naps.result()
        cluster.wait_healthy("coordinator1", "coordinator2")


def test_a_database_that_is_killed_loses_nothing_that_it_acknowledged(cluster):
    naps = Naps(cluster, "database-killed")
    under_way(cluster, naps)
    cluster.crash("postgres")
    naps.result()
    cluster.wait_healthy("postgres", "coordinator1", "coordinator2")


def test_a_coordinator_that_is_cut_off_writes_no_more(cluster):
    for service in ("coordinator1", "coordinator2"):
        naps = Naps(cluster, f"{service}-cut-off")
        under_way(cluster, naps)
        cluster.network("disconnect", service)
        try:
            naps.result()
        finally:
            cluster.network("connect", service)
        cluster.wait_healthy(service)


def test_a_second_version_is_rolled_out_during_a_run(cluster):
    cluster.up(workers=2)
    cluster.wait_workers(2)
    old = Naps(cluster, "rolled", count=6 * NAPS)
    under_way(cluster, old)
    # Workers of the old version leave when they have finished what they run:
    # the run waits for a version that nobody serves any more, and is not lost.
    before = set(cluster.containers("worker"))
    cluster.script("deploy/roll.sh superstep-naps:2")
    cluster.wait_workers(2)
    expect(not before & set(cluster.containers("worker")),
           "an old worker is still there")
    expect(old.done is None,
           f"the run ended without its version: {old.done}")
    new = Naps(cluster, "of-the-second-version", count=20)
    new.result()
    cluster.command("migrate", "run-rolled")
    cluster.up(workers=4, WORKER_IMAGE="superstep-naps:2", WORKER_CAPACITY="16")
    cluster.wait_workers(4)
    old.result()


def test_an_image_that_does_not_work_replaces_no_worker(cluster):
    cluster.up(workers=1)
    cluster.wait_workers(1)
    # Without an application it ends at once, and is started again.
    before = set(cluster.containers("worker"))
    told = cluster.script("deploy/roll.sh superstep-worker", check=False,
                          UP_WAIT_S="3").stderr
    expect(before == set(cluster.containers("worker")),
           "the workers are not those of before")
    for text in ("not healthy", "app.so", "the old ones are as they were"):
        expect(text in told, f'"{text}" is not told: {told}')
    cluster.wait_workers(1)


def test_the_packages_work_in_a_clean_container(cluster):
    packages.play(cluster.engine)


def test_the_pods_of_kubernetes_work_and_drain_as_containers(cluster):
    pods.play(cluster.engine)


def test_a_cluster_of_before_is_upgraded_under_load(cluster):
    rolling.play(cluster)


# ----------------------------------------------------------------------- main

def named(wanted):
    """The tests with one of these words in their names (none: all)."""
    tests = {name[len("test_"):]: function
             for name, function in globals().items()
             if name.startswith("test_")}
    for word in wanted:
        if not any(word in name for name in tests):
            sys.exit(f"{sys.argv[0]}: no test has \"{word}\" in its name")
    return {name: function for name, function in tests.items()
            if not wanted or any(word in name for word in wanted)}


def older_version(tests):
    """Older(), if it can be had; and how many tests are skipped without it."""
    wanted = BEFORE & tests.keys()
    if not wanted:
        return None, 0
    try:
        return older.Older(), 0
    except older.Unavailable as why:
        say(f"*** NO UPGRADE IS TRIED: {why} ***")
        return None, len(wanted)


def without_packages(tests):
    """The tests that can be played, and how many are skipped."""
    why = packages.trouble() if PACKAGED & tests.keys() else None
    if why:
        say(f"*** NO PACKAGE IS TRIED: {why} ***")
        tests = {name: function for name, function in tests.items()
                 if name not in PACKAGED}
    return tests, len(PACKAGED) if why else 0


class NoCluster:
    """In the place of one, for what needs none."""

    def __init__(self, engine, compose):
        self.engine = engine
        self.program = compose

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        pass

    def compose(self, *words, **_):
        return subprocess.CompletedProcess(words, 0, "", "")


def play(cluster, tests, names):
    with_what = f"Compose {cluster.program.version}"
    passed = failed = 0
    for name, function in tests.items():
        if name not in names:
            continue
        begin = time.monotonic()
        try:
            function(cluster)
            result = "passed"
            passed += 1
        except (Failure, subprocess.TimeoutExpired) as error:
            print(error)
            print(cluster.compose("logs", "--tail=40", check=False).stdout)
            result = "failed"
            failed += 1
        except Exception:
            traceback.print_exc()
            result = "failed"
            failed += 1
        say(f"{result} {name} ({with_what}, {time.monotonic() - begin:.1f} s)")
    return passed, failed


def play_row(engine, tests, row):
    """One cluster after the other: how many passed, and failed."""
    passed = failed = 0
    for make, compose, names in row:
        if tests.keys() & names:
            with make(engine, compose) as cluster:
                ended = play(cluster, tests, names)
            passed, failed = passed + ended[0], failed + ended[1]
    return passed, failed


def play_all(engine, composes, tests, before):
    """Two clusters side by side, as most of what they do is to wait: one tries it
    all, the other one what is of before, and some with a second Compose."""
    rows = [[(Cluster, composes[0], tests.keys() - BEFORE - ALONE)],
            [(NoCluster, composes[0], ALONE)]]
    if before:
        rows[1].append((rolling.OlderCluster, composes[0], BEFORE))
    for compose in composes[1:]:
        rows[1].append((Cluster, compose, AGAIN))
    with ThreadPoolExecutor(len(rows)) as pool:
        ends = [pool.submit(play_row, engine, tests, row) for row in rows]
        return [sum(column) for column in zip(*(end.result() for end in ends))]


def main():
    begin = time.monotonic()
    tests = named(sys.argv[1:])
    before, skipped = older_version(tests)
    tests, more = without_packages(tests)
    skipped += more
    try:
        with Engine() as engine, ThreadPoolExecutor(1) as beside:
            composes = beside.submit(engine.composes)
            images.build(engine, before)
            say(f"Built ({time.monotonic() - begin:.0f} s).")
            passed, failed = play_all(engine, composes.result(), tests, before)
    except Unavailable as why:
        say(f"\n*** SKIPPED: NO CLUSTER WAS TESTED ***\n{why}\n")
        say("0 passed, 0 failed, 1 skipped")
        return 0
    except Failure as error:
        print(error)
        passed, failed = 0, 1
    say(f"The whole took {time.monotonic() - begin:.0f} s.")
    say(f"{passed} passed, {failed} failed" +
        (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
