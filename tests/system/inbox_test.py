#!/usr/bin/env python3
"""Questions and failures are found among many threads, whoever has these in
memory, and answered or tried again by one command."""

import json

from harness import LIB, World, expect, main


def test_the_inbox_survives_its_coordinator_and_is_answered_at_once():
    with World() as world:
        coordinator = world.coordinator()
        world.worker(LIB / "libapproval.so")
        for thread in ("first", "second"):
            world.do("run", "approval", "--thread", thread, "--input",
                     '{"topic": "lift"}', status=3)
        world.do("run", "approval", "--thread", "bad", "--input", "{}",
                 status=1)
        coordinator.kill()
        coordinator.wait()
        world.coordinator()
        asked = world.ask("inbox")
        expect([row["thread"] for row in asked] == ["second", "first"],
               str(asked))
        expect(asked[0]["node"] == "review" and asked[0]["value"]["draft"],
               str(asked))
        expect(asked[0]["answer"].endswith("resume second --value JSON"),
               str(asked))
        stands = {it["thread"]: it["status"] for it in world.ask("threads")}
        expect(stands == {"first": "interrupted", "second": "interrupted",
                          "bad": "failed"}, str(stands))
        # a script has nobody to ask
        refused = world.command("resume", "--all", "--value", "true")
        expect(refused.wait() == 2 and "--yes" in refused.text("err"),
               refused.text())
        answered = world.do("resume", "-g", "approval", "--value", "true",
                            "--yes")
        expect(answered.count("goes on") == 2, answered)
        world.do("retry", "--failed", "--since", "1h", "--yes")
        for thread in ("first", "second"):
            run = world.ask("runs", "--thread", thread, "-n", "1")[0]["run"]
            world.do("attach", run)
        expect(world.ask("inbox") == [], str(world.ask("inbox")))
        runs = world.ask("runs", "--thread", "bad")
        expect(len(runs) == 2, json.dumps(runs))


def test_an_answer_under_a_mistyped_id_answers_nothing():
    with World() as world:
        world.coordinator()
        world.worker(LIB / "libapproval.so")
        world.do("run", "approval", "--thread", "t", "--input",
                 '{"topic": "lift"}', status=3)
        asked = world.ask("inbox")
        for typed in ("1", "review", "0123456789"):
            told = world.command("resume", "t", "--answer", f"{typed}=true")
            expect(told.wait() == 1 and
                   f'asks nothing under the id "{typed}"' in told.text("err"),
                   told.text())
        expect([row["value"] for row in world.ask("inbox")] ==
               [row["value"] for row in asked], "it was taken for an answer")


def test_a_run_says_whose_its_thread_is_and_the_thread_is_found_by_that():
    with World() as world:
        coordinator = world.coordinator()
        world.worker(LIB / "libapproval.so")
        facts = {"metadata": {"user": "ann"}, "title": "Lift"}
        for name in ("first", "second"):
            world.do("run", "approval", "--thread", name, "--run", name,
                     "--input", '{"topic": "lift"}', "--facts",
                     json.dumps(facts), status=3)
            facts["metadata"]["user"] = "bob"
        world.do("thread", "first", "--meta", "user=cyd")
        coordinator.kill()
        coordinator.wait()
        world.coordinator()
        # asked for again it is the run that is there, which says nothing anew
        world.do("run", "approval", "--thread", "first", "--run", "first",
                 "--input", '{"topic": "lift"}', "--facts", "{}", status=3)
        users = {}
        for user in ("ann", "bob", "cyd"):
            users[user] = [it["thread"] for it in
                           world.ask("threads", "--meta", f"user={user}")]
        expect(users == {"ann": [], "bob": ["second"], "cyd": ["first"]},
               str(users))
        told = world.ask("thread", "first")
        expect(told["facts"] == {"metadata": {"user": "cyd"}, "title": "Lift"},
               str(told))
        refused = world.command("run", "approval", "--facts", "[1]")
        expect(refused.wait() == 1 and
               '"facts" wants an object, not a list' in refused.text("err"),
               refused.text())


if __name__ == "__main__":
    main(globals())
