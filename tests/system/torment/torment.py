#!/usr/bin/env python3
"""Real processes under everything that can go wrong with them, for as long as one
likes: torment.py [--seconds N] [--seed TEXT] [--customers N]

Two coordinators on a PostgreSQL, three workers, an application with sends, retries,
a graph inside that asks, counters and lists; processes are killed and stopped,
sessions and commits cut, the database killed, messages doubled, held and cut. In the
end each thread must be as if nothing had happened, and no body may have begun when
its writes were durable. A stop between a worker's last look and the body's first
instruction cannot be excluded from within: such bodies are counted apart.

No timing decides: how long things take says how much is played, never whether it is
right. The last line has the sums; exit 1: something differs.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import postgres  # noqa: E402
from customers import Customer  # noqa: E402
from judge import Judge, bodies  # noqa: E402
from mishaps import Mishaps  # noqa: E402
from scene import Scene  # noqa: E402

TOLD_S = 10 # between two lines of progress
END_S = 600 # for what is open when the mishaps are over


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", help="default: the commit")
    parser.add_argument("--customers", type=int, default=8)
    return parser.parse_args()


def commit():
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, text=True,
                          capture_output=True, check=False)
    return done.stdout.strip() or "none"


def tell(text):
    print(text, file=sys.stderr, flush=True)


def tell_progress(customers, mishaps, is_over):
    while not is_over.wait(TOLD_S):
        tell(f"{sum(len(one.done) for one in customers)} threads done, "
             f"{sum(mishaps.counts.values())} mishaps")


class Paced:
    """Tells now and then."""

    def __init__(self):
        self.next = time.monotonic() + TOLD_S

    def __call__(self, text):
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + TOLD_S
            tell(text)


def torment(scene, chosen, rng):
    judge = Judge(scene)
    scene.until_ready()
    no_more, is_told = threading.Event(), threading.Event()
    calm = Customer(scene, 0, no_more)
    if not calm.play("calm"):
        return judge, [calm], None
    judge.take_pattern("calm")
    customers = [Customer(scene, number + 1, no_more)
                 for number in range(chosen.customers)]
    mishaps = Mishaps(scene, rng)
    teller = threading.Thread(
        target=tell_progress, args=(customers, mishaps, is_told), daemon=True)
    for one in [*customers, teller]:
        one.start()
    mishaps.play(time.monotonic() + chosen.seconds)
    no_more.set()
    for wire in scene.wires:
        wire.is_calm = True
    end = time.monotonic() + END_S
    for customer in customers:
        while customer.is_alive() and time.monotonic() < end:
            customer.join(1)
            scene.revive()
        if customer.is_alive():
            customer.troubles.append(
                f"customer {customer.number} is not told the end of its runs")
    is_told.set()
    done = [thread for customer in customers for thread in customer.done]
    tell(f"the play is over; {len(done)} threads are judged")
    judge.threads(done, bodies(scene.effects), Paced())
    tell("all threads are judged; the runs and the store are looked at")
    judge.all_is_well()
    return judge, customers, mishaps


def summary(scene, judge, customers, mishaps, seconds):
    wires = scene.wires
    counts = ", ".join(f"{count} {name}" for name, count in sorted(
        mishaps.counts.items())) if mishaps else "none"
    return (f"{sum(len(one.done) for one in customers)} threads, "
            f"{sum(one.runs for one in customers)} runs "
            f"({sum(one.asked_again for one in customers)} times asked again, "
            f"{sum(one.lost_too_often for one in customers)} lost with their "
            f"workers), {judge.tasks} tasks, {judge.begun} bodies; "
            f"{counts}, {scene.cutter.cuts} commits cut; messages: "
            f"{sum(w.counts['double'] for w in wires)} doubled, "
            f"{sum(w.counts['hold'] for w in wires)} held, "
            f"{sum(w.counts['cut'] for w in wires)} connections cut; "
            f"{judge.last_gap} bodies in the last gap; "
            f"{len(judge.differences)} differences; {seconds:.0f} s")


def main():
    chosen = options()
    why = postgres.missing()
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    seed = chosen.seed or commit()
    tell(f"torment.py --seconds {chosen.seconds} --seed {seed}")
    rng = random.Random(seed)
    begin = time.monotonic()
    with Scene(rng) as scene:
        judge, customers, mishaps = torment(scene, chosen, rng)
        for customer in customers:
            judge.differences += customer.troubles
        for difference in judge.differences:
            tell(difference)
        print(summary(scene, judge, customers, mishaps,
                      time.monotonic() - begin))
    sys.exit(1 if judge.differences else 0)


if __name__ == "__main__":
    main()
