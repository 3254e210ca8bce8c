"""The members of a cluster, each of the older version until it is upgraded: two
coordinators on a PostgreSQL, or one on a file of SQLite, and their workers."""

import os
import random
import subprocess
import sys

from harness import BIN, DEADLINE_S, ROOT, TRIES, expect
from scene import HERE as TORMENT
from scene import Scene, free_port

WORKERS = 3
LISTENS = r"listening on ([^\s,]+)"
NEWER = "was written by a newer version"


class Version:
    """Programs, and the application as it is built against their headers."""

    def __init__(self, name, programs, include):
        self.name = name
        self.programs = programs
        self.include = include
        self.app = None

    def build_app(self, world):
        self.app = world.path(f"app_{self.name}.so")
        flags = subprocess.run(["pkg-config", "--cflags", "jansson"],
                               check=True, capture_output=True,
                               text=True).stdout.split()
        subprocess.run(
            [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1",
             f"-I{self.include}", *flags, os.path.join(TORMENT, "app.c"),
             "-o", str(self.app)], check=True)


class Client:
    """What customers ask through: the command of one version."""

    def __init__(self, members, version):
        self.members = members
        self.program = version.programs / "superstep"

    def command(self, *words, at=None, timeout=DEADLINE_S):
        """Its status and its two outputs; `at`: of that coordinator alone. It is
        given again where nobody answered at all, as on a busy machine."""
        for _ in range(TRIES):
            if self.members.is_over:
                sys.exit() # the customer's thread
            try:
                done = subprocess.run(
                    [str(self.program), "--coordinator",
                     at or self.members.endpoints(), *map(str, words)],
                    text=True, capture_output=True, timeout=timeout,
                    check=False, stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return None, "", "it took too long"
            if "no coordinator answers" not in done.stderr:
                break
        return done.returncode, done.stdout, done.stderr


class Members(Scene):
    """`older`: Older(). What is asked of them all is asked by the new command."""

    def __init__(self, older, coordinators, workers):
        super().__init__(random.Random(0))
        self.old = Version("old", older.bin, older.include)
        self.new = Version("new", BIN, ROOT / "worker/include")
        self.coordinators = [None] * coordinators
        self.workers = [None] * workers
        self.is_over = False

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def start(self):
        self.world.__enter__()
        self.open_store()
        self.ports = [free_port() for _ in self.coordinators]
        self.effects = self.world.path("effects")
        self.effects.touch()
        for version in (self.old, self.new):
            version.build_app(self.world)
        self.recaller = self.compile_recaller()
        self.client = Client(self, self.new)
        for which in range(len(self.coordinators)):
            self.start_coordinator(which, self.old)
        for which in range(len(self.workers)):
            self.start_worker(which, self.old)
        self.until_ready()

    def __exit__(self, kind, error, trace):
        self.is_over = True
        try:
            self.world.__exit__(kind, error, trace)
        finally:
            self.close_store(kind, error, trace)

    def command(self, *words, **options):
        return self.client.command(*words, **options)

    def endpoints(self):
        return ",".join(map(self.endpoint, range(len(self.ports))))

    def store_words(self):
        raise NotImplementedError

    def start_coordinator(self, which, version, port=None):
        endpoint = f"tcp://127.0.0.1:{port or self.ports[which]}"
        process = self.world.start(
            f"{version.name} coordinator{which + 1}",
            version.programs / "superstep-coordinator", "--listen", endpoint,
            *self.store_words())
        if port is None:
            self.coordinators[which] = process
            process.wait_line(LISTENS)
        return process

    def start_worker(self, which, version):
        self.life += 1
        self.workers[which] = self.world.start(
            f"{version.name} worker{which + 1}",
            version.programs / "superstep-worker", "--app", version.app,
            "--app-arg", self.effects, "--connect", self.endpoints(),
            "--capacity", "4", "--name", f"w{which + 1}.{self.life}")
        self.workers[which].wait_line(r"\bready\b")

    def upgrade(self, kind, which):
        """As docs/operating/upgrade.md says: SIGTERM, then the new one."""
        process = getattr(self, kind)[which]
        expect(process.stop() == 0, f"it did not stop:\n{process.text()}")
        self.world.processes.remove(process)
        if kind == "workers":
            self.start_worker(which, self.new)
        else:
            self.start_coordinator(which, self.new)

    def refused(self):
        """The older one, started now: what it says."""
        late = self.start_coordinator(0, self.old, port=free_port())
        late.wait_line(f"{NEWER}|{LISTENS}")
        text = late.text("err")
        expect(NEWER in text, f"the older one has started:\n{text}")
        expect(late.wait() == 1, f"the older one did not end so:\n{text}")
        self.world.processes.remove(late)
        return text.strip().splitlines()[-1]


class Cluster(Members):
    def __init__(self, older):
        super().__init__(older, 2, WORKERS)

    def open_store(self):
        self.server.__enter__()

    def close_store(self, kind, error, trace):
        self.server.__exit__(kind, error, trace)

    def store_words(self):
        # Nobody dies: on a slow machine, too, nobody is to be taken for dead.
        return ("--store", self.server.url(), "--cluster-lease-ms", "30000",
                "--lease-ms", "30000", "--heartbeat-ms", "1000")

    def owners(self):
        """shard -> endpoint, as the database has it."""
        return dict(line.split("|") for line in self.server.sql(
            "SELECT shard, owner FROM superstep.shards").splitlines())

    def is_even(self):
        owners = list(self.owners().values())
        return all(owners.count(self.endpoint(which)) == 512
                   for which in range(2))

    def records(self, what, where="true", table="runs"):
        return self.server.sql(
            f"SELECT {what} FROM superstep.{table} WHERE {where}").splitlines()


class File(Members):
    """One coordinator and a worker on a file."""

    def __init__(self, older):
        super().__init__(older, 1, 1)

    def open_store(self):
        pass

    def close_store(self, kind, error, trace):
        pass

    def store_words(self):
        return ("--db", self.world.path("superstep.db"),
                "--lease-ms", "3000", "--heartbeat-ms", "500")
