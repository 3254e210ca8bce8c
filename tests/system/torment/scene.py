"""The processes: PostgreSQL, two coordinators, three workers; how they are started
again, and what is between them."""

import contextlib
import json
import os
import socket
import subprocess
import threading
import time

import postgres
import proxy
from harness import BIN, DEADLINE_S, LIB, ROOT, Failure, World, expect
from wire import Wire

COORDINATORS, WORKERS = 2, 3
HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Scene:
    def __init__(self, rng):
        self.rng = rng
        self.world = World()
        self.server = postgres.Postgres(["track_commit_timestamp=on"])
        self.coordinators = [None] * COORDINATORS
        self.workers = [None] * WORKERS
        self.life = 0

    # What was begun is left where the rest cannot begin: else its threads are
    # waited for, and nobody is told why.
    def __enter__(self):
        with contextlib.ExitStack() as begun:
            self.begin(begun)
            self.left = begun.pop_all()
        return self

    def __exit__(self, kind, error, trace):
        self.left.__exit__(kind, error, trace)

    def begin(self, begun):
        begun.enter_context(self.server)
        self.cutter = begun.enter_context(proxy.Proxy(self.server.folder))
        self.ports = [free_port() for _ in range(COORDINATORS)]
        self.wires = []
        for port in self.ports:
            self.wires.append(Wire(port, self.rng.randrange(1 << 30)))
            begun.callback(self.wires[-1].close)
        begun.enter_context(self.world)
        self.effects = self.world.path("effects")
        self.effects.touch()
        self.app = self.world.compile(os.path.join(HERE, "app.c"))
        self.look = self.compile_look()
        self.recaller = self.compile_recaller()
        for which in range(COORDINATORS):
            self.start_coordinator(which)
        for which in range(WORKERS):
            self.start_worker(which)

    def sql(self, text):
        """What the server says, as soon as it does: it may be recovering."""
        end = time.monotonic() + DEADLINE_S
        while True:
            try:
                return self.server.sql(text)
            except Failure:
                if time.monotonic() > end:
                    raise
                threading.Event().wait(0.1)

    def compile_look(self):
        target = self.world.path("look.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1",
                        os.path.join(HERE, "look.c"), "-o", str(target)],
                       check=True)
        return target

    def compile_recaller(self):
        target = self.world.path("recall")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "jansson"],
                               check=True, capture_output=True,
                               text=True).stdout.split()
        subprocess.run([os.environ.get("CC", "cc"), "-O1",
                        f"-I{ROOT / 'client/include'}",
                        os.path.join(HERE, "recall.c"), "-o", str(target),
                        str(LIB / "libsuperstep.so"), f"-Wl,-rpath,{LIB}",
                        *flags], check=True)
        return target

    def recall(self, threads):
        """What recall.c says of each of them, and how it ended."""
        done = subprocess.run(
            [str(self.recaller), self.endpoints()], text=True,
            capture_output=True, timeout=DEADLINE_S, check=False,
            input="".join(f"{thread}\n" for thread in threads))
        expect(done.returncode == 0,
               f"recall: status {done.returncode}: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def endpoint(self, which):
        return f"tcp://127.0.0.1:{self.ports[which]}"

    def endpoints(self):
        return ",".join(self.endpoint(i) for i in range(COORDINATORS))

    # The second one reaches its database through a proxy.
    def store(self, which):
        url = self.server.url()
        if which == 0:
            return url
        return url.replace(str(self.server.folder), str(self.cutter.folder))

    def start_coordinator(self, which):
        self.life += 1
        self.coordinators[which] = self.world.start(
            f"coordinator{which + 1}", BIN / "superstep-coordinator",
            "--listen", self.endpoint(which), "--store", self.store(which),
            "--lease-ms", "3000", "--heartbeat-ms", "500",
            "--cluster-lease-ms", "4000",
            "--store-connections", str(which + 1))

    # The last one reaches the coordinators through proxies.
    def start_worker(self, which):
        self.life += 1
        endpoints = self.endpoints()
        if which == WORKERS - 1:
            endpoints = ",".join(wire.endpoint for wire in self.wires)
        self.workers[which] = self.world.start(
            f"worker{which + 1}", BIN / "superstep-worker", "--app", self.app,
            "--app-arg", self.effects, "--connect", endpoints,
            "--capacity", "4", "--name", f"w{which + 1}.{self.life}",
            environment={**os.environ, "LD_PRELOAD": str(self.look)})

    def revive(self):
        """Start again what has ended."""
        if not self.server.process.is_running():
            self.server.start()
        for which, process in enumerate(self.coordinators):
            if not process.is_running():
                self.forget(process)
                self.start_coordinator(which)
        for which, process in enumerate(self.workers):
            if not process.is_running():
                self.forget(process)
                self.start_worker(which)

    def forget(self, process):
        process.wait()
        self.world.processes.remove(process)

    def command(self, *words, timeout=DEADLINE_S):
        """A `superstep` command: its status and its two outputs."""
        try:
            done = subprocess.run(
                [str(BIN / "superstep"), "--coordinator", self.endpoints(),
                 *map(str, words)], text=True, capture_output=True,
                timeout=timeout, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, "", "it took too long"
        return done.returncode, done.stdout, done.stderr

    def until_ready(self):
        """Until all serve: a run of a graph that nobody announced is refused."""
        for worker in self.workers:
            worker.wait_line(r"\bready\b")
        status, out, err = self.command("graphs", "--json")
        expect(status == 0, f"graphs: {status}\n{out}{err}")
