"""A Docker engine for a test: the one that runs, or one of its own.

Its own has a private data folder and socket, and is stopped by its process id.
Where the base image cannot be pulled it is made by debootstrap, from the
machine's own package source.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import compose

ROOT = pathlib.Path(__file__).resolve().parents[3]
BASE = "debian:bookworm-slim"
PACKAGES = ["docker.io", "docker-compose", "iptables", "debootstrap"]
START_S = 60
BUILD_S = 3600 # on a busy machine, too


class Unavailable(Exception):
    """Why no engine can be had here."""


class Failure(Exception):
    """What was expected and not seen."""


def say(text):
    print(text, flush=True)


def run(*words, check=True, timeout=600, **options):
    """A command's end; its output is told when it fails."""
    done = subprocess.run([str(word) for word in words], text=True,
                          stdin=subprocess.DEVNULL, timeout=timeout,
                          capture_output=True, **options)
    if check and done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}: status "
                      f"{done.returncode}\n{done.stdout[-3000:]}"
                      f"{done.stderr[-3000:]}")
    return done


def has(program):
    return shutil.which(program) is not None


def install():
    """What the test needs and the machine lacks; only root can."""
    programs = ["dockerd", "docker", "iptables"]
    if not compose.here():
        programs.append("docker-compose")
    missing = [program for program in programs if not has(program)]
    if not missing:
        return
    if os.geteuid() != 0 or not has("apt-get"):
        raise Unavailable(f"{', '.join(missing)} missing; as root: apt-get "
                          f"install {' '.join(PACKAGES)}")
    say(f"Installing {' '.join(PACKAGES)}.")
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    # Its own engine is started here, not the package's service.
    words = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "install", "-y",
             "--no-install-recommends", *PACKAGES]
    if run(*words, check=False, env=environment).returncode != 0:
        run("apt-get", "-q", "update", check=False, env=environment)
        done = run(*words, check=False, env=environment)
        if done.returncode != 0:
            raise Unavailable(f"apt-get failed:\n{done.stderr[-1500:]}")


class Engine:
    def __init__(self):
        self.folder = None
        self.process = None
        self.fetched = None
        self.environment = dict(os.environ)

    def __enter__(self):
        try:
            install()
            if run("docker", "info", check=False).returncode != 0:
                self._start()
            self._base()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind, error, trace):
        self.stop()

    def _start(self):
        if os.geteuid() != 0:
            raise Unavailable("no Docker engine runs, and only root can start "
                              "one")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="superstep-engine-"))
        socket = f"unix://{self.folder}/socket"
        self.environment["DOCKER_HOST"] = socket
        self.log = open(self.folder / "log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            ["dockerd", "--data-root", self.folder / "data", "--exec-root",
             self.folder / "exec", "--pidfile", self.folder / "pid", "--host",
             socket], stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, start_new_session=True)
        end = time.monotonic() + START_S
        while self.docker("info", check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                text = (self.folder / "log").read_text(encoding="utf-8")
                raise Unavailable(f"dockerd does not start:\n{text[-1500:]}")
            time.sleep(0.2)

    def _base(self):
        if self.docker("image", "inspect", BASE, check=False).returncode == 0:
            return
        if self.docker("pull", BASE, check=False).returncode == 0:
            return
        if not has("debootstrap") or os.geteuid() != 0:
            raise Unavailable(f"{BASE} cannot be pulled, and only root can "
                              "make it with debootstrap")
        say(f"{BASE} cannot be pulled: making it with debootstrap.")
        with tempfile.TemporaryDirectory(prefix="superstep-base-") as folder:
            tree = pathlib.Path(folder) / "tree"
            done = run("debootstrap", "--variant=minbase",
                       "--include=ca-certificates", "bookworm", tree,
                       self._source(), check=False)
            if done.returncode != 0:
                raise Unavailable(f"debootstrap failed:\n{done.stdout[-1500:]}"
                                  f"{done.stderr[-1500:]}")
            for name in ("var/cache/apt", "var/lib/apt/lists"):
                shutil.rmtree(tree / name, ignore_errors=True)
            archive = pathlib.Path(folder) / "base.tar"
            run("tar", "-C", tree, "-cf", archive, ".")
            self.docker("import", archive, BASE)

    @staticmethod
    def _source():
        """Where this machine takes its Debian packages from."""
        text = run("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)",
                   check=False).stdout
        for line in text.splitlines():
            site, _, release = line.partition(" ")
            if release.startswith("bookworm") and "security" not in site:
                return site
        return "http://deb.debian.org/debian"

    def composes(self):
        """What the cluster is tried with: each Compose that can be had."""
        found = compose.here()
        if any(each.is_v2() for each in found):
            return found
        self.fetched = tempfile.TemporaryDirectory(prefix="superstep-v2-")
        v2, why = compose.fetch_v2(self.fetched.name, self._source())
        if v2:
            return [*found, v2]
        say(f"*** COMPOSE V2 IS NOT TRIED: {why} ***")
        return found

    def docker(self, *words, **options):
        return run("docker", *words, env=self.environment, **options)

    def build(self, target, *more, file="deploy/Dockerfile", name=None,
              root=ROOT):
        """An image from a project's tree; its apt uses the host's network."""
        words = ["--target", target] if target else []
        self.docker("build", "-q", "--network", "host",
                    "-f", pathlib.Path(root) / file, *words,
                    "-t", name or f"superstep-{target}", *more, root,
                    timeout=BUILD_S)

    def stop(self):
        if self.process:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                try:
                    self.process.wait(60)
                except subprocess.TimeoutExpired:
                    self.process.kill()
                    self.process.wait()
            self.log.close()
            self.process = None
        if self.fetched:
            self.fetched.cleanup()
            self.fetched = None
        if self.folder:
            # dockerd leaves the mount of its own network's name behind.
            for mount in self.folder.glob("exec/netns/*"):
                run("umount", "-l", mount, check=False)
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None
