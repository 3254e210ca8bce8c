"""The digest of the licence texts, with workers and the coordinator killed at
random moments: each time the report, the state and the tasks are those of an
undisturbed run.

SS_SEED replays a run, SS_ROUNDS says how many. Without a seed it is drawn from
the commit: the same one for all who try it.
"""

import json
import os
import random
import subprocess
import time

from harness import LIB, ROOT, World, expect, is_sanitized, main

DIGEST = LIB / "libdigest.so"
DOCUMENTS = "/usr/share/common-licenses"
ROUNDS = int(os.environ.get("SS_ROUNDS", "4" if is_sanitized() else "20"))
WORKERS = 2
KILLS_MAX = 3
# A task that loses its worker more often than that fails, and rightly so.
WORKER_KILLS_MAX = 2
# After so many lines of effects there is nothing left but the question.
LINES = 66
JITTER_S = 0.03


class Job:
    """One run of the digest, from its input to its report."""

    def __init__(self, world, kills):
        self.world = world
        self.kills = kills  # [(line, jitter, "worker" or "coordinator")]
        self.story = []
        self.effects = world.start_effects()
        self.coordinator = world.coordinator(*self.times())
        self.workers = [self.worker() for _ in range(WORKERS)]
        # A run of a graph that nobody announced yet is refused.
        for worker in self.workers:
            worker.wait_line(r"\bready\b")

    @staticmethod
    def times():
        return ["--lease-ms", "1000", "--heartbeat-ms", "200"]

    def worker(self):
        return self.world.worker(
            DIGEST, f"log={self.effects.path}", wait=False)

    def kill(self, what, rng):
        self.story.append(f"{what} at line {len(self.effects.drain())}")
        if what == "coordinator":
            self.coordinator.kill()
            self.coordinator = self.world.coordinator(*self.times())
        else:
            place = rng.randrange(len(self.workers))
            self.workers[place].kill()
            self.workers[place] = self.worker()

    def run(self, rng):
        report = self.world.path("report.md")
        run = self.world.command(
            "run", "digest", "--thread", "digest", "--input",
            json.dumps({"folder": DOCUMENTS, "report": str(report)}))
        for line, jitter, what in self.kills:
            while run.is_running() and not self.effects.wait(line, 0.02):
                pass
            self.effects.wait(line + LINES, jitter)
            self.kill(what, rng)
        ended = run.wait()
        expect(ended == 3, f"the run ended with {ended}:\n{run.text()}")
        resume = self.world.command(
            "resume", "digest", "--value", "true")
        if rng.random() < 0.5:
            self.kill("coordinator", rng)
        expect(resume.wait() == 0, f"the answer:\n{resume.text()}")
        values = self.world.ask("state", "digest")["values"]
        values.pop("report")
        values.pop("published")
        return {
            "report": report.read_text(),
            "values": values,
            "tasks": sorted({(line["node"], line["name"])
                             for line in self.effects.drain()}),
        }


def seed():
    if "SS_SEED" in os.environ:
        return os.environ["SS_SEED"]
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"],
                            capture_output=True, text=True, check=False)
    return commit.stdout.strip()[:12] or "no commit"


def draw_kills(rng):
    kills = []
    workers = 0
    for _ in range(rng.randint(1, KILLS_MAX)):
        what = rng.choice(("worker", "coordinator"))
        workers += what == "worker"
        if workers > WORKER_KILLS_MAX:
            what = "coordinator"
        kills.append((rng.randint(1, LINES), rng.random() * JITTER_S, what))
    return sorted(kills)


def play(kills, rng):
    with World() as world:
        job = Job(world, kills)
        begin = time.monotonic()
        result = job.run(rng)
        bodies = len(job.effects.lines)
        story = ", ".join(job.story) or "undisturbed"
        print(f"{bodies} bodies, {time.monotonic() - begin:.1f} s: {story}",
              flush=True)
        return result


def test_the_result_is_the_same_however_processes_are_killed():
    drawn_from = seed()
    print(f"Again: SS_SEED='{drawn_from}' ./test system.kills")
    rng = random.Random(drawn_from)
    expected = play([], random.Random(1))
    for number in range(ROUNDS):
        kills = draw_kills(rng)
        result = play(kills, rng)
        for part in expected:
            expect(result[part] == expected[part],
                   f"round {number} with {kills}: another {part}:\n"
                   f"{result[part]}\ninstead of\n{expected[part]}")


if __name__ == "__main__":
    main(globals())
