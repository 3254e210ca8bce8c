"""How quickly processes start, and how much memory they need when idle.

Times are printed and decide nothing: another process may have the machine.
"""

import os
import socket
import time

from harness import BIN, LIB, World, expect, is_sanitized, main, pss_kb

COORDINATOR_KB_MAX = 12 * 1024
WORKER_KB_MAX = 8 * 1024
STARTS = 10


def test_starts_are_quick():
    fastest = {}
    with World() as world:
        for _ in range(STARTS):
            begin = time.monotonic()
            coordinator = world.coordinator()
            middle = time.monotonic()
            worker = world.worker(LIB / "libhello.so")
            end = time.monotonic()
            for name, took in (("coordinator", middle - begin),
                               ("worker", end - middle)):
                fastest[name] = min(took, fastest.get(name, took))
            expect(worker.stop() == 0, "the worker does not end well")
            expect(coordinator.stop() == 0,
                   "the coordinator does not end well")
    for name, took in fastest.items():
        print(f"{name}: ready after {took * 1000:.1f} ms (fastest of {STARTS},"
              f" wanted: under 50 ms)")


def test_a_run_just_behind_a_start_waits_for_the_first_worker():
    with World() as world:
        world.coordinator()
        run = world.start("run", BIN / "superstep", "--coordinator",
                          world.endpoint, "run", "hello", "--input",
                          '{"name": "Ada"}')
        run.wait_line("no graph is known yet")
        world.worker(LIB / "libhello.so")
        expect(run.wait() == 0, run.text())
        expect("hello Ada" in run.text("out"), run.text())


def test_idle_processes_are_small():
    with World() as world:
        coordinator = world.coordinator()
        worker = world.worker(LIB / "libhello.so")
        for number in range(20):
            world.do("run", "hello", "--thread", f"t{number}", "--input",
                     '{"name": "Ada"}')
        for process, most in ((coordinator, COORDINATOR_KB_MAX),
                              (worker, WORKER_KB_MAX)):
            kb = pss_kb(process.pid)
            print(f"{process.name}: {kb} kB of memory (Pss), "
                  f"wanted: under {most} kB")
            expect(kb < most or is_sanitized(),
                   f"{process.name} takes {kb} kB")


def test_who_is_started_with_closed_files_writes_into_none_of_its_own():
    closed = "<&- >&- 2>&-"
    with World() as world:
        db = world.path("superstep.db")
        world.endpoint = "ipc://" + str(world.path("door"))
        coordinator = world.start(
            "coordinator", "sh", "-c", f'exec "$0" "$@" {closed}',
            BIN / "superstep-coordinator", "--db", db, "--listen",
            world.endpoint)
        worker = world.start(
            "worker", "sh", "-c", f'exec "$0" "$@" {closed}',
            BIN / "superstep-worker", "--app", LIB / "libhello.so",
            "--connect",
            world.endpoint)
        done = world.ask("run", "hello", "--input", '{"name": "Ada"}')
        expect(done["output"]["log"] == ["hello Ada", "HELLO"], f"{done}")
        for process in (coordinator, worker):
            for fd in range(3):
                at = os.readlink(f"/proc/{process.pid}/fd/{fd}")
                expect(at == "/dev/null", f"{process.name}: {fd} is {at}")
            expect(process.stop() == 0, process.text())


def test_metrics_on_the_port_of_listen_are_called_by_their_name():
    with World() as world, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        world.endpoint = f"tcp://127.0.0.1:{port}"
        process = world.coordinator("--metrics", f"127.0.0.1:{port}", wait=False)
        expect(process.wait() == 1, process.text())
        expect("is in use by --metrics of this very coordinator"
               in process.text(), process.text())
        expect("another process" not in process.text(), process.text())


def test_of_two_applications_the_one_that_does_not_count_is_told():
    with World() as world:
        world.coordinator()
        worker = world.worker(LIB / "libdigest.so", None, "--app",
                              LIB / "libhello.so")
        worker.wait_line(r"--app is given twice: \S*libhello.so counts, "
                         r"\S*libdigest.so does not")


if __name__ == "__main__":
    main(globals())
