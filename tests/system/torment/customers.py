"""Those who ask: each goes through threads of its own, one after the other, and asks
again under the same name until it is told how a run stands."""

import json
import re
import threading

ROUNDS, SENDS = 3, 3
INPUT = json.dumps({"round": 0, "log": [], "marks": [], "count": 0,
                    "said": [], "said_marks": [], "said_count": 0})
DONE, ASKED = 0, 3
PAUSE_S = 0.2 # between two tries where nobody serves


def expected_log():
    log = []
    for turn in range(ROUNDS):
        log.append(f"plan{turn}")
        log += [f"work{turn}.{i}" for i in range(SENDS)]
        log += [f"gather{turn}", f"turn{turn}"]
    return log


def expected_count():
    return ROUNDS * (sum(range(1, SENDS + 1)) + 10 + 10000)


def expected_said():
    return [word for turn in range(ROUNDS)
            for word in (f"answer{turn}", f"told{turn}")]


class Customer(threading.Thread):
    def __init__(self, scene, number, is_over):
        super().__init__(daemon=True)
        self.scene = scene
        self.number = number
        self.is_over = is_over # no new thread is begun then
        self.done = []
        self.runs = self.asked_again = self.lost_too_often = 0
        self.troubles = []

    def run(self):
        count = 0
        while not self.is_over.is_set() and not self.troubles:
            count += 1
            thread = f"c{self.number}.{count}"
            if self.play(thread):
                self.done.append(thread)

    def play(self, thread):
        """All of one thread. False: it did not come to its end."""
        for turn in range(ROUNDS + 1):
            words = (["run", "torment", "--thread", thread, "--input", INPUT]
                     if turn == 0 else
                     ["resume", thread, "--value", f'"answer{turn - 1}"'])
            wanted = DONE if turn == ROUNDS else ASKED
            if not self.ask(thread, f"{thread}.{turn}", words, wanted):
                return False
        return True

    def ask(self, thread, name, words, wanted):
        """Ask until it stands as it should."""
        for again in range(400):
            status, out, err = self.scene.command(*words, "--run", name)
            if status == wanted:
                self.runs += 1
                self.asked_again += again
                return True
            if status is not None and re.search(r"worker\w* .*lost|lost .*times",
                                                out + err):
                # A task that no worker survived has failed, and rightly so.
                self.lost_too_often += 1
                name += "+"
                words = ["run", "torment", "--thread", thread]
            elif status in (DONE, ASKED):
                break
            threading.Event().wait(PAUSE_S)
        self.troubles.append(f"{name}: status {status}: {out}{err}")
        return False
