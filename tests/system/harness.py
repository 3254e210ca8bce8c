"""Real processes for system tests: started, waited for, stopped by their ids.

A World is a folder and the processes started in it; leaving it stops them all.
Nothing here sleeps for a fixed time: a test waits for a line of a process, for
its end, or for a line in the effects pipe, each with a deadline.
"""

import difflib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SS_BUILD_DIR", ROOT / "build/dev"))
BIN = pathlib.Path(os.environ.get("SS_BIN_DIR", BUILD / "bin"))
LIB = pathlib.Path(os.environ.get("SS_LIB_DIR", BUILD / "lib"))
# Sanitizers and busy machines make everything slower, never wrong.
DEADLINE_S = 120
TRIES = 40
ANY_PORT = "tcp://127.0.0.1:*"


class Failure(Exception):
    """What a test expected and did not see."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def get(port, page):
    """The status and text of a page that a process shows there."""
    try:
        with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/{page}", timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def port_of(process):
    """Where it shows them."""
    return process.wait_line(r"metrics and health on port (\d+)")[1]


class Process:
    """A process whose lines are read as they come."""

    def __init__(self, name, command, environment=None, limits=None,
                 own_group=False):
        self.name = name
        self.lines = []
        self.changed = threading.Condition()
        self.popen = subprocess.Popen(
            [word if isinstance(word, bytes) else str(word)
             for word in command], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", env=environment, preexec_fn=limits,
            start_new_session=own_group)
        self.pid = self.popen.pid
        self.readers = [
            threading.Thread(target=self._read, args=(stream, kind))
            for stream, kind in ((self.popen.stdout, "out"),
                                 (self.popen.stderr, "err"))]
        for reader in self.readers:
            reader.start()

    def _read(self, stream, kind):
        for line in stream:
            with self.changed:
                self.lines.append((kind, line.rstrip("\n")))
                self.changed.notify_all()
        with self.changed:
            self.changed.notify_all()
        stream.close()

    def text(self, kind=None):
        with self.changed:
            return "\n".join(
                line for of, line in self.lines if kind in (None, of))

    def count(self):
        """How many lines it has said so far."""
        with self.changed:
            return len(self.lines)

    def wait_line(self, pattern, timeout=DEADLINE_S, after=0):
        """The match of the first line that has `pattern`, but for the first
        `after` ones."""
        end = time.monotonic() + timeout
        looked_at = after
        with self.changed:
            while True:
                while looked_at < len(self.lines):
                    match = re.search(pattern, self.lines[looked_at][1])
                    if match:
                        return match
                    looked_at += 1
                left = end - time.monotonic()
                ended = not any(reader.is_alive() for reader in self.readers)
                if left <= 0 or ended:
                    break
                self.changed.wait(min(left, 0.5))
        raise Failure(f"{self.name} never said {pattern!r}, but:\n"
                      f"{self.text()}")

    def wait(self, timeout=DEADLINE_S):
        """Its exit status, once all its lines are read."""
        try:
            status = self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} does not end:\n{self.text()}") from None
        for reader in self.readers:
            reader.join(timeout)
        return status

    def is_running(self):
        return self.popen.poll() is None

    def kill(self, number=signal.SIGKILL):
        """Send a signal to it, if it is there; SIGKILL waits for its end."""
        if self.is_running():
            self.popen.send_signal(number)
        if number == signal.SIGKILL:
            self.wait()

    def stop(self):
        """End it as an operator does, and say how it ended."""
        self.kill(signal.SIGTERM)
        return self.wait()


def stopping(place):
    """An environment that stops a process there (common/app/stops.def)."""
    return {**os.environ, "SUPERSTEP_TEST_STOP": place} if place else None


class Effects:
    """The bodies' own trace (examples/digest/trial.h): a pipe, so that each
    line is an event to wait for."""

    def __init__(self, path):
        self.path = path
        os.mkfifo(path)
        # Open for both: no end of file when the last writer is killed.
        self.file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.rest = b""
        self.lines = []

    def wait(self, count, timeout=DEADLINE_S):
        """Until `count` lines are there: True; False when time is over."""
        end = time.monotonic() + timeout
        while len(self.lines) < count:
            left = max(0, end - time.monotonic())
            if not select.select([self.file], [], [], left)[0]:
                return False
            self.rest += os.read(self.file, 65536)
            *whole, self.rest = self.rest.split(b"\n")
            for line in whole:
                task, node, attempt, pid, name = line.decode().split("\t")
                self.lines.append({
                    "task": task, "node": node, "attempt": int(attempt),
                    "pid": int(pid), "name": name})
        return True

    def until(self, condition, timeout=DEADLINE_S):
        """Read on until `condition(lines)`; its answer, or a failure."""
        end = time.monotonic() + timeout
        while True:
            answer = condition(self.lines)
            if answer:
                return answer
            if not self.wait(len(self.lines) + 1, end - time.monotonic()):
                raise Failure(f"waited too long; the effects are\n"
                              f"{self.describe()}")

    def drain(self):
        """What is there already."""
        self.wait(sys.maxsize, 0)
        return self.lines

    def describe(self):
        return "\n".join(
            f"  {line['node']} {line['name']} attempt {line['attempt']} "
            f"process {line['pid']}" for line in self.lines)

    def close(self):
        os.close(self.file)


NOBODY = 65534


def as_nobody():
    """For a child process: no rights but those that all users have."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


class World:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="superstep-"))
        self.processes = []
        self.endpoint = None
        self.effects = None
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for process in self.processes:
            process.kill()
        if self.effects:
            self.effects.close()
        if error is not None:
            for process in self.processes:
                print(f"--- {process.name} ({process.pid})")
                print("\n".join(process.text().splitlines()[-30:]))
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return self.folder / name

    def for_nobody(self, program):
        """The same program where every user finds it: the project may lie in a
        folder of root's alone."""
        copy = self.path(program.name)
        if not copy.exists():
            shutil.copy2(program, copy)
        return copy

    def start(self, name, *command, **options):
        process = Process(name, command, **options)
        self.processes.append(process)
        return process

    def start_effects(self):
        self.effects = Effects(self.path("effects"))
        return self.effects

    # The same store and endpoint again, when it was there before.
    def coordinator(self, *more, db=None, limits=None, wait=True, stop=None,
                    program=BIN / "superstep-coordinator"):
        store = ["--db", db or self.path("superstep.db")]
        if "--store" in more:
            store = []
        process = self.start(
            "coordinator", program, "--listen",
            self.endpoint or ANY_PORT, *store, "--lease-ms", "1500",
            "--heartbeat-ms", "300", *more, limits=limits,
            environment=stopping(stop))
        if wait:
            self.endpoint = process.wait_line(r"listening on ([^\s,]+)")[1]
        return process

    def worker(self, app, arg=None, *more, capacity=4, wait=True, stop=None):
        self.count += 1
        name = f"worker{self.count}"
        process = self.start(
            name, BIN / "superstep-worker", "--app", app,
            *(["--app-arg", arg] if arg else []), "--connect",
            self.endpoint, "--capacity", capacity, "--name", name, *more,
            environment=stopping(stop))
        if wait:
            process.wait_line(r"\bready\b")
        return process

    def command(self, *words, name=None, stop=None):
        """A `superstep` command, started."""
        return self.start(
            name or f"superstep {words[0]}", BIN / "superstep",
            "--coordinator", self.endpoint, *words,
            environment=stopping(stop))

    def do(self, *words, status=0):
        """A `superstep` command, done: what it wrote to standard output. It is
        given again where nobody answered at all in the second and a half that it
        waits for a first word: a busy machine may take longer."""
        for _ in range(TRIES):
            process = self.command(*words)
            ended = process.wait()
            if ended == status or "no coordinator answers" not in process.text():
                break
        expect(ended == status,
               f"superstep {' '.join(map(str, words))}: status {ended} "
               f"instead of {status}:\n{process.text()}")
        return process.text("out")

    def ask(self, *words, status=0):
        return json.loads(self.do(*words, "--json", status=status))

    def compile(self, source, *flags):
        """An application as a user builds it; its path."""
        target = self.path(pathlib.Path(source).stem + ".so")
        flags_of = subprocess.run(
            ["pkg-config", "--cflags", "jansson"], check=True,
            capture_output=True, text=True).stdout.split()
        subprocess.run(
            [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1",
             f"-I{ROOT / 'worker/include'}", *flags_of, *flags, str(source),
             "-o", str(target)], check=True)
        return target


def pss_kb(pid):
    """The memory that is a process' own, and its share of what is shared."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+) kB", text, re.M)[1])


def is_sanitized():
    """Whether the programs carry a sanitizer: their memory is not a measure."""
    data = (BIN / "superstep-coordinator").read_bytes()
    return b"__asan_init" in data or b"__tsan_init" in data


def chosen(tests, wanted):
    """Those of the tests that are wanted (none: all); a name that none of them
    has ends the program, before anything is played."""
    for name in wanted:
        if name not in tests:
            near = difflib.get_close_matches(name, tests, 1)
            print(f"{sys.argv[0]}: there is no test {name}."
                  + (f" Did you mean {near[0]}?" if near else ""),
                  file=sys.stderr)
            sys.exit(2)
    return {name: function for name, function in tests.items()
            if name in wanted or not wanted}


def main(scope):
    """Run the functions named test_... of a module, or those named as
    arguments."""
    tests = {name[len("test_"):]: function
             for name, function in scope.items() if name.startswith("test_")}
    failed = 0
    for name, function in chosen(tests, sys.argv[1:]).items():
        begin = time.monotonic()
        try:
            function()
            result = "passed"
        except Exception as error:
            failed += 1
            result = "failed"
            if isinstance(error, Failure):
                print(error)
            else:
                traceback.print_exc()
        print(f"{result} {name} ({time.monotonic() - begin:.1f} s)",
              flush=True)
    sys.exit(1 if failed else 0)
