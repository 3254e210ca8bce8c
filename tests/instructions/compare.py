#!/usr/bin/env python3
"""compare - how many instructions the hot paths take, here and at a base.

usage: compare.py [--path NAME]... [BASE]

Both trees are built as a release, by the same compiler, and counted by callgrind
in turn: instructions, never time, so a busy machine says the same as a quiet
one. A path may take RISE_MAX percent more than at BASE, as much less as it
likes. BASE is a commit; without it $CI_BASE, where this branch left main, or
on main itself the commit before.

Each path is counted at two lengths, and what the longer one takes more is shared
by its runs or supersteps: what a process needs to begin and to end is not in it.
Each tree is counted by its own programs; a path that the base has no program
for is told of and not judged.

--path: only this one; more may be named. The base's build stays for the next
time. The last line is "N passed, N failed"; N counts paths that were judged.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tidy"))
import lint  # noqa: E402 (it knows what a branch left main from)

PLACE = ROOT / "build/instructions"
RISE_MAX = 3.0
SECONDS_MAX = 600


@dataclasses.dataclass(frozen=True)
class Path:
    """Instructions inside `function`, of `units` that `longer` has more."""

    program: str
    function: str
    shorter: tuple
    longer: tuple
    units: int
    unit: str


# bench-here runs a tenth more, which it does not time.
PATHS = {
    "chain": Path("bench-here", "ss_local_ask",
                  ("chain", "--size", "3", "--runs", "20"),
                  ("chain", "--size", "3", "--runs", "120"), 110, "run"),
    "fan-out": Path("bench-here", "ss_local_ask", ("fanout", "--runs", "10"),
                    ("fanout", "--runs", "60"), 55, "run"),
    "loop": Path("bench-here", "ss_local_ask", ("loop", "--size", "100"),
                 ("loop", "--size", "600"), 500, "superstep"),
    "coordinator": Path("bench-core", "ss_core_step", ("64", "1"), ("64", "2"),
                        64 * 20, "superstep"),
}


class Trouble(Exception):
    """Why nothing can be compared."""


def run(command, why, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          timeout=SECONDS_MAX, **more)
    if done.returncode != 0:
        raise Trouble(f"{why}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def unpack(base):
    """The sources of commit `base`, in a folder of their own."""
    source, stamp = PLACE / "source", PLACE / "base"
    if stamp.exists() and stamp.read_text() == base:
        return source
    stamp.unlink(missing_ok=True)
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    archive = PLACE / "base.tar"
    run(["git", "archive", "-o", archive, base], "git archive", cwd=ROOT)
    run(["tar", "-xf", archive, "-C", source], "tar")
    archive.unlink()
    stamp.write_text(base)
    return source


def build(source, tree, programs):
    """Those of programs that there are sources for."""
    found = [name for name in programs if
             (source / "bench" / (name.removeprefix("bench-") + ".c")).exists()]
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSS_TESTS=ON",
               "-DSS_LTO=OFF"]  # a function put into its caller is not found
    if shutil.which("ccache"):
        options.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    run(["cmake", "-S", source, "-B", tree, *options], f"cmake of {source}")
    run(["cmake", "--build", tree, "--target", *found], f"build of {source}")
    return set(found)


def collected(tree, path, arguments):
    said = run(["valgrind", "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                f"--toggle-collect={path.function}",
                str(tree / "bin" / path.program), *arguments],
               f"{path.program} under callgrind")
    found = re.search(r"Collected\s*:\s*(\d+)", said)
    if not found or int(found[1]) == 0:
        raise Trouble(f"{path.program}: {path.function} was not counted:\n"
                      + said)
    return int(found[1])


def count(tree, path):
    """Instructions a unit."""
    more = collected(tree, path, path.longer)
    return (more - collected(tree, path, path.shorter)) / path.units


def judge(before, after):
    """Whether `after` instructions are few enough, and the percents more."""
    rise = 100 * (after - before) / before
    return rise <= RISE_MAX, rise


def compare(base_tree, here_tree, path, count_one=count):
    """Counted once more where it looks too much: chance is small, not none."""
    before, after = count_one(base_tree, path), count_one(here_tree, path)
    good, rise = judge(before, after)
    if not good:
        before = max(before, count_one(base_tree, path))
        after = min(after, count_one(here_tree, path))
        good, rise = judge(before, after)
    return good, before, after, rise


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--path", action="append", choices=PATHS)
    parser.add_argument("base", nargs="?", metavar="BASE")
    return parser.parse_args()


def base_named(named):
    if not named:
        return lint.base_of(ROOT, os.environ)
    found = lint.git(ROOT, "rev-parse", "--verify", "-q", named + "^{commit}")
    if not found:
        raise Trouble(f"{named} is not a commit here")
    return found.strip(), "as you said"


def compare_all(names, base):
    """So many paths that take too much, of so many that were compared."""
    programs = sorted({PATHS[name].program for name in names})
    here, there = PLACE / "here", PLACE / "there"
    source = unpack(base)
    known = build(source, there, programs)
    build(ROOT, here, programs)
    failed = compared = 0
    print(f"{'instructions':<14}{'a':<11}{'before':>10}{'here':>10}{'':>9}")
    for name in names:
        path = PATHS[name]
        if path.program not in known:
            print(f"{name:<14}{path.unit:<11}{'-':>10}"
                  f"{count(here, path):>10.0f}     new", flush=True)
            continue
        good, before, after, rise = compare(there, here, path)
        compared += 1
        failed += not good
        print(f"{name:<14}{path.unit:<11}{before:>10.0f}{after:>10.0f}"
              f"{rise:>+8.1f}%{'' if good else '  TOO MUCH'}", flush=True)
    return failed, compared


def main():
    options = parsed()
    try:
        if not shutil.which("valgrind"):
            raise Trouble("valgrind is not installed")
        base, why = base_named(options.base)
        if not base:
            print("No commit to compare with is known.")
            print("0 passed, 0 failed, 1 skipped")
            return 0
        print(f"Beside {base[:12]} ({why}).", flush=True)
        failed, compared = compare_all(options.path or list(PATHS), base)
    except Trouble as trouble:
        print(f"compare: {trouble}", file=sys.stderr)
        print("0 passed, 1 failed")
        return 1
    if failed:
        print(f"More than {RISE_MAX:.0f} % more is too much: callgrind_annotate"
              " of the program says where.")
    print(f"{compared - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
