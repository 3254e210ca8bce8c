#!/usr/bin/env python3
"""Answer a scenario as the reference would without some of its defects, which Superstep does not copy.

usage: mended.py FILE.json     prints the answers

Each function below is one of them, and says where it is decided. None knows a scenario: each changes a rule.
"""
import collections.abc
import contextvars
import copy
import itertools
import json
import sys

import generate
from langgraph import types
from langgraph.config import get_config
from langgraph.constants import START
from langgraph.errors import EmptyInputError, GraphBubbleUp, GraphInterrupt, InvalidUpdateError
from langgraph.pregel import _algo, _io, _loop, _runner, _task_status, main

INTERRUPT, RESUME = _task_status.INTERRUPT, _task_status.RESUME


def cache_keys_are_made_of_values():
    """Not of which Python objects are the same one (spec/engine.md R3.17)."""
    policy = generate.CachePolicy

    def key_of(*args, **kwargs):
        return json.dumps(generate.plain([args, kwargs]), sort_keys=True, default=str)

    generate.CachePolicy = lambda ttl=None: policy(key_func=key_of, ttl=ttl)


def a_kept_result_is_for_every_task_with_that_input():
    """Not for the last of those in a superstep, beside which the others run (spec/engine.md R6.28, docs/decisions/0009)."""

    def match(self):
        asked = [t for t in self.tasks.values() if t.cache_key and not t.writes] if self.cache is not None else []
        kept = self.cache.get([*{(t.cache_key.ns, t.cache_key.key) for t in asked}]) if asked else {}
        hits = [t for t in asked if (t.cache_key.ns, t.cache_key.key) in kept]
        for task in hits:
            task.writes.extend(kept[task.cache_key.ns, task.cache_key.key])
        return hits

    _loop.SyncPregelLoop.match_cached_writes = match


def a_result_is_kept_for_the_node_that_made_it():
    """Not for every node of its name: a function is known by its qualified name, so all that one factory made are one
    function, also in other graphs (spec/engine.md R3.17; graph.md 7)."""
    node_fn = generate.World.node_fn

    def named_after_its_graph(self, n):
        fn = node_fn(self, n)
        of = (name for name, graph in self.scenario["graphs"].items() if any(n is one for one in graph["nodes"]))
        fn.__qualname__ = f"{next(of, '')}.{n['name']}"  # an error handler is of none; its results are not kept
        return fn

    generate.World.node_fn = named_after_its_graph


def what_is_shown_or_saved_is_a_copy():
    """An interrupt is not written into the state's own map, and what a join has seen is not what it sees while the
    checkpoint is on its way to the store (spec/graph.md 10.2, 14)."""
    read, create = _io.read_channels, _loop.create_checkpoint

    def read_a_copy(*args, **kwargs):
        return copy.deepcopy(read(*args, **kwargs))

    def create_a_copy(*args, **kwargs):
        checkpoint = create(*args, **kwargs)
        return checkpoint | {"channel_values": copy.deepcopy(checkpoint["channel_values"])}

    for module in (_io, _algo, _loop):
        if hasattr(module, "read_channels"):
            module.read_channels = read_a_copy
    _loop.create_checkpoint = create_a_copy


def a_delta_channel_is_a_reducer():
    """When snapshots are stored is the engine's choice (FORMAT.md, "A state graph")."""
    channel = generate.channel
    generate.channel = lambda c: channel(c | {"kind": "BinaryOperatorAggregate"} if c["kind"] == "DeltaChannel" else c)


class InOrder(collections.abc.MutableSet):
    """A set that gives its members in the order in which they came."""

    def __init__(self, members=()):
        self.members = dict.fromkeys(members)

    def __contains__(self, member):
        return member in self.members

    def __iter__(self):
        return iter(self.members)

    def __len__(self):
        return len(self.members)

    def add(self, member):
        self.members[member] = None

    def discard(self, member):
        self.members.pop(member, None)


def edges_are_written_as_they_were_given():
    """Not in the order of a set of strings, another in each process; their slots can be seen (spec/engine.md R0.7)."""

    class Builder(generate.StateGraph):
        def __init__(self, *args, **given):
            super().__init__(*args, **given)
            self.edges, self.waiting_edges = InOrder(), InOrder()

    generate.StateGraph = Builder


GOES_FIRST = contextvars.ContextVar("goes_first", default=True)


def tasks_run_one_after_another():
    """Whose question is open first, then in the order of their paths. So a plain answer goes to the task that stopped, else
    to the first that asks (spec/engine.md 17.1, N1), and those beside a task that fails run to their end
    (docs/decisions/0016): with threads both depend on who is faster."""
    tick = _runner.PregelRunner.tick

    def each_alone(self, tasks, **given):
        raised, around, questions = [], GOES_FIRST.get(), types._interrupt_id.__self__
        stopped = {t.id for t in tasks if questions.stands_in(t.config["configurable"]["checkpoint_ns"])}
        for i, task in enumerate(sorted(tasks, key=lambda t: (t.id not in stopped, _algo.task_path_str(t.path)))):
            GOES_FIRST.set(around and i == 0)
            try:
                yield from tick(self, [task], **given)
            except Exception as e:
                raised.append(e)
            finally:
                GOES_FIRST.set(around)
        for e in raised:
            if not isinstance(e, GraphInterrupt):
                raise e
        if raised:
            raise GraphInterrupt(tuple(question for e in raised for question in e.args[0]))

    _runner.PregelRunner.tick = each_alone


class Again(Exception):
    """The body asked, and runs once more, with the answer."""


def who_does_not_come_first_asks_before_it_is_given_the_answer():
    """All of a superstep runs at once. A plain answer goes out with the task whose question was open, or with the first
    in path order; another one that asks is given it when it runs again (docs/decisions/0016)."""
    ask, node_fn = generate.interrupt, generate.World.node_fn

    def ask_at_first(value, **given):
        configured = get_config()["configurable"]
        pad, questions = configured["__pregel_scratchpad"], types._interrupt_id.__self__
        asked = pad.interrupt_counter()
        pad.interrupt_counter._counter = itertools.count(asked).__next__
        its_own = questions.id_of(configured["checkpoint_ns"], len(pad.resume)) in questions.asked
        late = asked >= len(pad.resume) and not its_own and not GOES_FIRST.get()
        if late and (answer := pad.get_null_resume(True)) is not None:
            pad.resume.append(answer)
            pad.interrupt_counter._counter = None
            raise Again
        return ask(value, **given)

    def run_again(self, n):
        body = node_fn(self, n)

        def fn(state, writer: generate.StreamWriter, runtime: generate.Runtime):
            try:
                return body(state, writer, runtime)
            except Again:
                return body(state, writer, runtime)

        fn.__name__ = n["name"]
        return fn

    generate.interrupt, generate.World.node_fn = ask_at_first, run_again


class ToTheStart:
    """A command that is input, and no longer one to go on with."""

    def __init__(self, command):
        self.command = command


def a_command_on_a_fresh_thread_counts_once():
    """As what `__start__` returns. Nobody writes but what that does not take, keys that are no input; a command with
    neither update nor goto is empty input (spec/engine.md R5.12, docs/decisions/0006)."""
    first, map_input, plain = _loop.PregelLoop._first, _loop.map_input, generate.plain

    def plain_with_commands(value):
        if not isinstance(value, types.Command):
            return plain(value)
        return {"$command": {key: plain(getattr(value, key)) for key in ("update", "goto") if getattr(value, key)}}

    def first_as_input(self, **given):
        command = self.input
        if not isinstance(command, types.Command) or self.checkpoint["channel_versions"] or self.is_nested:
            return first(self, **given)
        writes = [(channel, value) for _, channel, value in _loop.map_command(cmd=command) if channel != RESUME]
        if not writes or START not in self.nodes:
            raise EmptyInputError("there is nothing that a command could go on with")
        taken = {key for key, _ in self.nodes[START].writers[0].writes[0].mapper(command)}
        rest = [w for w in command._update_as_tuples() if w[0] not in taken] if command.update else []
        _loop.ensure_message_ids(self.specs, rest)
        by_nobody = _algo.PregelTaskWrites((), _loop.INPUT, rest, [])
        _loop.apply_writes(self.checkpoint, self.channels, [by_nobody], self.checkpointer_get_next_version, self.trigger_to_nodes)
        self.input = ToTheStart(command)
        return first(self, **given)

    def map_what_is_for_the_start(channels, given):
        return map_input(channels, given.command if isinstance(given, ToTheStart) else given)

    _loop.PregelLoop._first, _loop.map_input, generate.plain = first_as_input, map_what_is_for_the_start, plain_with_commands


def state_shows_what_waits():
    """Also the tasks that a stored goto added to the superstep (spec/engine.md R9.4, docs/decisions/0006); and what
    cannot be applied, as writes that conflict or that a reducer refuses, is shown as saved (spec/graph.md 10.2, 2,
    docs/decisions/0008)."""
    prepare_snapshot, prepare, apply = main.Pregel._prepare_state_snapshot, main.prepare_next_tasks, main.apply_writes

    def apply_or_leave(checkpoint, channels, tasks, version, triggers):
        try:
            apply(copy.deepcopy(checkpoint), {k: c.copy() for k, c in channels.items()}, tasks, version, triggers)
        except (InvalidUpdateError, ValueError):  # or what a reducer refuses
            return set()
        return apply(checkpoint, channels, tasks, version, triggers)

    def apply_but_null_writes(checkpoint, channels, tasks, version, triggers):
        waited = [t.name for t in tasks] == [_loop.INPUT]
        return set() if waited else apply_or_leave(checkpoint, channels, tasks, version, triggers)

    def prepare_behind_null_writes(checkpoint, pending, nodes, channels, *args, **given):
        if null := [w[1:] for w in pending or [] if w[0] == _algo.NULL_TASK_ID]:
            waiting = [_algo.PregelTaskWrites((), _loop.INPUT, null, [])]
            apply_or_leave(checkpoint, channels, waiting, generate.InMemorySaver().get_next_version, {})
        return prepare(checkpoint, pending, nodes, channels, *args, **given)

    def with_what_waits(self, *args, **given):
        around = main.prepare_next_tasks, main.apply_writes  # the snapshot of a graph around may be under way
        main.prepare_next_tasks, main.apply_writes = prepare_behind_null_writes, apply_but_null_writes
        try:
            return prepare_snapshot(self, *args, **given)
        finally:
            main.prepare_next_tasks, main.apply_writes = around

    main.Pregel._prepare_state_snapshot = with_what_waits


def under_exit_a_replay_is_bounded_by_what_it_replays():
    """The fork that a replay begins with is not saved under `exit`, and the bound of kept subgraphs was taken
    from the checkpoint before, or where there is none was no bound (spec/engine.md R5.13, docs/decisions/0016)."""
    first, put = _loop.PregelLoop._first, _loop.PregelLoop._put_checkpoint

    def put_and_name_the_parent(self, metadata):
        replayed = self.checkpoint_config
        forks = metadata.get("source") == "fork" and metadata is not self.checkpoint_metadata
        put(self, metadata)
        if forks and self.durability == "exit":
            self.prev_checkpoint_config = replayed

    def first_with_that(self, **given):
        before = self.prev_checkpoint_config
        updated = first(self, **given)
        if self.durability == "exit":
            self.prev_checkpoint_config = before  # what `checkpoints` events show
        return updated

    _loop.PregelLoop._put_checkpoint = put_and_name_the_parent
    _loop.PregelLoop._first = first_with_that


class Questions:
    """All that tasks asked, and which of it is open: what its task has no answer for (R7.12b, docs/decisions/0007)."""

    def __init__(self, saver):
        self.saver, self.asked, self.id_of = saver, {}, types._interrupt_id

    def named(self, ns, answered):
        id = self.id_of(ns, answered)
        self.asked[id] = ns, answered
        return id

    def written(self, keys):
        """The pending writes that are stored under these keys: task, channel, value."""
        rows = [row for key in keys for row in self.saver.writes[key].values()]
        return [(row[0], row[1], self.saver.serde.loads_typed(row[2])) for row in rows]

    def is_open(self, question):
        if question.id not in self.asked:
            return True
        ns, answered = self.asked[question.id]
        own = [w for w in self.written(list(self.saver.writes)) if w[0] == ns.rsplit(":", 1)[1]]
        answers = max((len(value) for _, channel, value in own if channel == RESUME), default=0)
        return answered >= answers and all(channel in _task_status.CONTROL_WRITES for _, channel, _ in own)

    def stands_in(self, ns):
        """A task, or one in the graph that it is, goes on with a question that it stored itself."""
        asked = {task for task, channel, _ in self.written(list(self.saver.writes)) if channel == INTERRUPT}
        return any((of == ns or is_inside(of, ns)) and of.rsplit(":", 1)[1] in asked and self.is_open(types.Interrupt(None, id))
                   for id, (of, _) in self.asked.items())

    def open_inside(self, thread, ns):
        """The open questions of a thread's tasks in a graph, and in graphs in it, where each stands now."""
        newest = {key: max(kept) for key, kept in self.saver.storage[thread].items()}
        now = [key for key in self.saver.writes if key[0] == thread and newest.get(key[1]) == key[2]]
        asked = {q.id: q for _, channel, value in self.written(now) if channel == INTERRUPT for q in value}
        return [q for id, q in asked.items() if id in self.asked and is_inside(self.asked[id][0], ns) and self.is_open(q)]


def is_inside(inner, outer):
    """Whether a task's namespace is below another's; that of a graph which keeps its state names no tasks (R12.4b)."""
    inner, outer = inner.split("|"), outer.split("|")
    return len(inner) > len(outer) and all(i in (o, o.split(":")[0]) for i, o in zip(inner, outer))


def a_question_that_was_answered_is_not_open(saver):
    """Nor where its task failed after that, nor on the task of the graph around it (R7.12b, docs/decisions/0007)."""
    questions, commit = Questions(saver), _runner.PregelRunner.commit
    types._interrupt_id = questions.named

    def pending_interrupts(self):
        return () if self.finished else tuple(q for q in self.interrupts if questions.is_open(q))

    def commit_and_keep_what_is_open(self, task, exception):
        loop = self.put_writes().__self__
        asked_before = any(w[:2] == (task.id, INTERRUPT) for w in loop.checkpoint_pending_writes)
        commit(self, task, exception)
        if asked_before and task.subgraphs and isinstance(exception, Exception) and not isinstance(exception, GraphBubbleUp):
            configured = task.config["configurable"]
            still = questions.open_inside(configured["thread_id"], configured["checkpoint_ns"])
            loop.checkpoint_pending_writes.append((task.id, INTERRUPT, still))
            if loop.durability != "exit":
                here = {"checkpoint_ns": loop.config["configurable"].get("checkpoint_ns", ""), "checkpoint_id": loop.checkpoint["id"]}
                config = {"configurable": loop.checkpoint_config["configurable"] | here}
                saver.put_writes(config, [(INTERRUPT, still)], task.id, _loop.task_path_str(task.path))

    _task_status.TaskStatus.pending_interrupts = property(pending_interrupts)
    _runner.PregelRunner.commit = commit_and_keep_what_is_open


def answer(path):
    with open(path) as f:
        scenario = json.load(f)
    cache_keys_are_made_of_values()
    a_kept_result_is_for_every_task_with_that_input()
    what_is_shown_or_saved_is_a_copy()
    a_delta_channel_is_a_reducer()
    edges_are_written_as_they_were_given()
    tasks_run_one_after_another()
    who_does_not_come_first_asks_before_it_is_given_the_answer()
    a_command_on_a_fresh_thread_counts_once()
    a_result_is_kept_for_the_node_that_made_it()
    state_shows_what_waits()
    under_exit_a_replay_is_bounded_by_what_it_replays()
    player = generate.Player(scenario)
    a_question_that_was_answered_is_not_open(player.world.saver)
    print(json.dumps(generate.number(player.play(scenario["calls"]))))


if __name__ == "__main__":
    sys.exit(answer(sys.argv[1]))
