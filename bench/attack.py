#!/usr/bin/env python3
"""What hostile peers cost: runs a second besieged against quiet, in one run.

usage: attack.py [SECONDS]   of each window (3); programs by SS_BUILD_DIR

A coordinator with keys, two workers, and a client that keeps 32 runs under way.
For each kind of attack (tests/system/hostile.py) quiet and besieged windows take
turns; what is printed is the ratio of their medians, that of the processor time
that the coordinator took for a run, and, where the machine is busy the one to
believe, how much of a processor the attack takes of a coordinator that has
nothing else to do. Judge the rest on a quiet machine.

In earnest an attacker has a machine of its own, so each kind is measured twice:
  apart    the cluster has one processor, in both windows, and the attacker the
           other: what is lost is what the attack costs the cluster. This is the
           strict figure, and the honest one.
  shared   all share all processors, the attacker at the lowest priority: what is
           lost is also what the attacker itself takes.
"""

import ctypes
import os
import pathlib
import signal
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/system"))

from harness import BIN, LIB, World  # noqa: E402

HOSTILE = ROOT / "tests/system/hostile.py"
KINDS = sys.argv[2:] or ["stranger", "poser", "half", "huge"]
ROUNDS, IN_FLIGHT = 5, 32


class Client:
    """The client library, and runs that are always under way."""

    class Options(ctypes.Structure):
        _fields_ = [("endpoints", ctypes.c_char_p), ("keys", ctypes.c_char_p),
                    ("connect_ms", ctypes.c_int64),
                    ("patience_ms", ctypes.c_int64)]

    def __init__(self, endpoint, keys):
        pointer = ctypes.c_void_p
        self.jansson = ctypes.CDLL("libjansson.so.4")
        self.jansson.json_loads.restype = pointer
        self.jansson.json_loads.argtypes = [ctypes.c_char_p, ctypes.c_size_t,
                                            pointer]
        self.library = ctypes.CDLL(str(LIB / "libsuperstep.so"))
        for name, arguments in (
                ("start", [pointer, ctypes.c_char_p, pointer, pointer]),
                ("wait", [pointer, ctypes.c_int, ctypes.c_int]),
                ("call_is_done", [pointer]),
                ("call_finish", [pointer, pointer, pointer])):
            getattr(self.library, f"ss_client_{name}").argtypes = arguments
        self.library.ss_client_start.restype = pointer
        self.library.ss_client_call_is_done.restype = ctypes.c_bool
        options = self.Options(endpoint.encode(), str(keys).encode(), 0, 0)
        self.client = pointer()
        if self.library.ss_client_open(ctypes.byref(options),
                                       ctypes.byref(self.client), None) != 0:
            sys.exit("attack: no client")
        self.calls = [self.start() for _ in range(IN_FLIGHT)]

    def start(self):
        body = self.jansson.json_loads(
            b'{"graph": "hello", "input": {"name": "Ada"}}', 0, None)
        return ctypes.c_void_p(
            self.library.ss_client_start(self.client, b"run", body, None))

    def step(self):
        """How many runs ended well."""
        done = 0
        self.library.ss_client_wait(self.client, -1, 100)
        for i, call in enumerate(self.calls):
            if self.library.ss_client_call_is_done(call):
                status = self.library.ss_client_call_finish(
                    ctypes.byref(call), None, None)
                if status != 0:
                    sys.exit(f"attack: an honest run failed ({status})")
                self.calls[i] = self.start()
                done += 1
        return done


def processor_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    ticks = sum(int(field) for field in fields.split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def window(client, pid, seconds):
    """(runs a second, the coordinator's seconds a run)"""
    begin, used, count = time.monotonic(), processor_s(pid), 0
    while time.monotonic() - begin < seconds:
        count += client.step()
    took = time.monotonic() - begin
    return count / took, (processor_s(pid) - used) / max(count, 1)


def pin(pid, processors):
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), processors)


def besiege(world, client, coordinator, keys, kind, seconds):
    attacker = world.start(kind, "nice", "-n", "19", sys.executable, HOSTILE,
                           kind, world.endpoint, keys)
    attacker.wait_line("begun")
    attacker.kill(signal.SIGSTOP)
    cluster = [os.getpid()] + [one.pid for one in world.processes
                               if one is not attacker and one.popen.poll() is None]
    everywhere = sorted(os.sched_getaffinity(0))
    for how in ("apart", "shared"):
        is_apart = how == "apart" and len(everywhere) > 1
        for pid in cluster:
            pin(pid, everywhere[:1] if is_apart else everywhere)
        pin(attacker.pid, everywhere[1:] if is_apart else everywhere)
        measure(client, coordinator, attacker, f"{kind:9} {how:7}", seconds)
    attacker.kill()


def idle(coordinator, seconds):
    """How much of a processor the coordinator takes while no run is begun."""
    time.sleep(0.5)
    begin, used = time.monotonic(), processor_s(coordinator.pid)
    time.sleep(seconds)
    return ((processor_s(coordinator.pid) - used) /
            (time.monotonic() - begin))


def measure(client, coordinator, attacker, title, seconds):
    quiet, besieged, idles = [], [], []
    for _ in range(ROUNDS):
        quiet.append(window(client, coordinator.pid, seconds))
        attacker.kill(signal.SIGCONT)
        besieged.append(window(client, coordinator.pid, seconds))
        idles.append(idle(coordinator, seconds))
        attacker.kill(signal.SIGSTOP)
    rates = [statistics.median(rate for rate, _ in part)
             for part in (quiet, besieged)]
    costs = [statistics.median(cost for _, cost in part)
             for part in (quiet, besieged)]
    print(f"{title} quiet {rates[0]:6.0f}/s  besieged {rates[1]:6.0f}/s  "
          f"ratio {rates[1] / rates[0]:.2f}  coordinator's time a run "
          f"{costs[1] / max(costs[0], 1e-9):.2f}  of a processor "
          f"{statistics.median(idles):.3f}", flush=True)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3
    with World() as world:
        keys = world.path("keys")
        world.start("keys", BIN / "superstep", "keys", "new", "--keys",
                    keys).wait()
        coordinator = world.coordinator("--keys", keys, "--store", "memory:")
        for _ in range(2):
            world.worker(LIB / "libhello.so", None, "--keys", keys,
                         capacity=16)
        client = Client(world.endpoint, keys / "operator.key")
        window(client, coordinator.pid, 1)
        for kind in KINDS:
            besiege(world, client, coordinator, keys, kind, seconds)
        print("\n".join(coordinator.text("err").splitlines()))


if __name__ == "__main__":
    main()
