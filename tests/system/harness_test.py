"""Who names a system test gets that one, and a name that none has is an error:
a run of no test must not pass."""

import os
import pathlib
import subprocess
import sys

import harness
from harness import World, expect

FILE = """import harness

def test_one():
    print("one is played")

def test_two():
    raise harness.Failure("two is played")

harness.main(globals())
"""


def play(world, *names):
    """That file with these names: its exit status, and what it said."""
    file = world.path("some_test.py")
    file.write_text(FILE, encoding="utf-8")
    folder = pathlib.Path(harness.__file__).parent
    ended = subprocess.run(
        [sys.executable, str(file), *names], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(folder)}, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def expect_played(world, names, status, *played):
    ended, text = play(world, *names)
    expect(ended == status, f"{names}: {ended}\n{text}")
    for name in ("one", "two"):
        expect((f"{name} is played" in text) == (name in played),
               f"{names}:\n{text}")
    return text


def test_all_or_those_that_are_named():
    with World() as world:
        expect_played(world, [], 1, "one", "two")
        expect_played(world, ["one"], 0, "one")
        expect_played(world, ["two"], 1, "two")
        expect_played(world, ["two", "one"], 1, "one", "two")


def test_a_name_that_none_has_fails_before_anything_is_played():
    with World() as world:
        for names in (["onee"], ["one", "onee"], ["onee", "two"]):
            text = expect_played(world, names, 2)
            expect("there is no test onee. Did you mean one?" in text, text)
        expect("there is no test test_one." in
               expect_played(world, ["test_one"], 2), "what it did not find")
        expect("there is no test ." in expect_played(world, [""], 2), "why?")


if __name__ == "__main__":
    harness.main(globals())
