"""What processes measure of themselves, as a scraper sees it."""

import re
import time

from harness import DEADLINE_S, LIB, World, expect, get, main, port_of

HELLO = LIB / "libhello.so"
DIGEST = LIB / "libdigest.so"
ANY = ("--metrics", "127.0.0.1:0")


def numbers(of):
    """Each sample without labels; the format of every line is looked at."""
    found = {}
    for line in get(of, "metrics")[1].splitlines():
        match = re.fullmatch(
            r"# (HELP|TYPE) [a-z_]+ .+|([a-z_]+)(\{.+\})? ([0-9.]+)", line)
        expect(match, f"no line of the format: {line}")
        if match[2] and not match[3]:
            found[match[2].removeprefix("superstep_")] = float(match[4])
    return found


def until(of, **wanted):
    end = time.monotonic() + DEADLINE_S
    while True:
        found = numbers(of)
        wrong = {name: found.get(name) for name, value in wanted.items()
                 if found.get(name) != value}
        if not wrong:
            return found
        expect(time.monotonic() < end, f"{wrong} instead of {wanted}")
        time.sleep(0.05)


def test_a_run_is_counted():
    with World() as world:
        coordinator = port_of(world.coordinator(*ANY))
        until(coordinator, workers=0, shards_owned=1024, runs_started_total=0)
        worker = port_of(world.worker(HELLO, None, *ANY, capacity=3))
        until(coordinator, workers=1, workers_capacity=3)
        world.do("run", "hello", "--thread", "t", "--input",
                 '{"name": "Ada"}')
        world.do("run", "hello", "--thread", "u", "--input", "{}", status=1)
        found = until(
            coordinator, runs_started_total=2, runs_done_total=1,
            runs_failed_total=1, runs_active=0, tasks_ready=0, tasks_running=0,
            tasks_sent_total=3, attempts_failed_total=1, attempts_lost_total=0)
        expect(found["supersteps_total"] >= 3, f"{found}")
        expect(0 < found["store_commits_total"] <= found["store_units_total"],
               f"{found}")
        expect(found["store_seconds_count"] >= found["store_commits_total"],
               f"{found}")
        until(worker, worker_tasks_ended_total=3, worker_tasks_failed_total=1,
              worker_capacity=3, worker_coordinators=1)
        expect(get(coordinator, "health") == (200, "ok\n"), "not healthy")
        expect(get(worker, "health") == (200, "ok\n"), "not healthy")


def test_what_waits_and_what_is_lost_shows():
    with World() as world:
        effects = world.start_effects()
        hold = world.path("hold")
        hold.mkdir()
        coordinator = port_of(world.coordinator(*ANY))
        worker = world.worker(
            DIGEST, f"log={effects.path} hold=measure:{hold}", capacity=2)
        run = world.command(
            "run", "digest", "--thread", "t", "--input",
            '{"folder": "/usr/share/common-licenses", "report": "%s"}'
            % world.path("report.md"))
        found = until(coordinator, tasks_running=2, runs_active=1)
        expect(found["tasks_ready"] > 0, f"{found}")
        # Two more runs than their thread takes at once wait in its line.
        for _ in range(2):
            world.do("run", "digest", "--thread", "t", "--detach", "--if-busy",
                     "enqueue", "--input", '{"folder": "/nowhere"}')
        until(coordinator, runs_queued=2, runs_active=1)
        worker.kill()
        until(coordinator, workers=0, tasks_running=0, attempts_lost_total=2)
        run.kill()


def test_limits_show_by_their_names():
    with World() as world:
        coordinator = port_of(world.coordinator(*ANY))
        world.worker(HELLO, None, capacity=3)
        until(coordinator, workers=1)
        world.do("limit", "hello/greet", "--tasks", "2")
        world.do("run", "hello", "--thread", "t", "--input",
                 '{"name": "Ada"}')
        text = get(coordinator, "metrics")[1]
        end = time.monotonic() + DEADLINE_S
        lines = ['limit_max{limit="hello/greet"} 2',
                 'limit_parts{limit="hello/greet"} 2',
                 'limit_out{limit="hello/greet"} 0',
                 'limit_held{limit="hello/greet"} 0',
                 'limit_waiting{limit="hello/greet"} 0']
        while any(f"superstep_{line}\n" not in text for line in lines):
            expect(time.monotonic() < end, text)
            time.sleep(0.05)
            text = get(coordinator, "metrics")[1]


def test_a_worker_without_a_coordinator_is_not_healthy():
    with World() as world:
        first = world.coordinator()
        worker = port_of(world.worker(HELLO, None, *ANY))
        first.kill()
        end = time.monotonic() + DEADLINE_S
        while get(worker, "health")[0] != 503:
            expect(time.monotonic() < end, "still healthy")
            time.sleep(0.05)
        expect(get(worker, "ready")[0] == 503, "it is ready")
        expect(get(worker, "live") == (200, "ok\n"), "it is not live")
        world.coordinator()
        while get(worker, "health")[0] != 200:
            expect(time.monotonic() < end, "still not healthy")
            time.sleep(0.05)


def test_a_probe_says_whether_a_process_can_work():
    with World() as world:
        coordinator = world.coordinator(*ANY)
        at = f"127.0.0.1:{port_of(coordinator)}"
        expect(world.do("health", at) == "ok", "not ok")
        expect(world.do("health", at, "--json") == '{"healthy": true}', "JSON")
        worker = port_of(world.worker(HELLO, None, *ANY))
        expect(world.do("health", f"localhost:{worker}") == "ok", "not ok")
        coordinator.kill()
        world.do("health", at, status=4)
        world.do("health", "nonsense", status=2)
        end = time.monotonic() + DEADLINE_S
        while True:
            probe = world.command("health", f"127.0.0.1:{worker}")
            if probe.wait() == 1:
                break
            expect(time.monotonic() < end, "still healthy")
        expect("no coordinator has taken it in" in probe.text("err"),
               probe.text())


def test_a_wrong_address_is_refused():
    with World() as world:
        process = world.coordinator("--metrics", "here", wait=False)
        expect(process.wait() == 1, process.text())
        expect("is not an ADDRESS:PORT" in process.text("err"), process.text())


if __name__ == "__main__":
    main(globals())
