"""Where it is measured: databases, clusters, programs, and what machine it is."""

import contextlib
import json
import os
import pathlib
import platform
import subprocess
import tempfile

from harness import ANY_PORT, BIN, LIB, ROOT, World
from postgres import Postgres, missing

APPLICATION = LIB / "bench.so"
CAPACITY = 64
CLIENT_RUNS = 1000
TIME_S = 900


def words_of(command):
    return [str(word) for word in command]


def output_of(*command, seconds=TIME_S, **options):
    """What a program wrote to standard output; its last words if it failed."""
    done = subprocess.run(words_of(command), text=True, capture_output=True,
                          timeout=seconds, stdin=subprocess.DEVNULL,
                          check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()
                           or f"{command[0]}: status {done.returncode}")
    return done.stdout


def line_of(*command, **options):
    """The last line of a program's output, which is JSON."""
    return json.loads(output_of(*command, **options).splitlines()[-1])


def tree_s(pid):
    """Processor time of a process and its children, ended ones too."""
    ticks = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            part = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has just ended
        if path.parent.name == str(pid):
            ticks += sum(map(int, part[11:15]))
        elif part[1] == str(pid):
            ticks += sum(map(int, part[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Place:
    """One PostgreSQL for the whole run, with fsync, begun when it is needed; a
    database of its own for each measurement."""

    def __init__(self, tiny, peers):
        self.tiny = tiny
        self.peers = peers
        self.server = None
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.server:
            self.server.__exit__(*error)

    def postgres(self):
        if not self.server:
            self.server = Postgres(["max_connections=400"], own_group=True,
                                   on_disk=True).__enter__()
        return self.server

    def processor_s(self, pids=()):
        """Processor time so far: of PostgreSQL's processes, of those with these
        ids, and of what was started here and has ended."""
        spent = os.times()
        return (spent.children_user + spent.children_system
                + sum(map(tree_s, pids)) + self.server_s())

    def server_s(self):
        return tree_s(self.server.process.pid) if self.server else 0

    @staticmethod
    def no_postgres():
        return missing()

    @contextlib.contextmanager
    def database(self):
        """Its name, until it is dropped."""
        self.count += 1
        name = f"bench{self.count}"
        server = self.postgres()
        server.sql(f"CREATE DATABASE {name}")
        try:
            yield name
        finally:
            server.sql(f"DROP DATABASE {name} WITH (FORCE)")

    @contextlib.contextmanager
    def store(self, kind):
        """The URL of an empty store: postgres, sqlite, memory."""
        if kind == "memory":
            yield "memory:"
        elif kind == "sqlite":
            with tempfile.TemporaryDirectory(prefix="superstep-bench-") as folder:
                yield f"sqlite:{folder}/bench.db"
        else:
            with self.database() as name:
                yield self.postgres().url(name)

    def size(self, normal, tiny):
        return tiny if self.tiny else normal


class Cluster(World):
    """A coordinator and a worker with the graphs that are measured."""

    def __init__(self, store):
        super().__init__()
        self.store = store
        self.at = None

    def begin(self, *more):
        process = self.start(
            "coordinator", BIN / "superstep-coordinator", "--listen",
            self.at or ANY_PORT, "--store", self.store,
            "--messages-rate", 10000000, *more)
        self.at = process.wait_line(r"listening on ([^\s,]+)")[1]
        return process

    def work(self, *more, capacity=CAPACITY):
        process = self.start(
            "worker", BIN / "superstep-worker", "--app", APPLICATION,
            "--connect", self.at, "--capacity", capacity, *more)
        process.wait_line(r"\bready\b")
        return process

    def crowd(self, graph, **options):
        return line_of(*self.crowd_words(graph, **options))

    def crowds(self, graph, runs, clients=1, **options):
        """So many runs at once, by so many clients, or as many more as it
        takes: the seconds from the first one's begin to the last one's end."""
        most = min(CLIENT_RUNS, -(-runs // clients))
        shares = [min(most, runs - first) for first in range(0, runs, most)]
        started = [subprocess.Popen(
            self.crowd_words(graph, runs=share, at_once=share,
                             first=i * most, **options),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
            for i, share in enumerate(shares)]
        said = [each.communicate(timeout=TIME_S) for each in started]
        for each, (_, errors) in zip(started, said):
            if each.returncode != 0:
                raise RuntimeError(errors.strip())
        got = [json.loads(output) for output, _ in said]
        return max(each["end"] for each in got) - min(
            each["begin"] for each in got)

    def crowd_words(self, graph, **options):
        words = [BIN / "bench-crowd", graph, "--connect", self.at]
        for name, value in options.items():
            words.append("--" + name.replace("_", "-"))
            if value is not True:
                words.append(value)
        return words_of(words)


def first_line(*command):
    try:
        return output_of(*command, seconds=20).splitlines()[0]
    except (OSError, RuntimeError, IndexError, subprocess.SubprocessError):
        return "unknown"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def file_system(folder):
    """The kind that `folder` lies in: a commit to tmpfs costs nothing."""
    mounts = [line.split() for line in
              pathlib.Path("/proc/self/mounts").read_text().splitlines()]
    # In a changed root no mount may tell of the root itself.
    return max(((len(at), kind) for _, at, kind, *_ in mounts
                if folder.resolve().is_relative_to(at)),
               default=(0, "unknown"))[1]


def machine(place):
    told = {
        "commit": first_line("git", "-C", ROOT, "describe", "--always",
                             "--dirty"),
        "processor": f"{len(os.sched_getaffinity(0))} x {processor()}",
        "load of the last minutes": " ".join(
            f"{part:.1f}" for part in os.getloadavg()),
        "system": f"{platform.system()} {platform.release()}",
        "superstep": first_line(BIN / "superstep", "--version"),
        "python": platform.python_version(),
    }
    if place.server:
        told["postgres"] = place.server.sql("SHOW server_version")
        told["its disk"] = file_system(place.server.folder)
    told |= place.peers.versions()
    return told
