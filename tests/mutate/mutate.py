#!/usr/bin/env python3
"""mutate - plant a fault, and see which test notices.

usage: mutate.py [--check] [--list] [--draw N] [--seed TEXT] [FAULT...]

A FAULT is a name in tests/mutate, the beginning of one, or the file of a patch
of your own (patch.py says how it looks). Each is planted in a copy of the
source, what its tests need is built, and they run, the cheapest first, until
one fails. Prints what caught each; exits with 1 where a fault survived.
--draw N takes N faults, drawn by the commit (or --seed), and asks only the tests
that they name: its time has a bound. --check only sees that every fault still
has its place in the source. Last line: "N passed, N failed".
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from patch import Patch, PatchError  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TREE = ROOT / "build/mutate/tree"
BUILD = ROOT / "build/mutate/build"

# What runs first. Tests of the source itself see no behaviour.
LABELS = ["unit", "story", "contract", "conformance", "system"]
# A test that takes longer was made to hang; one that takes more memory, too.
SECONDS_MAX = 150
MEMORY_MAX = 8 << 30
PROGRAMS = ["superstep", "superstep-coordinator", "superstep-worker"]


def run(words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)


# --- the copy ---------------------------------------------------------------


def source_files():
    listed = run(["git", "-C", str(ROOT), "ls-files", "-co",
                  "--exclude-standard", "-z"])
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if path.is_file() and path.relative_to(ROOT).parts[0]
                 not in ("build", ".git")]
    return {name for name in names if (ROOT / name).is_file()}


def sync():
    """The copy says what the source says; what is the same is not touched."""
    names = source_files()
    for path in TREE.rglob("*"):
        if path.is_file() and str(path.relative_to(TREE)) not in names \
                and "__pycache__" not in path.parts:
            path.unlink()
    for name in names:
        here, there = ROOT / name, TREE / name
        if there.is_file() and there.read_bytes() == here.read_bytes():
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, there)


def restore(before):
    for path, text in before.items():
        path.write_text(text)


# --- the build and its tests ------------------------------------------------


def configure():
    if (BUILD / "build.ninja").exists():
        run(["ninja", "-C", str(BUILD), "build.ninja"])  # new files
        return
    words = ["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja",
             "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1",
             "-DSS_TESTS=ON", "-DSS_WERROR=OFF"]
    if shutil.which("ccache"):
        words.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    result = run(words)
    if result.returncode != 0:
        sys.exit(f"{result.stdout}\nmutate: cmake failed")


def build(targets):
    """What went wrong, or None."""
    result = run(["ninja", "-C", str(BUILD)] + sorted(targets))
    if result.returncode == 0:
        return None
    lines = [line for line in result.stdout.splitlines() if "error" in line]
    return lines[0] if lines else result.stdout[-500:]


class Tests:
    """What ctest knows, cheapest first."""

    def __init__(self):
        known = run(["ninja", "-C", str(BUILD), "-t", "targets", "all"])
        self.targets = {line.split(":")[0]
                        for line in known.stdout.splitlines()}
        self.all = {}
        self.read()

    def read(self):
        """A program that is not built yet has no command."""
        listed = run(["ctest", "--test-dir", str(BUILD),
                      "--show-only=json-v1"]).stdout
        for test in json.loads(listed[listed.index("{"):])["tests"]:
            properties = {each["name"]: each["value"]
                          for each in test.get("properties", [])}
            labels = set(properties.get("LABELS", [])) & set(LABELS)
            if labels:
                self.all[test["name"]] = (LABELS.index(labels.pop()),
                                          test.get("command"), properties)

    def asked(self, patterns):
        """Those that `patterns` name come first, then all others."""
        def rank(name):
            is_named = any(re.search(f"^(?:{pattern})", name)
                           for pattern in patterns)
            return not is_named, self.all[name][0], name
        return sorted(self.all, key=rank)

    def named(self, patterns):
        return [name for name in self.all
                if any(re.search(f"^(?:{pattern})$", name)
                       for pattern in patterns)]

    def needs(self, name):
        """The targets to build before it runs."""
        if name in self.targets:
            return {name}
        if name == "system.install":
            return {"all"}  # it installs what a build makes
        if name.startswith("conformance."):
            return {"conformance", "app_scenario"} | set(PROGRAMS)
        return set(PROGRAMS) | {target for target in self.targets
                                if target.startswith("app_")
                                and "/" not in target and "." not in target}

    def run(self, name):
        """What its failure says, or None where it passed."""
        if not self.all[name][1]:
            self.read()
        _, command, properties = self.all[name]
        environment = dict(os.environ)
        environment.update(each.split("=", 1)
                           for each in properties.get("ENVIRONMENT", []))
        environment["CK_DEFAULT_TIMEOUT"] = "60"
        seconds = min(properties.get("TIMEOUT", SECONDS_MAX), SECONDS_MAX)
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, env=environment,
                cwd=properties.get("WORKING_DIRECTORY", str(TREE)),
                start_new_session=True, preexec_fn=limit_memory)
            try:
                code = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return f"it did not end within {seconds:g} s"
            output.seek(0)
            text = output.read()
        return None if code in (0, 77) else reason(text, code)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def reason(text, code):
    """The test within the program, as Check and unittest name it."""
    found = re.search(r":[FE]:[^:\n]*:([^:\n]+):\d+:", text) \
        or re.search(r"^(?:FAIL|ERROR): (\S+)", text, re.M)
    if found:
        return found.group(1)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else f"exit status {code}"
    return last[:100]


# --- faults -----------------------------------------------------------------


class Hunt:
    def __init__(self, tests, named_only):
        self.tests = tests
        self.named_only = named_only
        self.sound = {}  # test -> whether it passes without a fault

    def is_sound(self, name):
        if name not in self.sound:
            failure = build(self.tests.needs(name)) or self.tests.run(name)
            self.sound[name] = not failure
            if failure:
                print(f"mutate: {name} fails without any fault: {failure}",
                      flush=True)
        return self.sound[name]

    def prepare(self, patches):
        """Build together, and once, what the faults' own tests need."""
        names = {name for patch in patches
                 for name in self.tests.named(patch.tests)}
        targets = set().union(*(self.tests.needs(name) for name in names))
        failure = build(targets)
        if failure:
            sys.exit(f"mutate: the source does not build: {failure}")

    def catch(self, patch):
        """(test, reason) that caught it, or (None, what was tried)."""
        names = self.tests.asked(patch.tests)
        if self.named_only and patch.tests:
            names = self.tests.named(patch.tests)
        before = patch.apply(TREE)
        try:
            for name in names:
                failure = build(self.tests.needs(name))
                if failure:
                    return None, f"it does not build: {failure}"
                failure = self.tests.run(name)
                if not failure:
                    continue
                restore(before)
                if self.is_sound(name):
                    return name, failure
                patch.apply(TREE)
        finally:
            restore(before)
        return None, "SURVIVED " + (", ".join(names) if len(names) < 6
                                    else f"{len(names)} tests")


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


def check(patches):
    """Each in a copy of just the files that it changes."""
    failed = 0
    for patch in patches:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, _ in patch.files:
                if (ROOT / name).is_file():
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / name, root / name)
            try:
                patch.apply(root)
            except PatchError as error:
                failed += 1
                print(error)
    print(f"{len(patches) - failed} passed, {failed} failed")
    return failed > 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed")
    parser.add_argument("faults", nargs="*")
    options = parser.parse_args()
    try:
        patches = choose(options)
    except PatchError as error:
        sys.exit(f"mutate: {error}")
    if options.list:
        for patch in patches:
            print(f"{patch.name:32} {patch.what}")
        return 0
    if options.check:
        return check(patches)
    sync()
    configure()
    hunt = Hunt(Tests(), options.draw > 0)
    hunt.prepare(patches)
    survived = 0
    for patch in patches:
        begin = time.monotonic()
        try:
            test, words = hunt.catch(patch)
        except PatchError as error:
            test, words = None, str(error)
        survived += test is None
        how = f"{test}: {words}" if test else words
        print(f"{patch.name:30} {time.monotonic() - begin:4.0f} s  {how}",
              flush=True)
    print(f"{len(patches) - survived} passed, {survived} failed")
    return survived > 0


if __name__ == "__main__":
    sys.exit(main())
