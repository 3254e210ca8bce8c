"""What goes wrong: processes killed and stopped, sessions of the database cut, the
database dead. Drawn from a seed; when, by how many bodies have begun."""

import collections
import os
import signal
import threading
import time

STOP_S = (1.0, 8.0)
BODIES = (5, 60) # that begin between two mishaps ...
PATIENCE_S = 3.0 # ... or so long, where none begins


class Mishaps:
    def __init__(self, scene, rng):
        self.scene = scene
        self.rng = rng
        self.counts = collections.Counter()
        self.stopped = [] # (when it goes on, process)
        self.kinds = {
            self.kill_worker: 6, self.stop_worker: 8,
            self.kill_coordinator: 4, self.stop_coordinator: 4,
            self.kill_workers: 1, self.kill_coordinators: 1,
            self.cut_sessions: 2, self.kill_backend: 1,
            self.kill_database: 1, self.cut_commit: 4}

    def play(self, end):
        """One after the other, until `end`; then all go on."""
        while time.monotonic() < end:
            kinds = list(self.kinds)
            mishap = self.rng.choices(kinds, list(self.kinds.values()))[0]
            self.counts[mishap.__name__] += 1
            mishap()
            self.wait()
            self.scene.revive()
        self.go_on(everybody=True)
        self.scene.revive()

    def bodies(self):
        return self.scene.effects.stat().st_size // 100

    def wait(self):
        """Until enough bodies have begun; stopped processes go on meanwhile."""
        wanted = self.bodies() + self.rng.randint(*BODIES)
        end = time.monotonic() + PATIENCE_S
        while self.bodies() < wanted and time.monotonic() < end:
            threading.Event().wait(0.05)
            self.go_on()

    def go_on(self, everybody=False):
        now = time.monotonic()
        for at, process in list(self.stopped):
            if everybody or at <= now:
                process.kill(signal.SIGCONT)
                self.stopped.remove((at, process))

    def stop(self, process):
        if any(process is one for _, one in self.stopped):
            return
        process.kill(signal.SIGSTOP)
        self.stopped.append(
            (time.monotonic() + self.rng.uniform(*STOP_S), process))

    def kill(self, process):
        self.stopped = [one for one in self.stopped if one[1] is not process]
        process.kill()

    def kill_worker(self):
        self.kill(self.rng.choice(self.scene.workers))

    def stop_worker(self):
        self.stop(self.rng.choice(self.scene.workers))

    def kill_coordinator(self):
        self.kill(self.rng.choice(self.scene.coordinators))

    def stop_coordinator(self):
        self.stop(self.rng.choice(self.scene.coordinators))

    def kill_workers(self):
        for process in self.scene.workers:
            self.kill(process)

    def kill_coordinators(self):
        for process in self.scene.coordinators:
            self.kill(process)

    def backends(self):
        return [int(pid) for pid in self.scene.sql(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = "
            "'client backend' AND pid <> pg_backend_pid()").split()]

    def cut_sessions(self):
        self.scene.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
            "backend_type = 'client backend' AND pid <> pg_backend_pid()")

    def kill_backend(self):
        """The server takes all sessions down, and recovers."""
        pids = self.backends()
        if pids:
            try:
                os.kill(self.rng.choice(pids), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def kill_database(self):
        self.scene.server.crash()

    def cut_commit(self):
        self.scene.cutter.cut(self.rng.choice(["before", "after"]),
                              self.rng.randint(1, 20))
