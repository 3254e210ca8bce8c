"""superstep dev, with programs beside it that only say what they are told.

What they print, dev passes on; so its output tells the story.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

SUPERSTEP = pathlib.Path(os.environ["SS_BIN_DIR"]) / "superstep"
NOBODY = "tcp://127.0.0.1:9"  # a port where nothing ever listens

PROGRAM = """#!{python}
import os, signal, sys
role = os.path.basename(sys.argv[0]).replace("superstep-", "")
words = sys.argv[1:]
name = words[words.index("--name") + 1] if "--name" in words else role
def say(text):
    print(text, flush=True)
def stop(*_):
    # In one piece, and past dev, which may be gone.
    os.write(2, (name + " stops\\n").encode())
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
if "--ended" in words:
    os.write(2, ("told: " + " ".join(words) + "\\n").encode())
    sys.exit(0)
say(role + " " + str(os.getpid()) + " " + " ".join(words))
if os.path.exists(role + ".fails"):
    sys.exit(2)
if role == "coordinator":
    say("superstep-coordinator 0 listening on {nobody}, store sqlite x.db")
else:
    say("superstep-worker " + name + " ready: graphs g@1, capacity 1")
while True:
    signal.pause()
"""


class Dev:
    """A process `superstep dev`, in a folder of its own."""

    def __init__(self, *words, fails=()):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        shutil.copy(SUPERSTEP, self.folder)
        (self.folder / "app.so").touch()
        for role in ("coordinator", "worker"):
            path = self.folder / f"superstep-{role}"
            path.write_text(
                PROGRAM.format(python=sys.executable, nobody=NOBODY))
            path.chmod(0o755)
        for role in fails:
            (self.folder / f"{role}.fails").touch()
        self.process = subprocess.Popen(
            [self.folder / "superstep", "dev", "app.so", *words],
            cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.lines = []

    def until(self, text):
        """Read lines until one contains the text; gives it."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if text in line:
                return self.lines[-1]
        raise AssertionError(f"never said: {text}\n" + "\n".join(self.lines))

    def pid_of(self, role):
        """The process that was started last in this role."""
        said = [line.split() for line in self.lines]
        return int([words[1] for words in said
                    if words[0] == role and words[1].isdigit()][-1])

    def end(self):
        """Read to the end; the exit status."""
        self.lines += self.process.stdout.read().splitlines()
        status = self.process.wait()
        shutil.rmtree(self.folder)
        return status


def expect(claim, dev, what):
    if not claim:
        raise AssertionError(what + "\n" + "\n".join(dev.lines))


def everything_starts_and_is_stopped_in_order():
    dev = Dev("--workers", "3")
    banner = dev.until("superstep 0.")
    expect("store x.db (sqlite)" in banner and NOBODY in banner and
           "workers 3" in banner, dev, "the banner: " + banner)
    dev.process.send_signal(signal.SIGINT)
    expect(dev.end() == 0, dev, "status")
    stops = [line for line in dev.lines if line.endswith(" stops")]
    expect(sorted(stops[:3]) == ["w1 stops", "w2 stops", "w3 stops"] and
           stops[3] == "coordinator stops", dev, "the order of stopping")


def options_are_passed_on():
    dev = Dev("--workers=1", "--app-arg", "some arg", "--capacity", "7",
              "--store", "memory:", "--lease-ms", "900", "--listen",
              "tcp://127.0.0.1:19", "--verbose")
    line = dev.until("coordinator ")
    expect(line.endswith("--log-failures --crashes-max 2 --listen tcp://127.0.0.1:19 --store "
                         "memory: "
                         "--lease-ms 900 --verbose"), dev, line)
    line = dev.until("worker ")
    expect(line.endswith(f"--app app.so --connect {NOBODY} --name w1 "
                         "--app-arg some arg --capacity 7"), dev, line)
    dev.until("superstep 0.")
    dev.process.terminate()
    expect(dev.end() == 0, dev, "status")


def a_worker_that_crashes_is_started_again_under_another_name():
    dev = Dev("--workers", "1")
    dev.until("superstep 0.")
    os.kill(dev.pid_of("worker"), signal.SIGKILL)
    dev.until("worker w1 was killed by signal 9 (Killed); starting another")
    dev.until("to see where: gdb -ex run --args ")
    dev.until("worker w1-2 is ready")
    expect(any("--name w1-2" in line for line in dev.lines), dev, "its name")
    told = f"told: --connect {NOBODY} --name w1 --ended signal 9 (Killed)"
    expect(told in dev.lines or dev.until(told), dev, "the coordinator")
    os.kill(dev.pid_of("worker"), signal.SIGKILL)
    dev.until("worker w1-3 is ready")
    dev.process.terminate()
    expect(dev.end() == 0, dev, "status")


def a_coordinator_that_crashes_is_started_again_where_it_was():
    dev = Dev("--workers", "1")
    dev.until("superstep 0.")
    os.kill(dev.pid_of("coordinator"), signal.SIGKILL)
    dev.until("the coordinator was killed by signal 9 (Killed); starting it "
              "again")
    expect(f"--listen {NOBODY}" in dev.until("coordinator "), dev, "where")
    dev.until("the coordinator is ready again")
    dev.process.terminate()
    expect(dev.end() == 0, dev, "status")


def a_coordinator_that_cannot_start_ends_it():
    dev = Dev(fails=["coordinator"])
    expect(dev.end() == 1, dev, "status")
    expect(not any("worker" in line for line in dev.lines), dev, "no worker")


def an_application_that_cannot_be_loaded_ends_it():
    dev = Dev("--workers", "2", fails=["worker"])
    expect(dev.end() == 1, dev, "status")
    expect("coordinator stops" in dev.lines, dev, "the coordinator stops")
    expect(any("exited with status 2" in line for line in dev.lines), dev,
           "why")
    expect(not any("starting another" in line for line in dev.lines), dev,
           "no second try")


def who_kills_dev_stops_the_others_too():
    dev = Dev("--workers", "1")
    dev.until("superstep 0.")
    dev.process.kill()
    # The pipe ends when the last of them is gone.
    expect(dev.end() == -signal.SIGKILL, dev, "status")
    expect("w1 stops" in dev.lines, dev, "the worker")
    expect("coordinator stops" in dev.lines, dev, "the coordinator")


def main():
    if not SUPERSTEP.exists():
        return 77  # built apart from the programs
    tests = [everything_starts_and_is_stopped_in_order, options_are_passed_on,
             a_worker_that_crashes_is_started_again_under_another_name,
             a_coordinator_that_crashes_is_started_again_where_it_was,
             a_coordinator_that_cannot_start_ends_it,
             an_application_that_cannot_be_loaded_ends_it,
             who_kills_dev_stops_the_others_too]
    for test in tests:
        test()
        print("passed", test.__name__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
