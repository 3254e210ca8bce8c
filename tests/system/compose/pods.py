"""Pods of deploy/kubernetes as containers: the images, users, rights, files, names
and probes of the manifests, without Kubernetes.
"""

import os
import subprocess
import time

import kubelet
from engine import Failure
from harness import DEADLINE_S, World, expect
from kubernetes_test import Tree
from kustomize import pods_of

IMAGES = {"coordinator": "superstep-coordinator", "worker": "superstep-naps:1",
          "console": "superstep-coordinator"}
NAPS = 16 # twice as many as two workers of four places take at once
RUN = ("run", "naps", "--thread", "pods", "--run", "pods", "--detach",
       "--input", f'{{"count": {NAPS}, "ms": 10}}')


class Container:
    """What a pod asks of its process, told by the engine."""

    def __init__(self, engine, name):
        self.engine = engine
        self.name = name

    def state(self, what):
        return self.engine.docker("inspect", "-f", f"{{{{{what}}}}}",
                                  self.name).stdout.strip()

    def is_running(self):
        return self.state(".State.Running") == "true"

    def text(self):
        done = self.engine.docker("logs", self.name)
        return done.stdout + done.stderr

    def kill(self, number):
        self.engine.docker("kill", "-s", str(int(number)), self.name)

    def wait(self, timeout):
        try:
            done = self.engine.docker("wait", self.name, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} does not end within {timeout} s:\n"
                          f"{self.text()}") from None
        return int(done.stdout)


class Pod(kubelet.Pod):
    def value(self, line, values):
        """As it stands: names are looked up by the network's own DNS."""
        if "valueFrom" in line:
            return super().value(line, values)
        text = line["value"]
        for name, value in values.items():
            text = text.replace(f"$({name})", value)
        return text

    def mounts(self):
        """A Secret's files are the group's to read, as fsGroup makes them."""
        user = self.spec["securityContext"]
        for mount in self.container["volumeMounts"]:
            (volume,) = [one for one in self.spec["volumes"]
                         if one["name"] == mount["name"]]
            place = mount["mountPath"]
            if "secret" not in volume:
                yield from ("--tmpfs", f"{place}:uid={user['runAsUser']},"
                                       f"gid={user['fsGroup']}")
                continue
            folder = self.folder(volume)
            mode = volume["secret"]["defaultMode"]
            for name in os.listdir(folder):
                os.chown(f"{folder}/{name}", 0, user["fsGroup"])
                os.chmod(f"{folder}/{name}", mode)
            yield from ("-v", f"{folder}:{place}:ro")

    def rights(self):
        user, own = self.spec["securityContext"], self.container[
            "securityContext"]
        yield from ("--user", f"{user['runAsUser']}:{user['runAsGroup']}")
        if own["readOnlyRootFilesystem"]:
            yield "--read-only"
        for capability in own["capabilities"]["drop"]:
            yield from ("--cap-drop", capability)
        if not own["allowPrivilegeEscalation"]:
            yield from ("--security-opt", "no-new-privileges")

    def names(self):
        """As a headless service gives them to pods of a StatefulSet."""
        service = self.item["spec"].get("serviceName")
        if service:
            name = f"{self.name}.{service}"
            space = self.node.manifests.namespace()
            yield from (name, f"{name}.{space}.svc")

    def launch(self):
        engine, stage = self.node.engine, self.container["name"]
        container = Container(engine, f"{self.node.network}-{self.name}")
        settings = {**self.environment(), **self.node.more.get(stage, {})}
        command = self.container.get("command", [])
        # What is left of the one before it.
        engine.docker("rm", "-f", container.name, check=False)
        engine.docker(
            "run", "-d", "--name", container.name, "--network",
            self.node.network, *(word for name in self.names()
                                 for word in ("--network-alias", name)),
            *self.rights(), *self.mounts(), "-v", f"{self.node.volume}:/data",
            *(word for name, value in settings.items()
              for word in ("-e", f"{name}={value}")),
            *(["--entrypoint", command[0]] if command else []), IMAGES[stage],
            *command[1:])
        address = container.state("range .NetworkSettings.Networks}}"
                                  "{{.IPAddress}}{{end")
        self.address = address
        return container

    def do(self, *words, check=True):
        return self.node.engine.docker("exec", self.process.name, *words,
                                       check=check, timeout=DEADLINE_S)


class Node(kubelet.Node):
    """A network for the pods, and the database that they expect beside them."""
    of = Pod

    def __init__(self, engine, world, items):
        super().__init__(world, items, {"coordinator": {
            "SUPERSTEP_DRAIN_MS": "500", "SUPERSTEP_CLUSTER_LEASE_MS": "2000"}})
        self.engine = engine
        self.network = self.volume = f"superstep-pods-{os.getpid()}"
        engine.docker("network", "create", self.network)

    def start_database(self):
        """Our own image in place of the one that the manifest pulls."""
        (volume,) = [one for one in pods_of(self.manifests.one(
            "StatefulSet", "postgres"))["spec"]["volumes"] if "secret" in one]
        secret = self.manifests.one("Secret", volume["secret"]["secretName"])
        place = self.world.path("password")
        place.write_bytes(kubelet.file_of(secret, "postgres_password"))
        place.chmod(0o444)
        self.engine.docker(
            "run", "-d", "--name", f"{self.network}-postgres", "--network",
            self.network, "--network-alias", "postgres", "-e",
            "POSTGRES_PASSWORD_FILE=/password", "-v", f"{place}:/password:ro",
            "superstep-postgres")
        until("the database is ready", lambda: self.engine.docker(
            "exec", f"{self.network}-postgres", "pg_isready", "-q", "-h",
            "127.0.0.1", "-d", "superstep", "-U", "superstep",
            check=False).returncode == 0)

    def end(self):
        found = self.engine.docker("ps", "-aq", "--filter",
                                   f"network={self.network}").stdout.split()
        if found:
            self.engine.docker("rm", "-f", "-v", *found, check=False)
        self.engine.docker("network", "rm", self.network, check=False)
        self.engine.docker("volume", "rm", self.volume, check=False)


def until(what, condition):
    end = time.monotonic() + DEADLINE_S
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {DEADLINE_S} s")
        time.sleep(0.1)


def play(engine):
    """Both workers and both coordinators are drained in the midst of a run."""
    with World() as world:
        node = Node(engine, world, Tree(world).build("try"))
        try:
            drain_all(node)
        finally:
            node.end()


def drain_all(node):
    node.start_database()
    coordinators = node.pods_of("StatefulSet", "superstep-coordinator")
    workers = node.pods_of("Deployment", "superstep-worker")
    (console,) = node.pods_of("Deployment", "superstep-console")
    for pod in coordinators:
        pod.start()
    for pod in workers:
        pod.start()
    console.process = console.launch()

    def ask(*words):
        return console.do("superstep", *words).stdout

    def begun():
        done = workers[0].do("cat", "/data/naps", check=False)
        return sorted(int(line.split()[1]) for line in done.stdout.splitlines())

    until("both workers are known", lambda: set(
        ask("workers", "--names").split()) == {pod.name for pod in workers})
    workers[0].do("touch", "/data/hold")
    ask(*RUN)
    until("both workers are full", lambda: len(begun()) == NAPS // 2)
    leaving, staying = workers
    leaving.evict()
    leaving.wait("readinessProbe", 503)
    leaving.wait("livenessProbe", 200)
    for pod in coordinators:
        pod.evict()
        pod.end()
        pod.start()
    staying.do("rm", "/data/hold")
    leaving.end()
    leaving.start()
    answer = ask("attach", "pods")
    total = sum(number * number for number in range(NAPS))
    expect(f'"result": {total}' in answer, answer)
    expect(begun() == list(range(NAPS)), f"naps that began: {begun()}")
