"""A PostgreSQL of a test's own: in a private folder, on a socket there.

It refuses to run as root, so root's runs as the user postgres. It is started in
the foreground, killed and started again by its process id.

What initdb makes is kept in the folder of the build, and copied for the next
server: it takes as much of a processor as many a test. Two servers that live at
once have an identity each, as two real ones do. A server's folder lies in memory
where there is plenty of it: it has a thousand files, which a disk's file system
makes slowly just behind the removal of the last one's.
"""

import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from harness import Failure, Process, expect

ROOM_MIN = 4 << 30  # in memory, for one server among others


def programs():
    """The folder of the newest server that is installed, or None."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"),
                   key=lambda path: float(path.split("/")[4]))
    return pathlib.Path(found[-1]).parent if found else None


def missing():
    """Why no server can be started here; None: it can."""
    if not programs():
        return "PostgreSQL's server is not installed: apt-get install postgresql"
    if os.geteuid() == 0 and not _user():
        return "PostgreSQL does not run as root, and there is no user postgres"
    return None


def _user():
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None


def _drop_root():
    user = _user()
    if user:
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
    os.chdir("/")


def _copy(what, to):
    subprocess.run(["cp", "-a", str(what), str(to)], check=True)


def _template():
    """Where the data of a new server are kept; None: nowhere."""
    build = os.environ.get("SS_BUILD_DIR")
    version = programs().parent.name
    return (pathlib.Path(build) / "postgres" / f"{version}-{os.geteuid()}"
            if build else None)


def _keep(data):
    """Whoever is first has made the template; it is there as a whole or not."""
    template = _template()
    if not template or template.exists():
        return
    template.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=template.parent) as folder:
        _copy(data, pathlib.Path(folder) / "data")
        try:
            os.rename(pathlib.Path(folder) / "data", template)
        except OSError:
            if not template.exists():
                raise


def _place(on_disk):
    """Where folders of servers are made; None: where all temporary ones are."""
    memory = "/dev/shm"
    if on_disk or not os.access(memory, os.W_OK | os.X_OK):
        return None
    return memory if shutil.disk_usage(memory).free >= ROOM_MIN else None


class Postgres:
    """Leaving it ends the server. `settings`: lines of postgresql.conf. With
    `own_group` a ^C at the terminal does not reach it. `on_disk`: not in memory,
    where a commit costs nothing."""

    alive = 0  # of this process

    def __init__(self, settings=(), tls=False, own_group=False, on_disk=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(
            prefix="superstep-pg-", dir=_place(on_disk)))
        self.data = self.folder / "data"
        self.settings = list(settings)
        self.tls = tls
        self.own_group = own_group
        self.process = None
        self.count = 0

    def __enter__(self):
        Postgres.alive += 1
        try:
            user = _user()
            if user:
                os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.folder.chmod(0o755)
            self.make_data()
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def make_data(self):
        template = _template()
        if template and template.exists() and Postgres.alive == 1:
            _copy(template, self.data)
            return
        self.tool("initdb", "-D", self.data, "-U", "superstep",
                  "--auth=trust", "--encoding=UTF8", "--locale=C",
                  "--no-sync")
        _keep(self.data)

    def __exit__(self, kind, error, trace):
        Postgres.alive -= 1
        if self.process:
            if error is not None:
                print("\n".join(self.process.text().splitlines()[-30:]))
            self.process.kill(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def tool(self, name, *words, check=True, stdin=None, **options):
        """A program of PostgreSQL's, as the server's user, to its end."""
        done = subprocess.run(
            [str(programs() / name), *map(str, words)], text=True,
            capture_output=True, preexec_fn=_drop_root, timeout=120,
            input=stdin, env=dict(os.environ, LC_ALL="C"), **options)
        if check and done.returncode != 0:
            raise Failure(f"{name}: status {done.returncode}\n{done.stderr}")
        return done

    def start(self):
        self.count += 1
        words = [programs() / "postgres", "-D", self.data, "-k", self.folder,
                 "-c", "listen_addresses=", "-c", "log_destination=stderr",
                 "-c", "logging_collector=off", "-c", "max_connections=60"]
        for setting in self.settings:
            words += ["-c", setting]
        self.process = Process(f"postgres{self.count}", words,
                               limits=_drop_root, own_group=self.own_group)
        self.process.wait_line("ready to accept connections")

    def stop(self):
        """As an operator restarts it: sessions are cut off."""
        self.process.kill(signal.SIGINT)
        expect(self.process.wait() == 0, "PostgreSQL did not stop as asked")

    def crash(self):
        """All its processes at once, as when the power fails."""
        children = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True,
            text=True, check=False).stdout.split()
        for pid in [self.process.pid, *map(int, children)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def url(self, database="postgres", **options):
        more = "".join(f"&{key}={value}" for key, value in options.items())
        return (f"postgres://superstep@/{database}?host={self.folder}"
                f"{more}")

    def sql(self, text, database="postgres"):
        """What psql prints, a row a line, columns between |."""
        return self.tool(
            "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h",
            self.folder, "-U", "superstep", "-d", database,
            stdin=text).stdout.strip()


class Lock:
    """A session that holds a table, until it is closed."""

    def __init__(self, server, table="journal", mode="ACCESS EXCLUSIVE"):
        self.psql = subprocess.Popen(
            [str(programs() / "psql"), "-X", "-q", "-h", str(server.folder),
             "-U", "superstep", "-d", "postgres"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.psql.stdin.write(f"BEGIN; LOCK TABLE superstep.{table} IN {mode} "
                              "MODE;\n\\echo held\n")
        self.psql.stdin.flush()
        expect(self.psql.stdout.readline() == "held\n", "no lock")

    def close(self):
        self.psql.stdin.close()
        self.psql.stdout.close()
        self.psql.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()
