#!/usr/bin/env python3
"""lint - clang-tidy over the sources, all of them or what a change touches.

usage: lint.py [--build TREE] [--jobs N] [--changed [--at-most N]] [--needed]
               [PATH...]

TREE has compile_commands.json. PATH: files or folders, instead of all. With
--changed only what differs from a base, and what includes that, at whatever
remove. The base is $CI_BASE; without it where this branch left main; on main
itself the commit before. Where none is known, everything is read.

A header may touch half of the tree: --at-most reads no more than N files, first
those that changed themselves, then others by a draw that is the same for the
same change, and says how many are left.

What passed is not read again until it, something that it includes, its flags or
.clang-tidy changes. A machine without clang-tidy skips, unless it is --needed.
The last line is "N passed, N failed"; N counts files.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
FOLDERS = ("", "worker/include/", "client/include/", "local/include/")
SOURCES = (".c", ".h", ".def")
# What decides about every file.
CONFIGURATIONS = (".clang-tidy", "bench/.clang-tidy", "tests/.clang-tidy")
FOR_ALL = {*CONFIGURATIONS, "tests/tidy/lint.py"}
SECONDS_MAX = 600


def git(root, *arguments):
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True,
                          text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def base_of(root, environment):
    """The commit to compare with, and why; None where there is none."""
    named = environment.get("CI_BASE")
    if named:
        found = git(root, "rev-parse", "--verify", "-q", named + "^{commit}")
        if not found:
            sys.exit(f"lint: CI_BASE is not a commit here: {named}")
        return found.strip(), "CI_BASE"
    head = git(root, "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        found = git(root, "merge-base", "HEAD", main)
        if found and found != head:
            return found.strip(), f"where this branch left {main}"
    found = git(root, "rev-parse", "--verify", "-q", "HEAD~1")
    return (found.strip(), "the commit before") if found else (None, None)


def changed_since(root, base):
    """What differs from base, with what is not in git yet."""
    changed = git(root, "diff", "--name-only", "-z", base)
    new = git(root, "ls-files", "-z", "--others", "--exclude-standard")
    return {path for path in (changed + new).split("\0") if path}


class Sources:
    """Who includes whom, among the files of the project."""

    def __init__(self, root):
        self.root = root
        self.includes = {}

    def of(self, path):
        """The files that path includes by itself."""
        if path not in self.includes:
            file = self.root / path
            text = file.read_text(errors="replace") if file.is_file() else ""
            self.includes[path] = [
                found for name in INCLUDE.findall(text)
                if (found := self.find(path, name))]
        return self.includes[path]

    def find(self, path, name):
        schema = re.fullmatch(r"(superstep/v1/\w+)\.pb-c\.h", name)
        if schema:
            return f"proto/{schema[1]}.proto"
        beside = os.path.dirname(path) + "/"
        for folder in FOLDERS + (beside,):
            if (self.root / (folder + name)).is_file():
                return os.path.normpath(folder + name)
        return None

    def closure(self, path):
        """path and all that it includes, at whatever remove."""
        found = {path}
        waiting = [path]
        while waiting:
            for more in self.of(waiting.pop()):
                if more not in found:
                    found.add(more)
                    waiting.append(more)
        return found


def touched(sources, files, changed):
    """Those of files that changed, or include something that did."""
    if changed & FOR_ALL:
        return list(files)
    return [path for path in files if sources.closure(path) & changed]


def drawn(files, changed, most):
    """At most so many of files: those that changed, then some by their hash."""
    seed = "\n".join(sorted(changed))
    order = sorted(files, key=lambda path: (
        path not in changed,
        hashlib.sha256((seed + "\0" + path).encode()).digest()))
    return sorted(order[:most])


def below(files, paths):
    """Those of files that are one of paths, or stand in one."""
    return [file for file in files
            if any(file == path or file.startswith(path.rstrip("/") + "/")
                   for path in paths)]


class Lint:
    def __init__(self, build):
        self.build = build
        self.sources = Sources(ROOT)
        self.passed = build / "lint"
        self.passed.mkdir(parents=True, exist_ok=True)
        self.commands = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            path = pathlib.Path(entry["directory"], entry["file"]).resolve()
            if path.is_relative_to(ROOT) and not path.is_relative_to(build):
                name = path.relative_to(ROOT).as_posix()
                self.commands.setdefault(name, []).append(entry["command"])
        version = subprocess.run(["clang-tidy", "--version"], check=True,
                                 capture_output=True).stdout
        self.common = version + b"".join(
            (ROOT / name).read_bytes() for name in CONFIGURATIONS
            if (ROOT / name).exists())

    def stamp(self, path):
        """A file that is there when path passed as it is now."""
        digest = hashlib.sha256(self.common)
        digest.update("\n".join(self.commands[path]).encode())
        for name in sorted(self.sources.closure(path)):
            digest.update(name.encode() + b"\0")
            digest.update((ROOT / name).read_bytes())
        return self.passed / digest.hexdigest()

    def read(self, path):
        """Whether path passes, and what clang-tidy says of it."""
        stamp = self.stamp(path)
        if stamp.exists():
            return True, ""
        try:
            done = subprocess.run(
                ["clang-tidy", "-p", self.build, "--quiet", path], cwd=ROOT,
                capture_output=True, text=True, check=False,
                timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return False, f"{path}: not read within {SECONDS_MAX} s\n"
        if done.returncode == 0:
            stamp.touch()
        return done.returncode == 0, done.stdout or done.stderr


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", default=ROOT / "build/lint",
                        type=pathlib.Path)
    parser.add_argument("--jobs", default=int(os.environ.get("SS_JOBS", 2)),
                        type=int)
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--at-most", type=int)
    parser.add_argument("--needed", action="store_true")
    parser.add_argument("paths", nargs="*", metavar="PATH")
    return parser.parse_args()


def main():
    options = parsed()
    if not shutil.which("clang-tidy"):
        print("clang-tidy is not installed: nothing was read.")
        print("0 passed, 1 failed" if options.needed else
              "0 passed, 0 failed, 1 skipped")
        return 1 if options.needed else 0
    lint = Lint(options.build.resolve())
    files = sorted(lint.commands)
    if options.paths:
        files = below(files, options.paths)
        if not files:
            sys.exit("lint: no source is called " + ", ".join(options.paths))
    if options.changed:
        base, why = base_of(ROOT, os.environ)
        print(f"Since {base[:12]} ({why})." if base else
              "No commit to compare with is known: everything.")
        changed = changed_since(ROOT, base) if base else set()
        if base:
            files = touched(lint.sources, files, changed)
        if options.at_most is not None and len(files) > options.at_most:
            print(f"{options.at_most} of {len(files)} that the change touches.")
            files = drawn(files, changed, options.at_most)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for good, said in pool.map(lint.read, files):
            if not good:
                failed += 1
                print(said, end="", flush=True)
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
