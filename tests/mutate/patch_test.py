#!/usr/bin/env python3
"""patch - a planted fault finds its place when the source has moved."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from patch import Patch, PatchError  # noqa: E402

SOURCE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
FAULT = """What is wrong, in a sentence.
Tests: unit.this story

--- a/some/file.c
+++ b/some/file.c
@@ -2,5 +2,5 @@
 two
 three
-four
+4
 five
 six
"""


class Applied(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "some").mkdir()
        self.target = self.root / "some/file.c"

    def patch(self, text=FAULT):
        path = self.root / "name-of-it.patch"
        path.write_text(text)
        return Patch(path)

    def apply(self, source, text=FAULT):
        self.target.write_text(source)
        before = self.patch(text).apply(self.root)
        self.assertEqual(before, {self.target: source})
        return self.target.read_text()

    def test_it_says_what_is_wrong_and_whom_to_ask(self):
        patch = self.patch()
        self.assertEqual(patch.name, "name-of-it")
        self.assertEqual(patch.what, "What is wrong, in a sentence")
        self.assertEqual(patch.tests, ["unit.this", "story"])

    def test_a_plain_diff_is_a_fault_too(self):
        plain = FAULT[FAULT.index("--- a/"):]
        git = "diff --git a/some/file.c b/some/file.c\nindex 1..2 100644\n"
        for text in (plain, git + plain):
            self.assertEqual(self.apply(SOURCE, text),
                             SOURCE.replace("four", "4"))

    def test_lines_above_may_come_and_go(self):
        self.assertEqual(self.apply("new\n" * 40 + SOURCE),
                         "new\n" * 40 + SOURCE.replace("four", "4"))
        self.assertEqual(self.apply(SOURCE[4:]),
                         SOURCE[4:].replace("four", "4"))

    def test_of_two_places_the_nearer_one_is_taken(self):
        self.assertEqual(self.apply(SOURCE + SOURCE),
                         SOURCE.replace("four", "4") + SOURCE)

    def test_context_that_changed_is_done_without(self):
        changed = SOURCE.replace("two", "2").replace("six", "6")
        self.assertEqual(self.apply(changed), changed.replace("four", "4"))

    def test_less_context_in_two_places_is_too_little(self):
        changed = SOURCE.replace("two", "2")
        with self.assertRaises(PatchError):
            self.apply(changed + changed)

    def test_code_that_is_gone_is_told(self):
        with self.assertRaisesRegex(PatchError, "file.c is not as it was"):
            self.apply(SOURCE.replace("four", "vier"))

    def test_a_file_that_is_gone_is_told(self):
        with self.assertRaisesRegex(PatchError, "there is no some/file.c"):
            self.patch().apply(self.root / "elsewhere")

    def test_commas_between_its_tests_are_told(self):
        with self.assertRaisesRegex(PatchError, "without commas"):
            self.patch(FAULT.replace("unit.this story", "unit.this, story"))

    def test_what_is_no_diff_is_told(self):
        for text in ("words only\n", FAULT + "*** more\n"):
            with self.assertRaises(PatchError):
                self.patch(text)


if __name__ == "__main__":
    unittest.main()
