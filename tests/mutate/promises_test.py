#!/usr/bin/env python3
"""promises - for each promise a reader finds the tests that check it, and the
planted faults.
"""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from patch import Patch  # noqa: E402
from promises import check, complaints, unplaced  # noqa: E402

PAGE = """Words.

## For each promise: who looks

Words.

### Nothing is lost

Broken when: a crash.

Checked by `story.crash`,
`sim.seeds`.

- `one`
- `two`

### Nothing comes twice

Broken when: a repeat of `what` came.

Checked by `unit.session.session`.

- `three`

## More

- `words`
"""
PLANTED = {"one": None, "two": None, "three": None}


class Promises(unittest.TestCase):
    def says(self, words, page=PAGE, planted=None):
        found = complaints(page, planted or PLANTED, ROOT)
        self.assertEqual([line for line in found if words in line], found)
        self.assertEqual(len(found), 1)

    def test_the_projects_own_is_whole(self):
        patches = [Patch(path) for path in sorted(HERE.glob("*.patch"))]
        found, without = check(ROOT, patches)
        self.assertEqual(found, [])
        self.assertEqual(without, [])

    def test_what_goes_together_is_fine(self):
        self.assertEqual(complaints(PAGE, PLANTED, ROOT), [])

    def test_a_fault_may_name_its_promise(self):
        planted = dict(PLANTED, four="Nothing is lost")
        self.assertEqual(complaints(PAGE, planted, ROOT), [])
        self.says("no promise", planted=dict(PLANTED, four="Nothing at all"))
        self.says("names its promise",
                  planted=dict(PLANTED, one="Nothing is lost"))

    def test_a_fault_without_a_promise_is_told(self):
        found = unplaced(PAGE, dict(PLANTED, four=None))
        self.assertEqual([line[:17] for line in found], ["four: put it belo"])

    def test_a_fault_that_is_not_there_is_told(self):
        self.says("two: no such fault", planted={"one": None, "three": None})

    def test_a_fault_of_two_promises_is_told(self):
        self.says("one: stands below 2",
                  page=PAGE.replace("- `three`", "- `three`\n- `one`"))

    def test_a_test_that_is_not_there_is_told(self):
        self.says("no test story.sleep",
                  page=PAGE.replace("story.crash", "story.sleep"))
        self.says("no test unit.session",
                  page=PAGE.replace("unit.session.session", "unit.session"))

    def test_a_promise_that_nobody_looks_after_is_told(self):
        self.says("nobody looks",
                  page=PAGE.replace("`unit.session.session`", "somebody"))
        self.says("no fault is planted",
                  page=PAGE.replace("- `three`", ""),
                  planted={"one": None, "two": None})

    def test_a_page_without_promises_is_told(self):
        self.says("no promise", page="Words.\n")


if __name__ == "__main__":
    unittest.main()
