#!/usr/bin/env python3
"""coverage - which lines the tests reached.

usage: coverage.py BUILD [FOLDER...]

Reads what a build with the preset `coverage` counted while it ran, through gcov.
Prints a line for each folder; for the folders that are named, one for each file, with the
lines that were never reached.
"""

import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def counts(build):
    """{file: {line: how often}} of our own sources."""
    data = sorted(build.rglob("*.gcda"))
    if not data:
        sys.exit(f"coverage: {build} counted nothing; run its tests first")
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", *map(str, data)],
        capture_output=True, text=True, check=True, cwd=build)
    files = collections.defaultdict(collections.Counter)
    for report in done.stdout.splitlines():
        for file in json.loads(report)["files"] if report.strip() else ():
            path = pathlib.Path(build, file["file"]).resolve()
            if path.suffix != ".c" or not path.is_relative_to(ROOT):
                continue
            name = path.relative_to(ROOT)
            if name.parts[0] in ("tests", "build", "bench"):
                continue
            for line in file["lines"]:
                files[name][line["line_number"]] += line["count"]
    return files


def ranges(numbers):
    """1 2 3 7 as "1-3 7"."""
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(f"{a}-{b}" if a != b else str(a) for a, b in parts)


def show(name, reached, lines, more=""):
    share = 100 * reached / lines if lines else 100
    print(f"{name!s:<36} {reached:>6} of {lines:>6} lines {share:6.1f} %{more}")


def main():
    files = counts(pathlib.Path(sys.argv[1]).resolve())
    folders = collections.defaultdict(lambda: [0, 0])
    for name, lines in sorted(files.items()):
        reached = sum(1 for count in lines.values() if count)
        for folder in (name.parent, "all"):
            folders[folder][0] += reached
            folders[folder][1] += len(lines)
        if any(name.is_relative_to(folder) for folder in sys.argv[2:]):
            missed = sorted(n for n, count in lines.items() if not count)
            show(name, reached, len(lines), "  never: " + ranges(missed)
                 if missed else "")
    if len(sys.argv) == 2:
        for folder, (reached, lines) in folders.items():
            if folder != "all":
                show(folder, reached, lines)
        show("all", *folders["all"])


if __name__ == "__main__":
    main()
