#!/usr/bin/env python3
"""compare_test - what the count of instructions lets pass, and what not.

Counts are planted; what is counted in earnest is ./test instructions.
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402


class Counter:
    """Gives planted counts, tree by tree, in their order."""

    def __init__(self, before, after):
        self.left = {"there": list(before), "here": list(after)}

    def __call__(self, tree, path):
        return self.left[tree].pop(0)

    def good(self):
        return compare.compare("there", "here", None, self)[0]


class CompareTest(unittest.TestCase):
    def test_a_rise_beyond_three_percent_fails(self):
        self.assertFalse(Counter([1000, 1000], [1031, 1031]).good())
        self.assertTrue(Counter([1000], [1030]).good())

    def test_less_is_never_too_much(self):
        good, rise = compare.judge(1000, 10)
        self.assertTrue(good)
        self.assertEqual(rise, -99)

    def test_a_rise_counts_when_it_is_seen_twice(self):
        self.assertTrue(Counter([1000, 1000], [1040, 1001]).good())
        self.assertTrue(Counter([960, 1000], [1001, 1001]).good())

    def test_a_path_names_a_program_that_is_here(self):
        for name, path in compare.PATHS.items():
            source = path.program.removeprefix("bench-") + ".c"
            self.assertTrue((compare.ROOT / "bench" / source).exists(), name)

    def test_units_are_what_the_longer_count_has_more(self):
        """bench-here runs a tenth more; a superstep each turn of the loop."""
        def runs(arguments):
            number = int(arguments[arguments.index("--runs") + 1])
            return number + number // 10
        paths = compare.PATHS
        for name in ("chain", "fan-out"):
            self.assertEqual(runs(paths[name].longer) -
                             runs(paths[name].shorter), paths[name].units)
        self.assertEqual(int(paths["loop"].longer[2]) -
                         int(paths["loop"].shorter[2]), paths["loop"].units)
        threads, more = paths["coordinator"].longer
        self.assertEqual(
            int(threads) * 20 * (int(more) -
                                 int(paths["coordinator"].shorter[1])),
            paths["coordinator"].units)


if __name__ == "__main__":
    unittest.main()
