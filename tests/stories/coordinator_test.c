// A coordinator that crashes, is slow, is no longer the owner; and those who
// come back to a run.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(more) "{'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"

static void diamond(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_worker("w1", 4);
}

// c had finished and b had not: only b is run again, and the result that b's
// first attempt sends to the new coordinator is ignored.
START_TEST(a_restart_in_mid_superstep_runs_only_what_had_not_finished)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_crash();
    world_restart();
    world_run();
    world_let("b");
    world_run();
    world_get("attach", "{'run': 'r'}");
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "a late result of a lost attempt is ignored\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_question_is_answered_after_a_restart)
{
    diamond();
    world_body("b", asks);
    world_get("run", RUN(""));
    world_crash();
    world_restart();
    world_get("run", "{'thread': 't', 'command': {'resume': 'yes'}}");
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of b (asks)\n"
         "the run ends: interrupted\n"
         "  row 5 of t: writes of c, end\n"
         "ann: interrupted {\"x\":[\"a\",\"c\"]} asked [\"ok?\"]\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 6 of t: entry, writes of the client (answer)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 7 of t: writes of b (answer), the plain answer taken, "
         "checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 8 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b:yes\",\"c\",\"d\"]}\n");
}
END_TEST

// The run waits for somebody who knows its graph.
START_TEST(a_run_found_before_its_workers_are_there_waits_for_them)
{
    diamond();
    world_hold("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_silence("w1");
    world_crash();
    world_restart();
    world_run();
    world_let("a");
    world_worker("w2", 4);
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "(the coordinator crashes)\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "worker w2 serves 1 graphs, 4 tasks at once\n"
         "a of superstep 1 goes to worker w2 (attempt 1)\n"
         "a late result of a lost attempt is ignored\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w2 (attempt 1)\n"
         "c of superstep 2 goes to worker w2 (attempt 1)\n"
         "  row 4 of t: writes of b\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w2 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n");
}
END_TEST

// Nothing that rests on a row leaves before the store has it.
START_TEST(a_slow_store_holds_back_what_rests_on_its_rows)
{
    diamond();
    world_store_slow(true);
    world_ask("ann", "run", RUN(", 'stream': ['updates']"));
    world_run_store(); // the thread is read
    world_run_store(); // the graph is stored
    world_run();
    for (int i = 0; i < 8; i++) {
        if (!world_run_store())
            break;
        world_run();
    }
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "  row 4 of t: writes of b\n"
         "ann sees updates {\"b\":{\"x\":[\"b\"]}}\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann sees updates {\"d\":{\"x\":[\"d\"]}}\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

// Under async tasks run ahead of the journal; the answer waits for it.
START_TEST(async_runs_ahead_and_answers_when_all_is_stored)
{
    diamond();
    world_run();
    world_store_slow(true);
    world_ask("ann", "run", RUN(", 'durability': 'async'"));
    while (world_run_result(NULL) || world_run_store())
        continue;
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "  row 4 of t: writes of b\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(exit_stores_only_how_it_began_and_how_it_ended)
{
    diamond();
    world_get("run", RUN(", 'durability': 'exit'"));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "  row 1 of t: entry\n"
         "ann: accepted\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 2 of t: checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(exit_begins_again_after_a_crash)
{
    diamond();
    world_hold("d");
    world_ask("ann", "run", RUN(", 'durability': 'exit', 'run': 'r'"));
    world_run();
    world_crash();
    world_restart();
    world_let("d");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "  row 1 of t: entry\n"
         "ann: accepted\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "a late result of a lost attempt is ignored\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 2 of t: checkpoint 3 (loop), end\n");
}
END_TEST

// Somebody else owns the thread now: what was not stored is not acknowledged.
START_TEST(a_store_that_refuses_acknowledges_nothing)
{
    diamond();
    world_run();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'stream': ['updates']"));
    world_run();
    world_store_says(SS_EFENCED);
    world_let("b");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "  row 4 of t: writes of c\n"
         "ann sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "thread t is dropped: the lease belongs to another owner\n"
         "ann: error fenced: the lease belongs to another owner\n");
}
END_TEST

// The disk was full for a moment: nothing is acknowledged that is not stored,
// and the run goes on from what is, when somebody asks for its thread again.
START_TEST(after_a_full_disk_the_run_goes_on_from_what_is_stored)
{
    diamond();
    world_run();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_store_says(SS_EFULL);
    world_let("b");
    world_run();
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "thread t is dropped: there is no room on the disk\n"
         "ann: error disk_full: there is no room on the disk\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_thread_that_cannot_be_read_loses_no_run)
{
    diamond();
    world_run();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_crash();
    world_restart();
    world_read_says(SS_EIO); // the rows of what was found
    world_run();
    world_let("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 4 tasks at once\n"
         "thread t is dropped: thread t: cannot be read: the system refused an "
         "operation\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "a late result of a lost attempt is ignored\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_second_run_on_a_busy_thread_is_refused)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_ask("bob", "run", RUN(""));
    world_run();
    world_let("b");
    world_run();
    told(
        "worker w1 serves 1 graphs, 4 tasks at once\n"
        "run of graph g begins on thread t\n"
        "  row 1 of t: entry, checkpoint -1 (input)\n"
        "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
        "a of superstep 1 goes to worker w1 (attempt 1)\n"
        "ann: accepted\n"
        "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
        "b of superstep 2 goes to worker w1 (attempt 1)\n"
        "c of superstep 2 goes to worker w1 (attempt 1)\n"
        "  row 4 of t: writes of c\n"
        "bob: error busy: thread t is busy with run r: wait for it, cancel it, "
        "or say what to do (--if-busy, in a request if_busy)\n"
        "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
        "d of superstep 3 goes to worker w1 (attempt 1)\n"
        "the run ends: done\n"
        "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
        "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

// The same id is the same run: once under way, once ended.
START_TEST(asking_again_with_the_same_run_id_runs_nothing_twice)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_ask("bob", "run", RUN(", 'run': 'r'"));
    world_run();
    world_let("b");
    world_run();
    world_ask("eve", "run", RUN(", 'run': 'r'"));
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "bob: accepted\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n"
         "bob: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n"
         "eve: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

// A client that comes back names the last event that it saw, and misses none.
START_TEST(who_attaches_gets_the_events_after_the_last_that_it_saw)
{
    diamond();
    world_hold("d");
    world_ask("ann", "run", RUN(", 'run': 'r', 'stream': ['updates']"));
    world_run();
    world_gone("ann");
    world_ask(
        "bob", "attach", "{'run': 'r', 'stream': ['updates'], 'after': '3.1'}");
    world_run();
    world_let("d");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "  row 4 of t: writes of b\n"
         "ann sees updates {\"b\":{\"x\":[\"b\"]}}\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "bob: accepted\n"
         "bob sees updates {\"b\":{\"x\":[\"b\"]}}\n"
         "bob sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "bob sees updates {\"d\":{\"x\":[\"d\"]}}\n"
         "bob: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

// Events are made again from the journal: those that rest on its rows are the
// same for a coordinator that was not there.
START_TEST(who_attaches_after_a_restart_misses_no_event)
{
    diamond();
    world_hold("d");
    world_ask(
        "ann", "run", RUN(", 'run': 'r', 'stream': ['updates', 'values']"));
    world_run();
    world_crash();
    world_restart();
    world_ask("bob", "attach",
        "{'run': 'r', 'stream': ['updates', 'values'], 'after': '2.1'}");
    world_run();
    world_let("d");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "ann sees values {\"x\":[]}\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "ann sees values {\"x\":[\"a\"]}\n"
         "  row 4 of t: writes of b\n"
         "ann sees updates {\"b\":{\"x\":[\"b\"]}}\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "ann sees values {\"x\":[\"a\",\"b\",\"c\"]}\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "bob: accepted\n"
         "bob sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "bob sees values {\"x\":[\"a\"]}\n"
         "bob sees updates {\"b\":{\"x\":[\"b\"]}}\n"
         "bob sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "bob sees values {\"x\":[\"a\",\"b\",\"c\"]}\n"
         "a late result of a lost attempt is ignored\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "bob sees updates {\"d\":{\"x\":[\"d\"]}}\n"
         "bob sees values {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n"
         "bob: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_run_that_has_ended_can_be_told_again)
{
    diamond();
    world_body("b", asks);
    world_get("run", RUN(", 'run': 'r', 'stream': ['updates']"));
    world_crash();
    world_restart();
    world_forget();
    world_ask(
        "bob", "attach", "{'run': 'r', 'stream': ['updates'], 'after': '0'}");
    world_run();
    told("bob sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "bob sees updates {\"__interrupt__\":[\"ok?\"]}\n"
         "bob sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "bob: interrupted {\"x\":[\"a\",\"c\"]} asked [\"ok?\"]\n");
}
END_TEST

// What was out is told to stop, and is marked; what had finished is kept.
START_TEST(a_run_is_cancelled)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_ask("bob", "cancel", "{'run': 'r'}");
    world_run();
    world_let("b");
    world_run();
    world_get("run", "{'thread': 't', 'input': null}");
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "the run ends: cancelled\n"
         "  row 5 of t: writes of b (failed), end\n"
         "ann: cancelled {\"x\":[\"a\"]} error cancelled: the run was "
         "cancelled\n"
         "bob: cancelled\n"
         "a late result of a lost attempt is ignored\n"
         "run of graph g begins on thread t\n"
         "  row 6 of t: entry\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 7 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 8 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_request_while_the_thread_is_read_waits_its_turn)
{
    diamond();
    world_ask("ann", "run", RUN(""));
    world_ask("bob", "state", "{'thread': 't'}");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "bob: answered\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of b\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

SUITE("coordinator", a_restart_in_mid_superstep_runs_only_what_had_not_finished,
    a_question_is_answered_after_a_restart,
    a_run_found_before_its_workers_are_there_waits_for_them,
    a_slow_store_holds_back_what_rests_on_its_rows,
    async_runs_ahead_and_answers_when_all_is_stored,
    exit_stores_only_how_it_began_and_how_it_ended,
    exit_begins_again_after_a_crash, a_store_that_refuses_acknowledges_nothing,
    after_a_full_disk_the_run_goes_on_from_what_is_stored,
    a_thread_that_cannot_be_read_loses_no_run,
    a_second_run_on_a_busy_thread_is_refused,
    asking_again_with_the_same_run_id_runs_nothing_twice,
    who_attaches_gets_the_events_after_the_last_that_it_saw,
    who_attaches_after_a_restart_misses_no_event,
    a_run_that_has_ended_can_be_told_again, a_run_is_cancelled,
    a_request_while_the_thread_is_read_waits_its_turn)
