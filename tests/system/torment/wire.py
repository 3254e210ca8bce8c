"""Between a worker and a coordinator: a proxy that reads ZMTP just so far that it
knows where a message ends, and then delivers some of the coordinator's again, holds
some back, or cuts the connection.

What it does is drawn from a seed; `is_calm` lets everything pass.
"""

import heapq
import random
import select
import socket
import threading
import time

GREETING = 64
MORE, LONG, COMMAND = 1, 2, 4
ODDS = {"double": 0.10, "hold": 0.05, "cut": 0.002}
LATE_S = (0.5, 6.0)


def split(data):
    """Whole frames of `data`, and what is left: ([(flags, bytes)], rest)."""
    frames = []
    while len(data) >= 2:
        head = 9 if data[0] & LONG else 2
        if len(data) < head:
            break
        size = head + int.from_bytes(data[1:head], "big")
        if len(data) < size:
            break
        frames.append((data[0], data[:size]))
        data = data[size:]
    return frames, data


class Session(threading.Thread):
    def __init__(self, wire, worker, coordinator):
        super().__init__(daemon=True)
        self.wire = wire
        self.ends = {worker: coordinator, coordinator: worker}
        self.worker = worker
        self.coordinator = coordinator
        self.later = []  # (when, number, bytes) for the worker
        self.count = 0
        self.rest = b""
        self.greeting = GREETING # bytes of it that are to come

    def put_later(self, text):
        self.count += 1
        heapq.heappush(self.later, (
            time.monotonic() + self.wire.rng.uniform(*LATE_S), self.count,
            text))

    def take(self, data):
        """What the coordinator says: all of it, some of it twice or late. False:
        the connection is cut here."""
        now = data[:self.greeting]
        data = data[len(now):]
        self.greeting -= len(now)
        frames, self.rest = split(self.rest + data)
        for flags, text in frames:
            drawn = self.wire.draw(flags)
            if drawn == "cut":
                return False
            if drawn in ("double", "hold"):
                self.put_later(text)
            if drawn != "hold":
                now += text
        self.worker.sendall(now)
        return True

    def send_due(self):
        while self.later and self.later[0][0] <= time.monotonic():
            self.worker.sendall(heapq.heappop(self.later)[2])

    def run(self):
        try:
            while True:
                left = (max(0, self.later[0][0] - time.monotonic())
                        if self.later else None)
                ready, _, _ = select.select(list(self.ends), [], [], left)
                self.send_due()
                for end in ready:
                    data = end.recv(65536)
                    if not data:
                        return
                    if end is self.worker:
                        self.coordinator.sendall(data)
                    elif not self.take(data):
                        return
        except (OSError, ValueError):
            pass
        finally:
            for end in self.ends:
                end.close()


class Wire:
    """Listens for workers, and speaks to the coordinator at `port`."""

    def __init__(self, port, seed, odds=None):
        self.port = port
        self.odds = odds or ODDS
        self.counts = dict.fromkeys(ODDS, 0)
        self.sessions = []
        self.rng = random.Random(seed)
        self.lock = threading.Lock()
        self.is_calm = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def draw(self, flags):
        if self.is_calm or flags & (COMMAND | MORE):
            return None
        with self.lock:
            at = self.rng.random()
            for what, odds in self.odds.items():
                at -= odds
                if at < 0:
                    self.counts[what] += 1
                    return what
        return None

    def accept(self):
        while True:
            try:
                worker, _ = self.listener.accept()
            except OSError:
                return
            try:
                coordinator = socket.create_connection(
                    ("127.0.0.1", self.port), timeout=5)
                coordinator.settimeout(None)
            except OSError:
                worker.close()
                continue
            for end in (worker, coordinator):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            session = Session(self, worker, coordinator)
            self.sessions.append(session)
            session.start()

    def is_quiet(self):
        """Whether nothing is to be delivered later."""
        return not any(one.is_alive() and one.later for one in self.sessions)

    def close(self):
        self.is_calm = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
