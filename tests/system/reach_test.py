"""A coordinator that cannot be reached: each reason has its own words, and only
where nobody listens is one to be started."""

import signal
import socket

from harness import BIN, LIB, World, as_nobody, expect, main

HELLO = LIB / "libhello.so"


def told(world, endpoint, *more, program=BIN / "superstep", limits=None):
    command = world.start("superstep runs", program,
                          "--coordinator", endpoint, *more, "runs",
                          limits=limits)
    expect(command.wait() == 4, command.text())
    return command.text("err")


def expect_told(text, *words):
    for word in words:
        expect(word in text, f"it does not say {word!r}:\n{text}")
    expect("Start one" not in text, text)


def test_where_nobody_listens_one_is_to_be_started():
    with World() as world, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        for endpoint in (f"tcp://127.0.0.1:{port}",
                         f"ipc://{world.path('none')}"):
            text = told(world, endpoint)
            expect("no coordinator answers at" in text and
                   "Start one: superstep dev" in text, text)


def test_a_name_that_does_not_resolve_is_told_as_such():
    with World() as world:
        expect_told(told(world, "tcp://nohost.invalid:7433"),
                    'the name "nohost.invalid" cannot be resolved')


def test_a_socket_without_rights_is_told_as_such():
    with World() as world, socket.socket(socket.AF_UNIX) as listening:
        path = world.path("socket")
        listening.bind(str(path))
        listening.listen()
        world.folder.chmod(0o755)
        path.chmod(0)
        program = world.for_nobody(BIN / "superstep")
        expect_told(told(world, f"ipc://{path}", program=program,
                         limits=as_nobody),
                    f"this user may not connect to {path}: Permission denied")


def test_who_listens_and_says_nothing_is_told_as_such():
    with World() as world:
        coordinator = world.coordinator()
        coordinator.kill(signal.SIGSTOP)
        expect_told(told(world, world.endpoint),
                    "somebody listens there, but says nothing: it hangs, is "
                    "overloaded, takes no more connections from here, or is "
                    "not a coordinator")
        coordinator.kill(signal.SIGCONT)


def test_a_coordinator_that_dies_in_a_handshake_is_gone():
    """Not one that lacks keys: it takes the connection, and hangs up."""
    with World() as world, socket.socket() as dying:
        dying.bind(("127.0.0.1", 0))
        dying.listen()
        port = dying.getsockname()[1]
        command = world.start("superstep runs", BIN / "superstep",
                              "--coordinator", f"tcp://127.0.0.1:{port}",
                              "runs")
        connection, _ = dying.accept()
        dying.close()
        connection.close()
        expect(command.wait() == 4, command.text())
        expect("handshake" not in command.text(), command.text())


def test_a_worker_without_keys_is_told_that_it_lacks_them():
    with World() as world:
        keys = world.path("keys")
        made = world.start("superstep keys", BIN / "superstep", "keys", "new",
                           "--keys", keys)
        expect(made.wait() == 0, made.text())
        world.coordinator("--keys", keys)
        worker = world.worker(HELLO, wait=False)
        # Which of them is told, depends on who hangs up first.
        worker.wait_line(r"asking again: (one side has keys and the other has "
                         r"not \(--keys DIR\)|.*does it need keys)")
        expect("queue" not in worker.text(), worker.text())


if __name__ == "__main__":
    main(globals())
