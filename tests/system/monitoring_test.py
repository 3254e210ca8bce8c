"""Alerts and the dashboard: their rules and expressions hold before Prometheus
itself, and each name in them is one that a real process prints.
"""

import collections
import json
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request

import kustomize
from harness import (DEADLINE_S, LIB, ROOT, World, expect, get, main,
                     port_of)
from metrics_test import ANY

ALERTS = ROOT / "deploy/prometheus/alerts.yml"
ALERT_TESTS = ROOT / "tests/system/prometheus/alerts.yml"
DASHBOARD = ROOT / "deploy/grafana/superstep.json"
RULES = ROOT / "deploy/kubernetes/components/monitoring/rules.yaml"
PAGES = [ROOT / "docs/operating" / name
         for name in ("monitor.md", "kubernetes.md", "scale.md", "secure.md")]
TOOLS = ROOT / "build/kubernetes/bin"
NAME = re.compile(r"\bsuperstep_[a-z_]+\b")
INSTANT = 3600  # a range of the dashboard, in seconds: longer than the test


def tool(name):
    beside = TOOLS / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        print(f"*** {name} is not here: it was not asked; ./test kubernetes "
              "gets it ***")
    return found


def rules():
    (text,) = kustomize.read(ALERTS)
    return [rule for group in text["groups"] for rule in group["rules"]]


def expressions():
    """Of the dashboard: (the panel's title, the expression)."""
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return [(panel["title"], target["expr"]) for panel in board["panels"]
            for target in panel["targets"]]


class Watched:
    """A coordinator and a worker that have done something, by their ports."""

    def __init__(self, world):
        self.ports = [port_of(world.coordinator(*ANY))]
        self.ports.append(port_of(world.worker(LIB / "libhello.so", None, *ANY)))
        self.work(world)
        world.do("limit", "hello", "--tasks", "9")

    def work(self, world):
        for name in ("Ada", "Bob"):
            world.do("run", "hello", "--input", json.dumps({"name": name}))

    def names(self):
        """What they print, of any kind; a histogram's name stands for it."""
        text = "".join(get(one, "metrics")[1] for one in self.ports)
        return set(re.findall(r"^(superstep_[a-z_]+)", text, re.M)) | set(
            re.findall(r"^# TYPE (superstep_[a-z_]+)", text, re.M))


def test_each_number_that_is_named_is_printed():
    with World() as world:
        printed = Watched(world).names()
    texts = [(path, path.read_text(encoding="utf-8"))
             for path in (ALERTS, DASHBOARD, RULES, *PAGES,
                          *(ROOT / "deploy/kubernetes").rglob("*.yaml"))]
    count = 0
    for path, text in texts:
        for name in NAME.findall(text):
            if name == "superstep_app":  # a role of the database
                continue
            count += 1
            expect(name in printed, f"{path.name}: nobody prints {name}")
    expect(count > 50, f"only {count} names were found")


def test_each_alarm_of_the_page_is_a_rule():
    page = PAGES[0].read_text(encoding="utf-8")
    told = re.findall(r"^\| .* \| `(Superstep\w+)` \|$", page, re.M)
    expect(told == [rule["alert"] for rule in rules()],
           f"the page tells of {told}")
    for rule in rules():
        expect(rule["labels"]["severity"] in ("critical", "warning")
               and set(rule["annotations"]) == {"summary", "description"},
               f"{rule['alert']}: {rule}")


def test_the_operators_rules_are_the_same():
    (ours,), (theirs,) = kustomize.read(ALERTS), kustomize.read(RULES)
    expect(theirs["spec"] == ours, f"{RULES.name} says something else than "
           f"{ALERTS.name}")


def test_each_alert_fires_and_is_silent_in_a_test():
    (text,) = kustomize.read(ALERT_TESTS)
    seen = collections.defaultdict(set)
    for one in text["tests"]:
        for asked in one["alert_rule_test"]:
            seen[asked["alertname"]].add(bool(asked["exp_alerts"]))
    for rule in rules():
        expect(seen.pop(rule["alert"], set()) == {True, False},
               f"{rule['alert']}: no series fires it, or none does not")
    expect(not seen, f"no rules: {seen}")
    program = tool("promtool")
    if not program:
        return
    for words in (("check", "rules", ALERTS), ("test", "rules", ALERT_TESTS)):
        done = subprocess.run([program, *words], capture_output=True, text=True,
                              check=False, timeout=DEADLINE_S)
        expect(done.returncode == 0, f"{done.stdout}{done.stderr}")


class Prometheus:
    """A server of the test's own, in the world's folder."""

    def __init__(self, world, program, ports):
        config = world.path("prometheus.yml")
        targets = ", ".join(f"'127.0.0.1:{one}'" for one in ports)
        config.write_text(f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ['{ALERTS}']
scrape_configs:
  - job_name: superstep
    static_configs: [{{targets: [{targets}]}}]
""")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        world.start(
            "prometheus", program, f"--config.file={config}",
            f"--storage.tsdb.path={world.path('prometheus')}",
            f"--web.listen-address=127.0.0.1:{self.port}").wait_line(
                "Server is ready")

    def ask(self, expression):
        text = expression.replace("$__rate_interval", f"{INSTANT}s")
        query = urllib.parse.urlencode({"query": text})
        with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}/api/v1/query?{query}",
                timeout=DEADLINE_S) as answer:
            return json.load(answer)["data"]["result"]


def test_each_expression_of_the_dashboard_has_an_answer():
    expect(len(expressions()) > 20, "no expressions were found")
    program = tool("prometheus")
    if not program:
        return
    with World() as world:
        watched = Watched(world)
        server = Prometheus(world, program, watched.ports)
        end = time.monotonic() + DEADLINE_S
        silent = expressions()
        while silent:
            watched.work(world)
            silent = [one for one in silent if not server.ask(one[1])]
            expect(time.monotonic() < end, f"no answer: {silent}")


if __name__ == "__main__":
    main(globals())
