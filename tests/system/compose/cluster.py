"""The cluster of deploy/docker-compose.yml under a project name of its own."""

import json
import os
import pathlib
import socket
import tempfile
import time

from engine import ROOT, Failure, run

FILE = ROOT / "deploy/docker-compose.yml"
HEALTHY_S = 120
ALONE = 4 # the command's status: no coordinator answered, nothing was asked


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Cluster:
    def __init__(self, engine, compose, name=None):
        self.engine = engine
        self.program = compose
        major = compose.version.split(".")[0]
        self.project = f"superstep-test-{os.getpid()}-{name or f'v{major}'}"
        self.folder = tempfile.TemporaryDirectory(prefix="superstep-compose-")
        self.secrets = pathlib.Path(self.folder.name) / "secrets"
        ports = [free_port(), free_port()]
        self.environment = dict(
            engine.environment, **compose.environment(),
            SUPERSTEP_SECRETS=str(self.secrets),
            SUPERSTEP_PORT=str(ports[0]), SUPERSTEP_PORT2=str(ports[1]),
            SUPERSTEP_LEASE_MS="2000", SUPERSTEP_HEARTBEAT_MS="400",
            SUPERSTEP_CLUSTER_LEASE_MS="2000")
        self.environment["SUPERSTEP_KEYS"] = str(self.secrets / "keys")
        self.endpoints = ",".join(f"tcp://127.0.0.1:{port}" for port in ports)
        self.bin = pathlib.Path(os.environ.get(
            "SS_BIN_DIR", ROOT / "build/dev/bin"))

    def __enter__(self):
        self.make_secrets()
        return self

    def make_secrets(self, **environment):
        run(ROOT / "deploy/secrets.sh", env={**self.environment, **environment})

    def __exit__(self, kind, error, trace):
        if error is not None:
            print(self.compose("logs", "--tail=40", check=False).stdout)
        self.compose("down", "-v", "-t", "5", "--remove-orphans", check=False)
        self.folder.cleanup()

    def compose(self, *words, **options):
        return run(*self.program.words, "-p", self.project, "-f", FILE, *words,
                   env=self.environment, **options)

    # ------------------------------------------------------------ containers

    def up(self, workers, **environment):
        self.environment.update(environment)
        self.compose("up", "-d", "--no-build", "--scale", f"worker={workers}")

    def containers(self, service):
        return self.compose("ps", "-q", service).stdout.split()

    def inspect(self, container):
        return json.loads(self.engine.docker("inspect", container).stdout)[0]

    def wait_healthy(self, *services):
        end = time.monotonic() + HEALTHY_S
        while True:
            states = {service: [
                self.inspect(container)["State"].get(
                    "Health", {}).get("Status")
                for container in self.containers(service)]
                for service in services}
            if all(found and set(found) == {"healthy"}
                   for found in states.values()):
                return
            if time.monotonic() > end:
                raise Failure(f"not healthy: {states}")
            time.sleep(0.3)

    def crash(self, service, index=0):
        """SIGKILL from outside, as the kernel would: the engine sees a crash,
        and its restart policy holds."""
        container = self.containers(service)[index]
        os.kill(self.inspect(container)["State"]["Pid"], 9)

    def network(self, verb, service):
        self.engine.docker("network", verb, f"{self.project}_cluster",
                           *(["--alias", service] if verb == "connect" else []),
                           self.containers(service)[0])

    def script(self, lines, check=True, **environment):
        """A shell's lines, as a reader of the page gives them in the project."""
        path = ":".join([self.program.shim(self.folder.name), str(self.bin),
                         self.environment["PATH"]])
        return run("sh", "-ec", lines, cwd=ROOT, timeout=900, check=check,
                   env=dict(self.environment, **environment, PATH=path,
                            COMPOSE_PROJECT_NAME=self.project))

    # ------------------------------------------------------------ the command

    def command(self, *words, check=True, timeout=240):
        return run(self.bin / "superstep", "--coordinator", self.endpoints,
                   "--keys", self.environment["SUPERSTEP_KEYS"], *words,
                   check=check, timeout=timeout)

    def answer(self, *words):
        """Asked until a coordinator is there to answer: who is asked when all
        have just been killed says so at once."""
        end = time.monotonic() + HEALTHY_S
        while True:
            done = self.command(*words, check=False)
            if done.returncode == 0:
                return done
            if done.returncode != ALONE or time.monotonic() > end:
                raise Failure(f"{' '.join(words)}: status {done.returncode}\n"
                              f"{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def ask(self, *words):
        return json.loads(self.command(*words, "--json").stdout)

    def wait_workers(self, count, timeout=HEALTHY_S):
        """Until so many workers are there, and no more."""
        end = time.monotonic() + timeout
        while True:
            done = self.command("workers", "--json", check=False)
            found = json.loads(done.stdout) if done.returncode == 0 else None
            if isinstance(found, dict):
                found = found.get("workers")
            if found is not None and len(found) == count:
                return found
            if time.monotonic() > end:
                raise Failure(f"{count} workers expected, found {found} "
                              f"{done.stderr}")
            time.sleep(0.2)
