#!/usr/bin/env python3
"""lint - which files are read, since when, and what is not read again.

A clang-tidy of its own stands in for the real one: it complains of what has
"fault" in it, and writes down what it was asked to read.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LINT = pathlib.Path(__file__).resolve().parent / "lint.py"
TIDY = """#!/bin/sh
[ "$1" != --version ] || exit 0
for path in "$@"; do :; done
echo "$path" >>asked
! grep -H fault "$path"
"""
HOUSE = {
    "common/low.h": "int low;\n",
    "common/low.c": '#include "common/low.h"\n',
    "common/wire.c": '#include "superstep/v1/row.pb-c.h"\n',
    "proto/superstep/v1/row.proto": "row\n",
    "worker/include/superstep/superstep.h": "int word;\n",
    "worker/mid.h": '  #  include "common/low.h"\n',
    "worker/high.c": '#include "worker/mid.h"\n',
    "worker/user.c": "#include <superstep/superstep.h>\n",
    ".clang-tidy": "Checks: all\n",
    ".gitignore": "/build/\n/bin/\nasked\n__pycache__/\n",
}
ALL = ["common/low.c", "common/wire.c", "worker/high.c", "worker/user.c"]


def without_git(environment):
    """A hook of git's names its own repository there."""
    return {name: value for name, value in environment.items()
            if not name.startswith("GIT_")}


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for path, text in HOUSE.items():
            self.write(path, text)
        self.write("bin/clang-tidy", TIDY)
        (self.root / "bin/clang-tidy").chmod(0o755)
        self.write("tests/tidy/lint.py", LINT.read_text())
        self.write("build/lint/compile_commands.json", json.dumps([
            {"directory": str(self.root / "build/lint"), "command": "cc",
             "file": str(self.root / path)}
            for path in ALL + ["build/lint/made.c"]]))
        self.git("init", "-q", "-b", "main")
        self.commit("first")

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def git(self, *arguments):
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b",
             "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null",
             *arguments],
            cwd=self.root, check=True, capture_output=True, text=True,
            env=without_git(os.environ))
        return done.stdout.strip()

    def commit(self, what):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", what)
        return self.git("rev-parse", "HEAD")

    def lint(self, *arguments, path=None, **variables):
        environment = {name: value for name, value
                       in without_git(os.environ).items()
                       if name not in ("CI_BASE", "SS_JOBS")}
        environment["PATH"] = path or f"{self.root}/bin:{os.environ['PATH']}"
        environment.update(variables)
        (self.root / "asked").unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "tests/tidy/lint.py", *arguments], cwd=self.root,
            env=environment, capture_output=True, text=True, check=False)
        asked = self.root / "asked"
        self.asked = sorted(asked.read_text().split()) if asked.exists() else []
        self.said = done.stdout + done.stderr
        self.last = done.stdout.splitlines()[-1] if done.stdout else ""
        return done.returncode

    def test_all_are_read_once(self):
        self.assertEqual(self.lint(), 0)
        self.assertEqual(self.asked, ALL)
        self.assertEqual(self.last, "4 passed, 0 failed")
        self.assertEqual(self.lint(), 0)
        self.assertEqual(self.asked, [])
        self.assertEqual(self.last, "4 passed, 0 failed")

    def test_a_header_has_its_readers_read_again(self):
        self.lint()
        self.write("common/low.h", "int lower;\n")
        self.lint()
        self.assertEqual(self.asked, ["common/low.c", "worker/high.c"])
        self.write(".clang-tidy", "Checks: none\n")
        self.lint()
        self.assertEqual(self.asked, ALL)

    def test_what_failed_is_read_again(self):
        self.write("worker/user.c", "fault\n")
        for _ in range(2):
            self.assertEqual(self.lint(), 1)
            self.assertIn("worker/user.c:fault", self.said)
            self.assertEqual(self.last, "3 passed, 1 failed")
            self.assertIn("worker/user.c", self.asked)

    def test_paths_are_files_or_folders(self):
        self.lint("common/", "worker/user.c")
        self.assertEqual(self.asked,
                         ["common/low.c", "common/wire.c", "worker/user.c"])
        self.assertNotEqual(self.lint("common/lo"), 0)
        self.assertIn("no source is called common/lo", self.said)

    def test_on_main_the_base_is_the_commit_before(self):
        self.write("common/wire.c", "int wire;\n")
        self.commit("second")
        self.write("worker/include/superstep/superstep.h", "int words;\n")
        self.commit("third")
        self.assertEqual(self.lint("--changed"), 0)
        self.assertEqual(self.asked, ["worker/user.c"])
        self.assertIn("the commit before", self.said)

    def test_on_a_branch_the_base_is_where_it_left_main(self):
        self.git("checkout", "-q", "-b", "branch")
        self.write("proto/superstep/v1/row.proto", "rows\n")
        self.commit("second")
        self.commit("third")
        self.write("worker/user.c", "int uncommitted;\n")
        self.lint("--changed")
        self.assertEqual(self.asked, ["common/wire.c", "worker/user.c"])
        self.assertIn("where this branch left main", self.said)

    def test_the_base_can_be_named(self):
        base = self.commit("second")
        self.write("worker/mid.h", '#include "common/low.h"\nint mid;\n')
        self.commit("third")
        self.commit("fourth")
        self.lint("--changed", CI_BASE=base)
        self.assertEqual(self.asked, ["worker/high.c"])
        self.assertNotEqual(self.lint("--changed", CI_BASE="nowhere"), 0)
        self.assertIn("CI_BASE is not a commit here: nowhere", self.said)

    def test_at_most_so_many_are_read_and_what_changed_is_among_them(self):
        self.write("common/low.h", "int lower;\n")
        self.write("worker/user.c", "int changed;\n")
        self.commit("second")
        self.assertEqual(self.lint("--changed", "--at-most", "1"), 0)
        self.assertEqual(self.asked, ["worker/user.c"])
        count = re.search(r"^1 of (\d+) that the change touches", self.said,
                          re.M)[1]
        self.assertGreater(int(count), 1)
        self.lint("--changed", "--at-most", count)
        self.assertEqual(len(self.asked), int(count) - 1)
        self.assertNotIn("that the change touches", self.said)

    def test_what_decides_about_all_changes_all(self):
        self.write(".clang-tidy", "Checks: none\n")
        self.commit("second")
        self.lint("--changed")
        self.assertEqual(self.asked, ALL)

    def test_without_a_base_all_are_read(self):
        self.lint("--changed")
        self.assertEqual(self.asked, ALL)
        self.assertIn("everything", self.said)

    def test_a_file_that_is_new_or_gone_is_no_trouble(self):
        self.commit("second")
        self.write("worker/user.h", "int user;\n")
        self.write("worker/user.c", '#include "worker/user.h"\n')
        (self.root / "worker/mid.h").unlink()
        self.write("worker/high.c", "int high;\n")
        self.assertEqual(self.lint("--changed"), 0)
        self.assertEqual(self.asked, ["worker/high.c", "worker/user.c"])

    def test_without_clang_tidy_it_skips_unless_it_is_needed(self):
        self.write("git/none", "")
        os.symlink(shutil.which("git"), self.root / "git/git")
        self.assertEqual(self.lint(path=f"{self.root}/git"), 0)
        self.assertEqual(self.last, "0 passed, 0 failed, 1 skipped")
        self.assertEqual(self.lint("--needed", path=f"{self.root}/git"), 1)
        self.assertEqual(self.last, "0 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
