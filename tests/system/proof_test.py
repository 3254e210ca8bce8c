"""The proof that ./run shows (examples/digest/run.sh): it succeeds, says what
happened, and leaves nothing behind, also when it is interrupted."""

import os
import pathlib
import pty
import signal

from harness import ROOT, World, expect, main

RUN = ROOT / "examples/digest/run.sh"


def start_proof(world, *options):
    scratch = world.path("scratch")
    scratch.mkdir()
    environment = dict(os.environ, TMPDIR=str(scratch))
    return world.start("run.sh", RUN, *options, environment=environment,
                       own_group=True)


def expect_nothing_left(world):
    left = [path.name for path in world.path("scratch").iterdir()]
    expect(left == [], f"files are left: {left}")
    mark = str(world.path("scratch")).encode()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        expect(mark not in command, f"a process is left: {command}")


def test_the_proof_of_the_default_documents_holds():
    with World() as world:
        proof = start_proof(world)
        ended = proof.wait()
        text = proof.text()
        expect(ended == 0, f"it ended with {ended}:\n{text}")
        for word in ("kill -9", "taken from pending writes", "measure GPL-3",
                     "again: with the answer", "byte for byte"):
            expect(word in text, f"it does not show {word!r}:\n{text}")
        expect("  NO " not in text, text)
        expect_nothing_left(world)


def test_the_proof_holds_with_odd_documents_and_one_worker():
    with World() as world:
        folder = world.path("my \"texts\"")
        folder.mkdir()
        for name in ("one, two", "a:b", "tab\tname", "plain", "x|y"):
            (folder / name).write_text(f"A text called {name}. It is short.\n")
        (folder / "link").symlink_to("plain")
        (folder / "picture").write_bytes(b"\x89PNG\0\0")
        proof = start_proof(world, "--documents", folder, "--workers", "1")
        ended = proof.wait()
        expect(ended == 0, f"it ended with {ended}:\n{proof.text()}")
        expect("x\\|y" in proof.text(), proof.text())
        expect_nothing_left(world)


def test_an_interrupted_proof_leaves_nothing():
    # ctrl-C goes to all processes of a terminal, kill to one.
    for number, send in ((signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)):
        with World() as world:
            proof = start_proof(world)
            proof.wait_line("are in flight")
            send(proof.pid, number)
            ended = proof.wait()
            expect(ended == 128 + number, f"it ended with {ended}")
            expect_nothing_left(world)


def test_the_person_at_the_terminal_is_asked():
    with World() as world:
        scratch = world.path("scratch")
        scratch.mkdir()
        child, terminal = pty.fork()
        if child == 0:
            os.environ["TMPDIR"] = str(scratch)
            os.execv(RUN, [str(RUN), "--ask"])
        shown = b""
        try:
            while True:  # an error is the end
                shown += os.read(terminal, 4096)
                if shown.endswith(b"(true or false): "):
                    os.write(terminal, b"false\n")
        except OSError:
            os.close(terminal)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        expect(ended == 0 and b"Not published, as you said" in shown,
               f"it ended with {ended}:\n{shown.decode()}")
        expect_nothing_left(world)


def test_wrong_options_are_named():
    with World() as world:
        for options, word in ((["--wrokers", "3"], "--wrokers"),
                              (["--workers", "none"], "--workers"),
                              (["--documents", "/nowhere"], "/nowhere"),
                              (["--ask"], "terminal")):
            proof = world.start("run.sh", RUN, *options)
            expect(proof.wait() == 2, proof.text())
            expect(word in proof.text("err"), proof.text())


if __name__ == "__main__":
    main(globals())
