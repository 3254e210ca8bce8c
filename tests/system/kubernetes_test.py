"""deploy/kubernetes: it says what it must, nothing in it can be taken out or
misspelt, and the pods that it describes work, drain and are replaced.
"""

import copy
import fcntl
import json
import pathlib
import re
import shutil
import subprocess


import kustomize
import manifests
from harness import (BIN, ROOT, Failure, World, expect, is_sanitized,
                     main)
from kubelet import Node, environment_of_the_tests
import postgres

PAGE = ROOT / "docs/operating/kubernetes.md"
APP = pathlib.Path(__file__).parent / "app/effects.c"
SET = {"Namespace superstep", "Service superstep-coordinator",
       "StatefulSet superstep-coordinator",
       "PodDisruptionBudget superstep-coordinator", "Service superstep-worker",
       "Deployment superstep-worker", "PodDisruptionBudget superstep-worker",
       "Deployment superstep-console", "Secret superstep-coordinator",
       "Secret superstep-worker", "Secret superstep-operator"}
OVERLAYS = {
    "try": SET | {"Service postgres", "StatefulSet postgres",
                  "Secret superstep-postgres"},
    "production": SET | {"ServiceMonitor superstep",
                         "PrometheusRule superstep",
                         "ScaledObject superstep-worker"},
    "next": {"Service superstep-worker-next", "Deployment superstep-worker-next",
             "PodDisruptionBudget superstep-worker-next"}}
# kubernetes-validate and kustomize, put there by tools/setup.sh.
TOOLS = ROOT / "build/kubernetes/bin"
# Yours to set: another number there is no mistake.
FREE = re.compile(
    r"/(cpu|memory|storage|sizeLimit|periodSeconds|timeoutSeconds|interval|"
    r"failureThreshold|replicas|pollingInterval|image|uid)$"
    r"|/(image)$|/livenessProbe/\w+$|/data/[^/]+$|/serverAddress$"
    r"|/spec/groups\b")


def tool(name):
    beside = TOOLS / name
    return str(beside) if beside.exists() else shutil.which(name)


def commands():
    """The page's lines for a shell: (whether a test runs it as it stands,
    line)."""
    found = re.findall(r"^ {4,}(\$ )?((?:[A-Z_]+=\S+ )?(?:kubectl|kustomize|"
                       r"deploy/|docker|superstep|printf).*)$",
                       PAGE.read_text(encoding="utf-8"), re.M)
    return [(bool(mark), line) for mark, line in found]


def secrets_line(overlay):
    lines = [line for mark, line in commands() if mark and
             line.startswith("SUPERSTEP_SECRETS=")]
    (line,) = [line for line in lines if f"/{overlay}/" in line]
    return line


class Tree:
    """A copy of deploy/ with secrets, made as the page says."""

    def __init__(self, world):
        self.root = world.path("tree")
        shutil.copytree(ROOT / "deploy", self.root / "deploy",
                        ignore=shutil.ignore_patterns("secrets"))
        for overlay in ("try", "production"):
            subprocess.run(
                ["sh", "-c", secrets_line(overlay)], cwd=self.root, check=True,
                env={"PATH": f"{BIN}:/usr/bin:/bin"}, capture_output=True)

    def folder(self, overlay):
        return self.root / "deploy/kubernetes/overlays" / overlay

    def build(self, overlay):
        return kustomize.build(self.folder(overlay))


def others_of(tree, overlay):
    return tree.build("production") if overlay == "next" else ()


def test_each_object_finds_what_it_names():
    with World() as world:
        tree = Tree(world)
        for overlay in OVERLAYS:
            try:
                manifests.check(tree.build(overlay), OVERLAYS[overlay],
                                others_of(tree, overlay))
            except Failure as failure:
                raise Failure(f"{overlay}: {failure}") from failure


def places(value, path=()):
    """The path of each thing in it."""
    steps = (value.items() if isinstance(value, dict) else
             enumerate(value) if isinstance(value, list) else ())
    for step, below in steps:
        yield (*path, step)
        yield from places(below, (*path, step))


def spoilt(items, path):
    """Copies of the objects with a thing taken out, and misspelt."""
    *way, last = path

    def place(it):
        for step in way:
            it = it[step]
        return it

    without = copy.deepcopy(items)
    del place(without)[last]
    yield "without", without
    if isinstance(place(items)[last], str):
        wrong = copy.deepcopy(items)
        place(wrong)[last] += "x"
        yield "misspelt", wrong


def is_noticed(items, *more):
    try:
        manifests.check(items, *more)
    except Failure:
        return True
    return False


def test_a_word_left_out_or_misspelt_is_noticed():
    with World() as world:
        tree = Tree(world)
        count, passed = 0, []
        for overlay in OVERLAYS:
            items, others = tree.build(overlay), others_of(tree, overlay)
            for path in places(items):
                name = "/".join(map(str, path))
                if FREE.search(name):
                    continue
                for how, wrong in spoilt(items, path):
                    count += 1
                    if not is_noticed(wrong, OVERLAYS[overlay], others):
                        kind = items[path[0]]["kind"]
                        passed.append(f"{overlay}: {kind} {name}: {how}")
        expect(count > 500, f"{count} were tried")
        expect(not passed, "not noticed:\n" + "\n".join(passed))


def by_name(items):
    for item in items:  # kustomize breaks the lines of long files
        if item["kind"] == "Secret":
            item["data"] = {name: "".join(text.split()) for name, text
                            in item["data"].items()}
    return {(item["kind"], item["metadata"]["name"]): item for item in items}


def test_kustomize_and_the_schemas_say_so_too():
    kubectl, validate = tool("kubectl"), tool("kubernetes-validate")
    program = ([tool("kustomize"), "build"] if tool("kustomize") else
               [kubectl, "kustomize"] if kubectl else None)
    if not program:
        print("*** neither kustomize nor kubectl is here: what this test knows "
              "of kustomize was not compared with it ***")
    if not validate:
        print("*** kubernetes-validate is not here: no schema was asked; "
              "./test kubernetes gets it ***")
    with World() as world:
        tree = Tree(world)
        for overlay in OVERLAYS:
            items = tree.build(overlay)
            path = world.path(f"{overlay}.yaml")
            path.write_text(kustomize.yaml.safe_dump_all(items))
            if program:
                done = subprocess.run([*program, tree.folder(overlay)],
                                      capture_output=True, text=True,
                                      check=False)
                expect(done.returncode == 0, f"{overlay}: {done.stderr}")
                path.write_text(done.stdout)
                theirs, ours = by_name(kustomize.read(path)), by_name(items)
                wrong = [key for key in {**theirs, **ours}
                         if theirs.get(key) != ours.get(key)]
                expect(not wrong, f"{overlay}: kustomize builds others: "
                       f"{wrong}")
            if validate:
                done = subprocess.run([validate, "--strict", path],
                                      capture_output=True, text=True,
                                      check=False)
                expect(done.returncode == 0 and "passed" in done.stdout +
                       done.stderr, f"{overlay}: {done.stdout}{done.stderr}")


def test_each_command_of_the_page_names_what_is_there():
    with World() as world:
        tree = Tree(world)
        items = [item for overlay in OVERLAYS for item in tree.build(overlay)]
        known = {f"{item['kind'].lower()}/{item['metadata']['name']}"
                 for item in items}
        folders = {f"deploy/kubernetes/overlays/{name}" for name in OVERLAYS}
        applied, count = set(), 0
        for _, line in commands():
            for path in re.findall(r" -k (\S+)", line):
                expect(path in folders, f"there is no {path}: {line}")
                applied.add(path)
            for name in re.findall(r"\b((?:deployment|statefulset|secret)/"
                                   r"[\w-]+)", line):
                count += 1
                expect(name in known, f"there is no {name}: {line}")
            for name in re.findall(r" -n (\S+)", line):
                expect(f"namespace/{name}" in known, line)
            for path in re.findall(r"\bdeploy/\S+\.\w+", line):
                expect((ROOT / path).exists(), f"there is no {path}: {line}")
        expect(applied == folders, f"the page applies {applied}")
        expect(count > 4, f"only {count} names were found")


class Cluster:
    """The pods of overlays/try, on a PostgreSQL of the test's own."""

    def __init__(self, world, server):
        self.world = world
        items = Tree(world).build("try")
        secret = by_name(items)["Secret", "superstep-coordinator"]
        dsn = manifests.file_of(secret, "store").decode()
        database = by_name(items)["StatefulSet", "postgres"]
        self.expect_reachable(items, dsn, database)
        store = world.path("store")
        store.write_text(server.url())
        store.chmod(0o400)
        self.gate, self.ran = world.path("gate"), world.path("ran")
        self.gate.touch()
        self.ran.touch()
        app = {"SUPERSTEP_APP": str(world.compile(APP)),
               "SUPERSTEP_APP_ARG": f"{self.ran}:{self.gate}"}
        self.node = Node(world, items, {
            "coordinator": {"SUPERSTEP_STORE_FILE": str(store),
                            "SUPERSTEP_DRAIN_MS": "500",
                            "SUPERSTEP_CLUSTER_LEASE_MS": "2000"},
            "worker": app})
        self.coordinators = self.node.pods_of(
            "StatefulSet", "superstep-coordinator")
        self.workers = self.node.pods_of("Deployment", "superstep-worker")
        (self.console,) = self.node.pods_of("Deployment", "superstep-console")
        for pod in (*self.coordinators, *self.workers):
            pod.start()

    def expect_reachable(self, items, dsn, database):
        host, name = re.fullmatch(
            r"postgres://superstep:\w+@([\w.-]+)/(\w+)", dsn).groups()
        workload, _ = manifests.Manifests(items).address(host, 5432)
        expect(workload is database and name == "superstep",
               f"the DSN leads elsewhere: {host}/{name}")

    def do(self, *words):
        """A command in the console's pod."""
        process = self.world.start(
            f"superstep {words[0]}", BIN / "superstep", *words,
            environment={**environment_of_the_tests(),
                         **self.console.environment()})
        expect(process.wait() == 0, process.text())
        return process.text("out")

    def nodes(self):
        return [line.split()[3] for line in self.ran.read_text().splitlines()]


def test_the_pods_work_drain_and_are_replaced():
    if postgres.missing():
        print(f"*** {postgres.missing()}: no pods were started ***")
        return
    with World() as world, postgres.Postgres() as server:
        it = Cluster(world, server)
        names = set(it.do("workers", "--names").split())
        expect(names == {pod.name for pod in it.workers}, f"{names}")
        with open(it.gate, "r", encoding="utf-8") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            it.do("run", "effects", "--thread", "t", "--run", "r", "--input",
                  "{}", "--detach")
            while it.nodes() != ["a", "b"]:
                it.do("runs")
            # Its node is drained: all workers are asked to go, the coordinators
            # one by one, each once the one before is back elsewhere.
            for pod in it.workers:
                pod.evict()
            busy = [pod for pod in it.workers
                    if f'on worker {pod.name} ' in it.do("explain", "r")]
            expect(len(busy) == 1, it.do("explain", "r"))
            busy[0].wait("readinessProbe", 503)
            busy[0].wait("livenessProbe", 200)
            for pod in it.coordinators:
                pod.evict()
                pod.end()
                pod.start()
            fcntl.flock(gate, fcntl.LOCK_UN)
        for pod in it.workers:
            pod.end()
            pod.start()
        it.do("attach", "r")
        expect(it.nodes() == ["a", "b", "c"], f"{it.nodes()}")
        told = json.loads(it.do("show", "coordinators", "--json"))
        expect({one["endpoint"] for one in told} ==
               {f"tcp://{pod.address}:7433" for pod in it.coordinators},
               f"{told}")


if __name__ == "__main__":
    # Manifests say the same to any build.
    main({"test_pods": test_the_pods_work_drain_and_are_replaced}
         if is_sanitized() else globals())
