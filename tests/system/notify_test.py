"""What systemd is told of the programs as services of Type=notify, by a socket of
the test's own.
"""

import os
import re
import socket
import struct
import time

import harness
from harness import BIN, DEADLINE_S, LIB, World, expect, main

WATCHDOG_MS = 400


class Manager:
    """Reads what processes tell: (process, text), in their order."""

    def __init__(self, world):
        self.path = world.path("notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.settimeout(0.2)
        self.socket.bind(str(self.path))
        self.heard = []

    def environment(self):
        return dict(os.environ, NOTIFY_SOCKET=str(self.path),
                    WATCHDOG_USEC=str(WATCHDOG_MS * 1000))

    def until(self, *texts):
        """Until each of the texts was heard since it was last asked."""
        fresh = []
        end = time.monotonic() + DEADLINE_S
        while not all(text in fresh for text in texts):
            expect(time.monotonic() < end, f"no {texts} in {self.heard}")
            try:
                data, notes, _, _ = self.socket.recvmsg(4096, 256)
            except socket.timeout:
                continue
            pid = struct.unpack("3i", notes[0][2][:12])[0]
            self.heard.append((pid, data.decode()))
            fresh.append(data.decode())
        return fresh

    def end(self, process):
        """It says that it leaves, and that it was alive until then."""
        self.until("WATCHDOG=1")
        expect(process.stop() == 0, process.text())
        self.until("STOPPING=1")
        self.socket.close()
        expect({pid for pid, _ in self.heard} == {process.pid},
               f"others spoke for {process.pid}: {self.heard}")
        ready = [text for _, text in self.heard if "READY" in text]
        expect(ready == ["READY=1\nSTATUS=ready"], f"{self.heard}")


def test_a_coordinator_says_when_it_can_work():
    with World() as world:
        manager = Manager(world)
        process = world.start(
            "coordinator", BIN / "superstep-coordinator", "--listen",
            harness.ANY_PORT, "--db", world.path("superstep.db"), "--metrics",
            "127.0.0.1:0", environment=manager.environment())
        manager.until("READY=1\nSTATUS=ready")
        port = process.wait_line(r"health on port (\d+)")[1]
        done = world.start("health", BIN / "superstep", "health",
                           f"127.0.0.1:{port}")
        expect(done.wait() == 0, done.text())
        manager.until("WATCHDOG=1")
        manager.end(process)


def test_a_worker_is_ready_when_a_coordinator_has_taken_it_in():
    with World() as world:
        manager = Manager(world)
        # A coordinator that is away, and comes back to the same place.
        world.coordinator().stop()
        worker = world.start(
            "worker", BIN / "superstep-worker", "--app", LIB / "libhello.so",
            "--connect", world.endpoint, environment=manager.environment())
        fresh = manager.until("STATUS=no coordinator has taken it in",
                              "WATCHDOG=1")
        fresh += manager.until("WATCHDOG=1")
        expect(not any(re.search("READY", text) for text in fresh), f"{fresh}")
        world.coordinator()
        manager.until("READY=1\nSTATUS=ready")
        manager.end(worker)


def test_of_several_workers_their_parent_speaks():
    with World() as world:
        manager = Manager(world)
        world.coordinator()
        worker = world.start(
            "worker", BIN / "superstep-worker", "--app", LIB / "libhello.so",
            "--connect", world.endpoint, "--processes", "2",
            environment=manager.environment())
        manager.until("READY=1\nSTATUS=ready", "WATCHDOG=1")
        worker.wait_line(r"\bready\b")
        manager.end(worker)


if __name__ == "__main__":
    main(globals())
