#!/usr/bin/env python3
"""Keys with real processes: which peers come in, which do not, and what they
are told.
"""

import os
import stat
import time

from harness import ANY_PORT, BIN, LIB, World, expect, main
from key_file import halves

HELLO = LIB / "libhello.so"
INPUT = '{"name": "Ada"}'
OUTSIDE = "tcp://0.0.0.0:*"


def keys_of(world, name="keys"):
    """A folder with one key of each role."""
    folder = world.path(name)
    process = world.start("keys", BIN / "superstep", "keys", "new", "--keys",
                          folder)
    expect(process.wait() == 0, process.text())
    return folder


def keys(world, folder, *words, status=0):
    process = world.start(f"keys {words[0]}", BIN / "superstep", "--keys",
                          folder, "keys", *words)
    expect(process.wait() == status, process.text())
    return process.text()


def public_half(path):
    return halves(path)["public"]


def run_hello(world, *more, status=0):
    process = world.command("run", "hello", "--input", INPUT, *more)
    expect(process.wait() == status, process.text())
    return process.text()


def test_a_cluster_with_keys_runs_a_graph():
    with World() as world:
        folder = keys_of(world)
        world.coordinator("--keys", folder)
        world.worker(HELLO, None, "--keys", folder)
        expect("HELLO" in run_hello(world, "--keys", folder), "no result")
        # One file does as well as the folder; a client's key is enough.
        expect("HELLO" in run_hello(world, "--keys", folder / "client.key"),
               "no result for a client")


def seconds_to_end(world, folder):
    coordinator = world.coordinator("--keys", folder)
    worker = world.worker(HELLO, None, "--keys", folder)
    begin = time.monotonic()
    expect(coordinator.stop() == 0, coordinator.text())
    took_s = time.monotonic() - begin
    worker.kill()
    return took_s


def test_a_coordinator_with_keys_ends_at_once_beside_a_worker():
    """It waited five seconds for connections to end (SS_LINK_CLOSE_MS), and they
    for its answer. A busy machine only makes it slower: the best of some counts."""
    with World() as world:
        folder = keys_of(world)
        took_s = [seconds_to_end(world, folder)]
        while min(took_s) > 4.5 and len(took_s) < 3:
            took_s.append(seconds_to_end(world, folder))
        expect(min(took_s) < 4.5, f"its ends took {took_s} s")


def test_each_process_tells_of_a_secret_that_others_can_read():
    with World() as world:
        folder = keys_of(world)
        dsn = world.path("dsn")
        dsn.write_text("memory:\n")
        paths = [folder / f"{name}.key"
                 for name in ("coordinator", "worker", "client")]
        words = "can be read by others on this machine: chmod 600"

        def told(mode):
            """What each process says of files of that mode."""
            for path in [*paths, dsn]:
                path.chmod(mode)
            coordinator = world.start(
                "coordinator", BIN / "superstep-coordinator", "--listen",
                ANY_PORT, "--keys", folder, environment={
                    **os.environ, "SUPERSTEP_STORE_FILE": str(dsn)})
            world.endpoint = coordinator.wait_line(
                r"listening on ([^\s,]+)")[1]
            worker = world.worker(HELLO, None, "--keys", folder)
            command = world.command("workers", "--keys", folder / "client.key")
            expect(command.wait() == 0, command.text())
            worker.stop()
            coordinator.stop()
            world.endpoint = None
            return [process.text("err") for process in (
                coordinator, worker, command, coordinator)]
        for said, path in zip(told(0o640), [*paths, dsn]):
            expect(f"{path} {words}" in said, f"{path}: {said}")
        for said in told(0o600):
            expect(words not in said, said)


def test_secret_halves_are_for_their_owner_and_never_written_over():
    with World() as world:
        folder = keys_of(world)
        for name in ("coordinator", "worker", "client", "operator"):
            mode = (folder / f"{name}.key").stat().st_mode
            expect(stat.S_IMODE(mode) == 0o600, f"{name}: {oct(mode)}")
        before = (folder / "worker.key").read_bytes()
        said = keys(world, folder, "new", "worker", status=1)
        expect("already" in said, said)
        keys(world, folder, "new", "worker", "w2")
        expect(before == (folder / "worker.key").read_bytes(), "lost a key")
        listed = keys(world, folder, "list")
        expect("w2" in listed and "operator" in listed, listed)
        expect("secret" not in listed, listed)


def test_a_folder_of_keys_that_is_not_there_is_no_empty_one():
    with World() as world:
        folder = world.path("nosuch")
        half = public_half(keys_of(world) / "worker.key")
        for words in (["list"], ["revoke", "w"], ["allow", "worker", "w", half]):
            said = keys(world, folder, *words, status=1)
            expect("nosuch: No such file or directory" in said and
                   "superstep keys new makes it" in said, said)
        expect(not folder.exists(), "somebody made it")


def test_without_keys_nobody_listens_beyond_this_machine():
    with World() as world:
        world.endpoint = OUTSIDE
        alone = world.coordinator(wait=False)
        expect(alone.wait() == 1, alone.text())
        for word in ("--keys", "--insecure", "beyond this machine"):
            expect(word in alone.text(), alone.text())
        world.coordinator("--insecure").stop()
        world.endpoint = OUTSIDE
        world.coordinator("--keys", keys_of(world)).stop()


def test_who_has_no_key_or_a_strange_one_is_told_and_logged_once():
    with World() as world:
        folder, strange = keys_of(world), keys_of(world, "strange")
        (strange / "coordinator.pub").write_text(
            (folder / "coordinator.pub").read_text())
        coordinator = world.coordinator("--keys", folder)
        world.worker(HELLO, None, "--keys", folder)
        said = run_hello(world, status=4)
        expect("--keys DIR" in said, said)
        for _ in range(2):
            said = run_hello(world, "--keys", strange, status=4)
            expect("does not allow our key" in said, said)
        refused = public_half(strange / "operator.key")
        coordinator.wait_line("is not allowed")
        expect("HELLO" in run_hello(world, "--keys", folder), "it suffered")
        lines = [line for line in coordinator.text().splitlines()
                 if "is not allowed" in line]
        expect(len(lines) == 1 and refused in lines[0], "\n".join(lines))


def test_a_client_is_no_worker_and_no_operator():
    with World() as world:
        folder = keys_of(world)
        coordinator = world.coordinator("--keys", folder)
        world.worker(HELLO, None, "--keys", folder)
        # The worker's own program looks at its key first.
        posing = world.worker(HELLO, None, "--keys", folder / "client.key",
                              wait=False)
        expect(posing.wait() != 0, posing.text())
        expect("client.key is the key of a client" in posing.text(),
               posing.text())
        # A key whose file lies: the coordinator has the last word.
        lying = world.path("lying")
        lying.mkdir()
        (lying / "coordinator.pub").write_text(
            (folder / "coordinator.pub").read_text())
        (lying / "worker.key").write_text(
            (folder / "client.key").read_text()
            .replace('role = "client"', 'role = "worker"'))
        os.chmod(lying / "worker.key", 0o600)
        posing = world.worker(HELLO, None, "--keys", lying, wait=False)
        expect(posing.wait() == 3, posing.text())
        expect("not allowed" in posing.text(), posing.text())
        coordinator.wait_line(", key client is not allowed to send HELLO")

        run_hello(world, "--thread", "t", "--keys", folder)
        denied = world.command("delete", "t", "--keys", folder / "client.key")
        expect(denied.wait() == 1, denied.text())
        expect("not allowed to ask for delete" in denied.text(), denied.text())
        world.do("delete", "t", "--keys", folder)


def test_a_key_is_allowed_and_revoked_under_a_running_coordinator():
    with World() as world:
        folder, other = keys_of(world), keys_of(world, "other")
        (other / "coordinator.pub").write_text(
            (folder / "coordinator.pub").read_text())
        coordinator = world.coordinator("--keys", folder)
        world.worker(HELLO, None, "--keys", folder)
        run_hello(world, "--keys", other, status=4)
        keys(world, folder, "allow", "client", "guest", "--",
             public_half(other / "operator.key"))
        coordinator.wait_line("4 keys are allowed now")
        expect("HELLO" in run_hello(world, "--keys", other), "not allowed")
        keys(world, folder, "revoke", "guest")
        coordinator.wait_line("3 keys are allowed now")
        run_hello(world, "--keys", other, status=4)


def test_a_folder_that_lacks_something_says_what():
    with World() as world:
        folder = keys_of(world)
        world.coordinator("--keys", folder)
        (folder / "worker.key").rename(folder / "moved.key")
        worker = world.worker(HELLO, None, "--keys", folder, wait=False)
        expect(worker.wait() != 0, worker.text())
        expect("worker.key" in worker.text(), worker.text())
        (folder / "coordinator.pub").unlink()
        said = run_hello(world, "--keys", folder, status=1)
        expect("coordinator.pub" in said, said)
        (folder / "allowed").write_text("worker ada nonsense\n")
        broken = world.start("broken", BIN / "superstep-coordinator",
                             "--listen", "tcp://127.0.0.1:*", "--store",
                             "memory:", "--keys", folder)
        expect(broken.wait() == 1, broken.text())
        expect("line 1" in broken.text(), broken.text())


if __name__ == "__main__":
    main(globals())
