#!/usr/bin/env python3
"""mutate - plant a fault, and see which test notices.

usage: mutate.py [--check] [--compile] [--list] [--draw N] [--seed TEXT]
                 [--named] [--within SECONDS] [--resume] [--jobs N]
                 [--patience N] [FAULT...]

A FAULT is a name in tests/mutate, the beginning of one, or the file of a patch
of your own (patch.py says how it looks). Each is planted in a copy of the
source, what its tests need is built, and they run, those that it names first,
then all others, the cheapest first, until one fails. Prints what caught each;
exits with 1 where a fault survived. --named asks only the tests that a fault
names; --draw N does so, too, and takes N faults, drawn by the commit (or
--seed). --within SECONDS plants no further fault once they are over, at least
one in any case, and says how many it left out. --resume takes what was caught
in this very source before as caught. --jobs N faults are judged side by side (two where they
are many: each more is a copy of the source to build). --patience N gives each
test N times its time, where other work has most of the processors: what is
slow would be taken for what hangs. --check only sees that every fault still has
its place in the source; --compile, besides, that each file which it changes is
still C with it, as the build in SS_BUILD_DIR (build/dev) compiles it: a fault
that cannot be built says nothing. Last line: "N passed, N failed".
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from hunt import Caught, Hunt  # noqa: E402
from patch import Patch, PatchError  # noqa: E402
from yard import PATIENCE_MAX, ROOT, Yard, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = ROOT / "build/mutate"
JOBS_MAX = 64
MANY = 12  # a second copy costs about as much as so many


def commit():
    result = run(["git", "-C", str(ROOT), "rev-parse", "HEAD"])
    return result.stdout.strip() if result.returncode == 0 else "no commit"


def choose(options):
    known = sorted(HERE.glob("*.patch"))
    if options.draw:
        seed = options.seed or commit()
        print(f"Drawn from {seed}.")
        key = int(hashlib.sha256(seed.encode()).hexdigest(), 16)
        known = random.Random(key).sample(known, min(options.draw, len(known)))
    paths = []
    for word in options.faults:
        own = pathlib.Path(word)
        found = [own] if own.suffix == ".patch" and own.is_file() else \
            [path for path in known if path.stem == word] or \
            [path for path in known if path.stem.startswith(word)]
        if not found:
            sys.exit(f"mutate: no fault is called {word}; see --list")
        paths += found
    return [Patch(path) for path in (paths if options.faults else known)]


def check(patches, compiles):
    """Each in a copy of just the files that it changes."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(
            lambda patch: wrong_with(patch, compiles), patches) if text]
    print("\n".join(wrong + [f"{len(patches) - len(wrong)} passed, "
                             f"{len(wrong)} failed"]))
    return len(wrong) > 0


def wrong_with(patch, commands):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, _ in patch.files:
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, root / name)
        try:
            patch.apply(root)
        except PatchError as error:
            return str(error)
        for name, _ in patch.files:
            if name in commands:
                text = compiled(commands[name], root, name)
                if text:
                    return f"{patch.path}: it does not build: {text}"
    return None


def read_commands():
    """{file: how the build compiles it}"""
    folder = pathlib.Path(os.environ.get("SS_BUILD_DIR", ROOT / "build/dev"))
    path = folder / "compile_commands.json"
    if not path.is_file():
        sys.exit(f"mutate: --compile reads {path}: build first (./test tidy)")
    return {str(pathlib.Path(each["file"]).relative_to(ROOT)): each
            for each in json.loads(path.read_text())
            if pathlib.Path(each["file"]).is_relative_to(ROOT)}


def compiled(command, root, name):
    """What the compiler says against the file under `root`, or None. The file's
    headers are those that its fault changed, or else ours."""
    words = shlex.split(command["command"])
    # Errors to gcc 14, and at the latest to the linker.
    words = words[:words.index("-o")] + [
        "-Wno-error", "-Werror=implicit-function-declaration",
        "-Werror=incompatible-pointer-types", "-Werror=int-conversion",
        "-fsyntax-only"]
    result = run(words[:1] + [f"-I{root}", f"-iquote{root}"] + words[1:] +
                 [str(root / name)], cwd=command["directory"])
    errors = [line for line in result.stdout.splitlines() if ": error: " in line]
    return errors[0] if errors else None


def yards(options, count):
    """Each builds with its part of the processors."""
    count = min(options.jobs or (2 if count >= MANY else 1), count)
    jobs = max(1, (os.cpu_count() or 1) // count)
    return [Yard(FOLDER / str(i + 1), jobs, options.patience)
            for i in range(count)]


def read_options():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1]
                                     .split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--within", type=int, metavar="SECONDS")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--jobs", type=int,
                        choices=range(1, JOBS_MAX + 1), metavar="N")
    parser.add_argument("--patience", type=int, default=1,
                        choices=range(1, PATIENCE_MAX + 1), metavar="N")
    parser.add_argument("faults", nargs="*")
    return parser.parse_args()


def main():
    options = read_options()
    try:
        patches = choose(options)
    except PatchError as error:
        sys.exit(f"mutate: {error}")
    if options.list:
        for patch in patches:
            print(f"{patch.name:32} {patch.what}")
        return 0
    if options.check or options.compile:
        return check(patches, read_commands() if options.compile else {})
    hunt = Hunt(yards(options, len(patches)),
                Caught(FOLDER, options.resume),
                options.named or options.draw > 0, options.within)
    survived = hunt.run(patches)
    asked = len(patches) - hunt.left_out
    if hunt.left_out:
        print(f"{hunt.left_out} of {len(patches)} were left out: "
              f"{options.within} s were over.")
    print(f"{asked - survived} passed, {survived} failed")
    return survived > 0


if __name__ == "__main__":
    sys.exit(main())
