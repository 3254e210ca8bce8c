"""What must hold in the end: state, history and journal of each thread, and which
bodies began when their rows were durable."""

import collections
import json
import re

from customers import ROUNDS, SENDS, expected_count, expected_log, expected_said

# When each row was committed.
COMMITS = """
SELECT thread, seq,
  (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1e6)::bigint
FROM superstep.journal WHERE thread IN (%s) ORDER BY thread, seq;
"""
# What a task wrote: it stands in the row of its writes first.
MARK = re.compile(r"done:([0-9a-f-]{36})")
GROUP = 25 # threads that are asked for together

Body = collections.namedtuple(
    "Body", "thread task node attempt pid wall boot look")


def bodies(path):
    """What began, by thread."""
    begun = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        words = line.split()
        body = Body(*words[:3], *map(int, words[3:]))
        begun[body.thread].append(body)
    return begun


def shape(history):
    """A history without what is never twice the same."""
    return [(one["metadata"]["step"], one["metadata"]["source"], one["next"],
             [one["values"].get(key)
              for key in ("round", "log", "count", "said", "said_count")])
            for one in history]


class Judge:
    def __init__(self, scene):
        self.scene = scene
        self.pattern = None # the history of the undisturbed thread
        self.differences = []
        self.tasks = self.begun = self.last_gap = 0

    def differs(self, thread, text):
        self.differences.append(f"{thread}: {text}")

    def ask(self, *words):
        status, out, err = self.scene.command(*words, "--json")
        if status != 0:
            self.differs(words[0], f"status {status}: {out}{err}")
            return None
        return json.loads(out)

    def take_pattern(self, thread):
        (found,) = self.scene.recall([thread])
        self.pattern = shape(found["history"])

    def threads(self, names, begun, tell):
        """All of them; each group is one look at the rows, one at the threads."""
        for at in range(0, len(names), GROUP):
            group = names[at:at + GROUP]
            rows = self.rows(group)
            found = {one["thread"]: one for one in self.scene.recall(group)}
            for name in group:
                self.thread(name, found.get(name), rows[name], begun[name])
            tell(f"{at + len(group)} of {len(names)} threads judged")

    def marks(self, name):
        """Those of each row, by its number: a body in the store may name what
        it repeats, so the rows are read as a person reads them."""
        rows = self.ask("journal", name) or []
        return {row["seq"]: MARK.findall(json.dumps(row)) for row in rows}

    def rows(self, names):
        """(seq, commit, marks) of each row, by thread."""
        rows = collections.defaultdict(list)
        quoted = ", ".join(f"'{name}'" for name in names)
        marks = {name: self.marks(name) for name in names}
        for line in self.scene.sql(COMMITS % quoted).splitlines():
            name, seq, commit_us = line.split("|")
            rows[name].append((int(seq), int(commit_us),
                               marks[name].get(int(seq), [])))
        return rows

    def thread(self, name, found, rows, begun):
        self.told(name, found)
        self.journal(name, rows, begun)

    def told(self, name, found):
        if found is None or "error" in found:
            self.differs(name, f"it is not told: {found}")
            return
        self.state(name, found["state"])
        if shape(found["history"]) != self.pattern:
            self.differs(name, "its history is not as if undisturbed")

    def state(self, thread, state):
        values = state["values"]
        wanted = {"round": ROUNDS, "log": expected_log(),
                  "count": expected_count(), "said": expected_said(),
                  "said_count": ROUNDS * 1100}
        for key, value in wanted.items():
            if values.get(key) != value:
                self.differs(
                    thread, f"{key} is {values.get(key)} instead of {value}")
        if state["next"]:
            self.differs(thread, f"it is to go on with {state['next']}")
        marks = values.get("marks", []) + values.get("said_marks", [])
        if len(marks) != len(set(marks)) or len(marks) != ROUNDS * (SENDS + 5):
            self.differs(thread, f"{len(marks)} writes, {len(set(marks))} of "
                                 f"different tasks")
        self.tasks += len(set(marks))

    def journal(self, thread, rows, begun):
        durable = {}
        wanted = 1
        for seq, commit_us, marks in rows:
            if seq != wanted:
                self.differs(thread, f"row {seq} stands where {wanted} should")
            wanted = seq + 1
            for task in marks:
                durable.setdefault(task, commit_us)
        if len(durable) != ROUNDS * (SENDS + 5):
            self.differs(thread, f"rows of {len(durable)} tasks are found")
        for body in begun:
            self.begun += 1
            if body.task in durable:
                self.body(thread, body, durable[body.task])

    def body(self, thread, body, durable_us):
        late_us = body.wall - durable_us
        if late_us <= 0:
            return
        looked_us = body.wall - (body.boot - body.look)
        if body.look and looked_us <= durable_us:
            self.last_gap += 1
            return
        self.differs(thread, f"a body of {body.node} began {late_us} us after "
                             f"its writes were durable, and {body.boot - body.look}"
                             f" us after its look (attempt {body.attempt})")

    def all_is_well(self):
        """Nothing is unfinished, and nothing wrong."""
        runs = self.ask("runs")
        left = [run for run in runs or []
                if run.get("status") in ("running", "queued", "quarantined")]
        if left:
            self.differs("runs", f"unfinished: {left}")
        status, out, err = self.scene.command("doctor")
        if status != 0:
            self.differs("doctor", out + err)
