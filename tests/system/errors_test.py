"""What gets a clear error, with nothing lost (each at the level of processes).

Peers that speak wrongly are in peer_test.c.
"""

import json
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import time

from harness import BIN, LIB, ROOT, World, as_nobody, expect, main

APPS = ROOT / "tests/system/app"
HELLO = LIB / "libhello.so"


def run_hello(world, thread="t"):
    return world.ask("run", "hello", "--thread", thread, "--input",
                     '{"name": "Ada"}')


def expect_says(process, status, *words):
    ended = process.wait()
    text = process.text("err")
    expect(ended == status or status is None and ended > 0,
           f"{process.name} ended with {ended}, not {status}:\n{text}")
    for word in words:
        expect(word in text, f"{process.name} does not say {word!r}:\n{text}")
    expect(len(text.splitlines()) <= 6, f"not a short message:\n{text}")


# ------------------------------------------------------------ the coordinator

def test_a_port_in_use_is_named():
    with World() as world, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        world.endpoint = "tcp://127.0.0.1:%d" % taken.getsockname()[1]
        coordinator = world.coordinator(wait=False)
        expect_says(coordinator, 1, "in use", str(taken.getsockname()[1]))


def test_a_port_that_is_none_is_refused():
    with World() as world:
        world.endpoint = "tcp://127.0.0.1:70000"  # in 16 bits: 4464
        expect_says(world.coordinator(wait=False), 1, "70000", "65535")


def test_an_address_that_nobody_could_use_is_refused():
    with World() as world:
        coordinator = world.coordinator("--advertise", "db-3:7433", wait=False)
        expect_says(coordinator, 1, "--advertise", '"db-3:7433" is not an '
                    "endpoint")
        # libzmq 4.3.5 can listen at some names, and none at this one.
        world.endpoint = "tcp://nohost.invalid:7433"
        expect_says(world.coordinator("--insecure", wait=False), 1,
                    world.endpoint, "write an address, as "
                    "tcp://127.0.0.1:7433")


def test_a_database_that_is_no_database_is_left_alone():
    with World() as world:
        db = world.path("superstep.db")
        db.write_bytes(b"Dear diary, " * 1000)
        expect_says(world.coordinator(wait=False), 1, "superstep.db")
        expect(db.read_bytes() == b"Dear diary, " * 1000, "it was changed")


def test_a_database_that_is_no_file_is_told_as_such():
    with World() as world:
        pipe = world.path("pipe")
        os.mkfifo(pipe)
        for path, what in ((pipe, "a pipe"), (world.folder, "a folder"),
                           ("/dev/null", "a device")):
            expect_says(world.coordinator(wait=False, db=path), 1,
                        f"{path} is {what}, and a database is a file")


def test_a_damaged_database_is_refused():
    with World() as world:
        world.coordinator().stop()
        db = world.path("superstep.db")
        data = bytearray(db.read_bytes())
        for page in range(1, len(data) // 4096):
            data[page * 4096:page * 4096 + 64] = b"\xff" * 64
        db.write_bytes(data)
        expect_says(world.coordinator(wait=False), 1, "superstep.db")


def test_a_database_of_a_newer_version_is_refused():
    with World() as world:
        world.coordinator().stop()
        with sqlite3.connect(world.path("superstep.db")) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            # One more is that of a file whose newest rows have not moved yet.
            db.execute(f"PRAGMA user_version = {version + 2}")
        db.close()
        expect_says(world.coordinator(wait=False), 1, "superstep.db", "newer")


def test_a_database_in_a_folder_that_is_not_there_is_named():
    with World() as world:
        coordinator = world.coordinator(
            wait=False, db=world.path("nowhere/superstep.db"))
        expect_says(coordinator, 1, "nowhere/superstep.db")


def test_a_database_that_may_not_be_read_is_named():
    with World() as world:
        world.coordinator().stop()
        db = world.path("superstep.db")
        db.chmod(0)
        program = world.for_nobody(BIN / "superstep-coordinator")
        world.folder.chmod(0o555)
        try:
            coordinator = world.coordinator(wait=False, limits=as_nobody,
                                            program=program)
            expect_says(coordinator, 1, "superstep.db")
        finally:
            world.folder.chmod(0o755)


def test_a_database_in_use_by_another_coordinator_is_refused():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        first, world.endpoint = world.endpoint, None
        expect_says(world.coordinator(wait=False), 1, "superstep.db")
        world.endpoint = first
        expect(run_hello(world)["status"] == "done", "the first one suffered")


def test_a_full_disk_stops_the_coordinator_and_loses_nothing():
    with World() as world:
        disk = world.path("disk")
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "superstep", disk]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            print("not tried: no disk of our own without root")
            return
        try:
            until_store_fails(world, disk / "superstep.db", "full")
        finally:
            for process in world.processes:
                process.kill()
            subprocess.run(["umount", "-l", disk], check=True)


def test_a_disk_that_refuses_writes_stops_the_coordinator():
    limit = 1024 * 1024

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    with World() as world:
        until_store_fails(
            world, world.path("superstep.db"), "failed", small_files)


def until_store_fails(world, db, word, limits=None):
    """Runs until the coordinator gives up; all that ended must be there when
    it is started with room."""
    big = world.compile(APPS / "big.c")
    coordinator = world.coordinator(db=db, limits=limits)
    world.worker(big)
    for kept in range(1000):
        run = world.command("run", "big", "--thread", f"t{kept}",
                            "--input", '{"size": 50000}')
        if not ended_well(run, coordinator):
            break
    expect_says(coordinator, 4, word, "superstep.db")
    expect(kept > 2, f"only {kept} runs found room")

    if not limits:
        subprocess.run(["mount", "-o", "remount,size=16m", db.parent],
                       check=True)
    world.coordinator(db=db)
    if run.wait() != 0:
        expect_never_accepted(world, run, kept)
    for number in range(kept):
        state = world.ask("state", f"t{number}")
        expect(len(state["values"]["text"]) == 50000,
               f"t{number} lost something")


def ended_well(run, coordinator):
    """Wait for the end of the run, or of the coordinator."""
    while run.is_running() and coordinator.is_running():
        with run.changed:
            run.changed.wait(0.01)
    return not run.is_running() and run.wait() == 0


def expect_never_accepted(world, run, kept):
    threads = [item["thread"] for item in world.ask("threads")]
    expect(f"t{kept}" not in threads,
           f"an accepted run did not end:\n{run.text()}")


def test_usage_errors_end_with_2():
    with World() as world:
        for program, words in (
                ("superstep-coordinator", ["--no-such-option"]),
                ("superstep-worker", []),
                ("superstep", ["rnu"])):
            process = world.start(program, BIN / program, *words)
            expect(process.wait() == 2, f"{program}: {process.text()}")
            expect(process.text("err") != "", f"{program} does not say why")


# ------------------------------------------------------------ applications

def test_applications_that_are_none_are_refused_with_the_reason():
    with World() as world:
        world.coordinator()
        text = world.path("text.so")
        text.write_text("no program at all\n")
        empty = world.path("empty.c")
        empty.write_text("int nothing_of_interest;\n")
        for app, words in (
                (world.path("nowhere.so"), ["nowhere.so"]),
                (text, ["text.so"]),
                (world.compile(empty), ["empty.so", "ss_app_descriptor"]),
                (world.compile(APPS / "other_abi.c"), ["42", "1"])):
            worker = world.worker(app, wait=False)
            expect_says(worker, None, *words)


def test_a_node_that_crashes_its_process_each_time_fails_its_task():
    with World() as world:
        world.coordinator()
        app = world.compile(APPS / "crash.c")
        world.worker(app, None, "--processes", "1")
        run = world.command("run", "crash", "--thread", "t", "--input",
                            '{"log": []}', "--json")
        expect(run.wait() == 1, f"status {run.wait()}:\n{run.text()}")
        answer = json.loads(run.text("out"))
        expect(answer["status"] == "failed", str(answer))
        expect("crash" in json.dumps(answer["error"]), str(answer["error"]))
        # The worker's processes came back, and serve others.
        done = world.ask("run", "fine", "--input", '{"log": []}')
        expect(done["output"] == {"log": ["fine"]}, str(done))


def until_lost(world, run, count):
    """Until it has lost so many workers, and the row that says so is durable."""
    while True:
        explained = world.ask("explain", run)
        lost = [wait.get("workers_lost", 0) for wait in explained["waits"]]
        if sum(lost) == count and explained["rows_on_their_way"] == 0:
            return


def test_a_node_that_ends_its_workers_fails_though_coordinators_change():
    with World() as world:
        coordinator = world.coordinator()
        app = world.compile(APPS / "crash.c")
        for lost in range(4):
            worker = world.worker(app, wait=False)
            if lost == 0:
                worker.wait_line(r"\bready\b")
                world.do("run", "crash", "--thread", "t", "--run", "r",
                         "--input", '{"log": []}', "--detach")
            expect(worker.wait() == -signal.SIGKILL, worker.text())
            if lost < 3:
                until_lost(world, "r", lost + 1)
                coordinator.kill()
                coordinator = world.coordinator()
        ended = world.command("attach", "r", "--json")
        expect(ended.wait() == 1, f"status {ended.wait()}:\n{ended.text()}")
        error = json.loads(ended.text("out"))["error"]
        expect(error["code"] == "worker_lost" and
               "lost on each of 4 attempts" in error["message"], str(error))


def test_a_worker_that_nobody_answers_says_so():
    with World() as world:
        world.endpoint = "tcp://127.0.0.1:9"
        worker = world.worker(HELLO, wait=False)
        worker.wait_line("nothing heard from the coordinator at "
                         "tcp://127.0.0.1:9")


# ------------------------------------------------------------ what clients say

def test_requests_that_make_no_sense_get_an_answer_that_does():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        run_hello(world)
        broken = world.path("broken.json")
        broken.write_text('{\n  "name": oops\n}\n')
        for status, words, said in (
                (1, ["run", "helo", "--input", "{}"], ["helo", "hello"]),
                (1, ["state", "nobody"], ["nobody"]),
                (1, ["state", "t", "--at", "c7"], ["c7", "history t"]),
                (1, ["run", "hello", "--thread", "t", "--at", "c7"],
                 ["c7", "history t"]),
                (1, ["copy", "nobody", "else"], ["nobody"]),
                (2, ["run", "hello", "--thread", b"t\xff", "--input",
                     '{"name": "Ada"}'], ["UTF-8"]),
                (2, ["delete", b"t\xff"], ["UTF-8"]),
                (1, ["history", "nobody"], ["nobody"]),
                (1, ["resume", "nobody", "--value", "1"], ["nobody"]),
                (2, ["run", "hello", "--input", '{"name": '], ["JSON"]),
                (2, ["run", "hello", "--input", f"@{broken}"], ["line 2"]),
                (2, ["run", "hello", "--input", "@/nowhere/in.json"],
                 ["/nowhere/in.json"])):
            process = world.command(*words)
            ended = process.wait()
            expect(ended in (1, 2), f"{words}: {ended}\n{process.text()}")
            expect(ended == status or status == 2,
                   f"{words}: {ended}\n{process.text()}")
            for word in said:
                expect(word in process.text("err"),
                       f"{words} does not say {word!r}:\n{process.text()}")
        expect(run_hello(world, "after")["status"] == "done", "it suffered")


def test_a_run_is_explained_by_the_name_of_its_thread_too():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        done = run_hello(world, "demo")
        for words in (("demo",), ("--thread", "demo"), (done["run"],)):
            explained = world.ask("explain", *words)
            expect(explained["run"] == done["run"], f"{words}: {explained}")


def expect_no_state(world, words, *says):
    for command in ("state", "history"):
        expect_says(world.command(command, *words), 1, *says)


def test_what_has_no_state_is_told_apart():
    with World() as world:
        db = world.path("superstep.db")
        coordinator = world.coordinator()
        worker = world.worker(world.compile(APPS / "inside.c"))
        world.do("run", "inside", "--thread", "f", "--input", "{}")
        expect_no_state(world, ("f", "--ns", "innner"),
                        'thread f has no namespace "innner"',
                        'Did you mean "inner"?', "It has: inner")
        coordinator.stop()
        worker.stop()
        with sqlite3.connect(db) as rows:
            rows.execute("DELETE FROM journal")
            # Records tell where a thread ends; none does of one that began.
            rows.execute("DELETE FROM runs")
            for key, record in rows.execute(
                    "SELECT key, value FROM threads").fetchall():
                told = json.loads(record)
                told.pop("head", None)
                rows.execute("UPDATE threads SET value = ? WHERE key = ?",
                             (json.dumps(told).encode(), key))
        world.coordinator()
        expect_no_state(world, ("f",), "thread f has no checkpoints yet")
        expect_no_state(world, ("nobody", "--graph", "inside"),
                        "there is no thread")


def test_an_inner_graph_is_meant_by_the_name_of_its_node():
    with World() as world:
        world.coordinator()
        text = (APPS / "inside.c").read_text(encoding="utf-8")
        source = world.path("within.c")
        source.write_text(text.replace("ss_checkpointer(graph, true);", ""),
                          encoding="utf-8")
        world.worker(world.compile(source))
        world.do("run", "inside", "--thread", "f", "--input", "{}")
        state = world.ask("state", "f", "--ns", "inner")
        ns = state["config"]["checkpoint_ns"]
        expect(ns.startswith("inner:") and state["values"], f"{state}")
        history = world.ask("history", "f", "--ns", ns[:len("inner:1f0a")])
        expect({one["config"]["checkpoint_ns"] for one in history} == {ns},
               f"{history}")
        world.do("run", "inside", "--thread", "f", "--input", "{}")
        expect_no_state(world, ("f", "--ns", "inner"),
                        "namespace inner may be inner:", f"{ns}")


def test_an_input_over_the_limit_is_refused():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        path = world.path("large.json")
        path.write_text(json.dumps({"name": "x" * (80 * 1024 * 1024)}))
        process = world.command("run", "hello", "--input", f"@{path}")
        ended = process.wait()
        text = process.text("err")
        expect(ended in (1, 2), f"status {ended}:\n{text}")
        expect("limit" in text or "large" in text or "at most" in text, text)
        expect(run_hello(world)["status"] == "done", "the coordinator suffered")


def test_a_result_over_the_limit_of_a_message_fails_its_task():
    with World() as world:
        world.coordinator()
        world.worker(world.compile(APPS / "big.c"))
        answer = world.ask("run", "big", "--input",
                           '{"size": 90000000}', status=1)
        expect(answer["status"] == "failed", str(answer)[:500])
        fine = world.ask("run", "big", "--input", '{"size": 10}')
        expect(fine["status"] == "done", "the worker suffered")


def test_a_mistyped_key_of_an_update_is_told():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        run_hello(world)
        told = world.command("update", "t", "--values", '{"lgo": "x"}')
        expect(told.wait() == 0 and "checkpoint " in told.text("out") and
               '"lgo" of its update is not a key of graph hello, and was '
               'ignored. Did you mean "log"?' in told.text("err"), told.text())
        told = world.command("update", "t", "--as", "__input__", "--values",
                             '{"log": "x", "nmae": "Ada"}')
        expect(told.wait() == 0 and "1 of the values are not channels of graph "
               "hello and were ignored" in told.text("err"), told.text())


def test_a_thread_and_a_node_that_are_none_are_named_as_such():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        run_hello(world, "first")
        for words in (("history", "frist"),
                      ("update", "frist", "--values", '{"log": "x"}')):
            told = world.command(*words)
            expect(told.wait() == 1 and 'there is no thread "frist"' in
                   told.text("err") and 'Did you mean "first"' in
                   told.text("err"), told.text())
        world.do("copy", "frist", "second", status=1)
        expect([row["thread"] for row in world.ask("threads")] == ["first"],
               "a copy of nothing is there")
        told = world.command("run", "hello", "--thread", "first", "--command",
                             '{"goto": "gret"}')
        expect('graph hello has no node "gret"' in
               (told.wait(), told.text("err"))[1], told.text())


def shell(world, line):
    """A command line of `superstep` as a shell takes it, with redirections."""
    return world.start("sh", "sh", "-c", f'exec "$0" {line}', BIN / "superstep",
                       environment={**os.environ,
                                    "SUPERSTEP_COORDINATOR": world.endpoint})


def test_a_result_that_cannot_be_printed_is_an_error():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        run = """run hello --thread t --input '{"name": "Ada"}'"""
        for more in ("", " --stream updates", " --json --stream updates"):
            told = shell(world, f"{run}{more} >/dev/full")
            expect(told.wait() == 1 and "stdout: cannot write: No space left "
                   "on device" in told.text("err"), told.text())
        # Who reads the first line alone has what it wanted: that is no error,
        # and all that may be said is that the run had not ended yet.
        told = shell(world, f"{run} --stream debug,values | head -1")
        said = told.text("err") if told.wait() == 0 else told.text()
        expect(not said or (said.startswith("The run goes on.  Follow it:") and
                            said.count("\n") == 1), told.text())


def test_a_full_disk_behind_the_output_is_told_as_such():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        long = json.dumps({"name": "A" * 10_000})
        world.path("input").write_text(long, encoding="utf-8")
        world.do("run", "hello", "--thread", "t", "--input",
                 f"@{world.path('input')}")
        for words in ("--help", "help", "--version", "graphs", "state t",
                      "state t --json", "history t", "threads --names",
                      "top --once", "retain --prune-after 1d"):
            told = shell(world, f"{words} >/dev/full")
            expect(told.wait() == 1 and "stdout: cannot write: No space left "
                   "on device" in told.text("err"), f"{words}: {told.text()}")


def test_help_of_a_program_behind_a_full_disk_is_told_as_such():
    with World() as world:
        for program in ("superstep-coordinator", "superstep-worker"):
            for words in ("--help", "--version"):
                told = world.start("sh", "sh", "-c",
                                   f'exec "$0" {words} >/dev/full',
                                   BIN / program)
                expect(told.wait() == 1 and told.text("err").strip() ==
                       f"{program}: stdout: cannot write: No space left on "
                       "device", f"{program} {words}: {told.text()}")


def test_a_command_that_may_open_no_file_says_so():
    with World() as world:
        world.endpoint = "tcp://127.0.0.1:9"
        told = world.start("sh", "sh", "-c", 'ulimit -n 12; exec "$0" graphs',
                           BIN / "superstep")
        expect(told.wait() in (1, 4) and "must hold" not in told.text("err"),
               told.text())


def test_a_coordinator_that_goes_amid_a_run_is_told_of():
    with World() as world:
        coordinator = world.coordinator()
        worker = world.worker(HELLO)
        run_hello(world)
        expect(worker.stop() == 0, worker.text())
        run = world.command("run", "hello", "--thread", "u", "--input",
                            '{"name": "Ada"}')
        while not any(row["thread"] == "u" for row in world.ask("runs")):
            time.sleep(0.05)
        coordinator.kill(signal.SIGKILL)
        run.wait_line("it waits: no coordinator answers")
        run.kill()


def test_an_answer_to_a_thread_that_looks_like_an_option_is_told_right():
    with World() as world:
        world.coordinator()
        world.worker(LIB / "libapproval.so")
        asks = world.command("run", "approval", "--thread", "-x", "--input",
                             '{"topic": "d"}')
        expect(asks.wait() == 3, asks.text())
        line = re.search("Answer:  superstep .*?(resume .*)", asks.text("err"))
        expect(line, asks.text())
        told = shell(world, line[1].replace("JSON", "true"))
        expect(told.wait() in (0, 3) and "no option" not in told.text("err"),
               told.text())


def test_without_a_coordinator_the_command_says_how_to_start_one():
    with World() as world:
        world.endpoint = "tcp://127.0.0.1:9"
        process = world.command("graphs")
        expect(process.wait() == 4, process.text())
        expect("superstep dev" in process.text("err"), process.text())


def test_a_database_beside_another_store_is_told_to_be_unused():
    with World() as world:
        coordinator = world.coordinator(
            "--db", world.path("kept.db"), "--store", "memory:")
        coordinator.wait_line(
            r"the database .*kept\.db is not used: --store says another one")
        expect(not world.path("kept.db").exists(), "it was made")


if __name__ == "__main__":
    main(globals())
