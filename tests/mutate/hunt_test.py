#!/usr/bin/env python3
"""hunt - the test that caught a fault is named, and kept; a test that is wrong
by itself catches nothing.
"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from hunt import Caught, Hunt, group_by_tests  # noqa: E402
from patch import Patch  # noqa: E402

FAULT = """Two is three.
Tests: {tests}

--- a/some/file.c
+++ b/some/file.c
@@ -1 +1 @@
-two
+three
"""


class Tests:
    def __init__(self, yard, judges):
        self.yard = yard
        self.judges = judges

    def asked(self, patterns):
        return sorted(self.judges, key=lambda name: name not in patterns)

    def named(self, patterns):
        return [name for name in patterns if name in self.judges]

    def needs(self, name):
        return {name}

    def run(self, name):
        self.yard.asked.append(name)
        return self.judges[name]((self.yard.tree / "some/file.c").read_text())


class Yard:
    """A copy of one file, whose tests are functions of it."""

    def __init__(self, folder, judges):
        self.tree = folder
        self.asked = []
        self.tests = Tests(self, judges)

    def prepare(self):
        (self.tree / "some").mkdir(exist_ok=True)
        (self.tree / "some/file.c").write_text("two\n")

    def build(self, targets):
        return None

    def ask(self, name):
        return self.tests.run(name)


def sees(text):
    return "it is no two" if text != "two\n" else None


def sleeps(text):
    return None


def errs(text):
    return "it always fails"


class Hunted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def patch(self, name, tests):
        path = self.folder / f"{name}.patch"
        path.write_text(FAULT.format(tests=tests))
        return Patch(path)

    def hunt(self, patches, named_only=False, resumed=False, **judges):
        """How many survived; what was printed; what was asked."""
        yard = Yard(self.folder, judges)
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            survived = Hunt([yard], Caught(self.folder, resumed),
                            named_only).run(patches)
        return survived, told.getvalue(), yard.asked

    def test_what_a_test_notices_is_caught_and_the_copy_is_as_before(self):
        survived, told, _ = self.hunt([self.patch("f", "a")], a=sees)
        self.assertEqual(survived, 0)
        self.assertIn("a: it is no two", told)
        self.assertEqual(
            (self.folder / "some/file.c").read_text(), "two\n")

    def test_what_nothing_notices_survives(self):
        survived, told, _ = self.hunt([self.patch("f", "a")], a=sleeps,
                                      b=sleeps)
        self.assertEqual(survived, 1)
        self.assertIn("SURVIVED a, b", told)

    def test_tests_that_it_does_not_name_are_asked_behind_those_it_names(self):
        survived, told, asked = self.hunt([self.patch("f", "b")], a=sees,
                                          b=sleeps)
        self.assertEqual(survived, 0)
        self.assertIn("a: it is no two", told)
        self.assertEqual(asked, ["b", "b", "a", "a"])
        survived, told, _ = self.hunt([self.patch("f", "b")], True, a=sees,
                                      b=sleeps)
        self.assertEqual(survived, 1)

    def test_a_test_that_fails_by_itself_catches_nothing(self):
        for tests in ("a", "b"):
            survived, told, _ = self.hunt([self.patch("f", tests)], a=errs,
                                          b=sleeps)
            self.assertEqual(survived, 1)
            self.assertIn("a fails without any fault", told)

    def test_what_was_caught_in_this_source_is_not_hunted_again(self):
        first, second = self.patch("f", "a"), self.patch("g", "a")
        self.hunt([first], a=sees)
        survived, told, asked = self.hunt([first, second], resumed=True,
                                          a=sees)
        self.assertEqual(survived, 0)
        self.assertEqual(asked, ["a", "a"])  # right, and with the second
        self.assertEqual(told.count("a: it is no two"), 2)
        other = self.patch("f", "b")  # the same name, another patch
        survived, _, asked = self.hunt([other], resumed=True, b=sleeps)
        self.assertEqual(survived, 1)

    def test_when_the_time_is_over_one_was_planted_and_the_rest_is_told(self):
        faults = [self.patch(name, tests) for name, tests in
                  (("f", "a"), ("g", "a"), ("h", "b"))]
        yard = Yard(self.folder, {"a": sees, "b": sees})
        hunt = Hunt([yard], Caught(self.folder, False), True, within=0)
        with contextlib.redirect_stdout(io.StringIO()) as told:
            self.assertEqual(hunt.run(faults), 0)
        self.assertEqual(hunt.left_out, 2)
        self.assertEqual(told.getvalue().count("a: it is no two"), 1)
        self.assertNotIn("b", yard.asked)

    def test_faults_of_the_same_tests_stand_together(self):
        names = [(patch.name for patch in group) for group in group_by_tests([
            self.patch("f", "a"), self.patch("g", "b"),
            self.patch("h", "b")])]
        self.assertEqual([list(each) for each in names], [["g", "h"], ["f"]])


if __name__ == "__main__":
    unittest.main()
