"""patch - small unified diffs, applied by their context.

A fault's file is words, then a unified diff:

    A late result of a lost attempt is taken.
    Tests: story.workers unit.engine

    --- a/coordinator/engine/scheduler/schedule.c
    +++ b/coordinator/engine/scheduler/schedule.c
    @@ -1,3 +1,3 @@
     ...

The first line says what is wrong then. `Tests:` are regular expressions of the
tests that are asked first; the others follow. `Promise:` is the promise that it
breaks, where docs/internals/faults.md does not name it. Line numbers only
choose between places that look the same: lines above may come and go. Where
the context itself was changed a line or two from the hunk, less of it will do,
if that is found in one place only.
"""

import re

CONTEXT_LESS_MAX = 2


class PatchError(Exception):
    pass


class Hunk:
    def __init__(self, line, lines):
        self.line = line  # of the first old line, from 1
        self.lines = lines  # (sign, text)

    def without(self, head, tail):
        return Hunk(self.line + head, self.lines[head:len(self.lines) - tail])

    def old(self):
        return [text for sign, text in self.lines if sign != "+"]

    def new(self):
        return [text for sign, text in self.lines if sign != "-"]

    def context(self):
        """Lines of context before and behind what changes."""
        signs = [sign for sign, _ in self.lines]
        changed = [i for i, sign in enumerate(signs) if sign != " "]
        return changed[0], len(signs) - 1 - changed[-1]


class Patch:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.text = text = path.read_text()
        head, _, diff = ("\n" + text).partition("\n--- ")
        lines = head.strip().splitlines()
        self.what = lines[0].rstrip(".") if lines else self.name
        self.tests = []
        self.promise = None
        for line in lines[1:]:
            if line.startswith("Tests:"):
                self.tests += line[len("Tests:"):].split()
                if "," in line:
                    raise PatchError(f"{path}: the tests of a fault stand with "
                                     f"spaces between them, without commas")
            if line.startswith("Promise:"):
                self.promise = line[len("Promise:"):].strip()
        self.files = parse(path, "--- " + diff)

    def apply(self, root):
        """Change the files under `root`; {path: what it said before}."""
        before = {}
        for name, hunks in self.files:
            target = root / name
            if not target.is_file():
                raise PatchError(f"{self.path}: there is no {name}")
            before[target] = target.read_text()
            text = apply_hunks(self.path, name, before[target], hunks)
            if text == before[target]:
                raise PatchError(f"{self.path}: it changes nothing in {name}")
            target.write_text(text)
        return before


def parse(path, diff):
    """[(file, [Hunk])]"""
    files = []
    lines = []
    for number, line in enumerate(diff.splitlines()):
        header = re.match(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@", line)
        if line.startswith("--- "):
            lines = []
        elif line.startswith("+++ "):
            files.append((re.sub(r"^b/", "", line[4:].split("\t")[0]), []))
        elif header and files:
            lines = []
            files[-1][1].append(Hunk(int(header.group(1)), lines))
        elif re.match(r"(diff|index|similarity|new file|old mode) ", line):
            lines = []  # as git says it
        elif line[:1] in (" ", "+", "-") and files:
            lines.append((line[0], line[1:]))
        elif line == "" and files:
            lines.append((" ", ""))
        else:
            raise PatchError(f"{path}: not a diff: {line!r} (line {number})")
    for _, hunks in files:
        for hunk in hunks:
            while hunk.lines and hunk.lines[-1] == (" ", ""):
                hunk.lines.pop()  # blank lines at the end of the file
    if not files or any(not hunks for _, hunks in files):
        raise PatchError(f"{path}: there is no diff in it")
    return files


def places(lines, old):
    return [i for i in range(len(lines) - len(old) + 1)
            if lines[i:i + len(old)] == old]


def find(lines, hunk):
    """Where it goes, and the hunk with as much context as was found."""
    found = places(lines, hunk.old())
    if found:
        return min(found, key=lambda i: abs(i + 1 - hunk.line)), hunk
    before, behind = hunk.context()
    for less in range(1, CONTEXT_LESS_MAX + 1):
        part = hunk.without(min(less, before), min(less, behind))
        found = places(lines, part.old()) if part.old() else []
        if len(found) == 1:
            return found[0], part
    return None, hunk


def apply_hunks(path, name, text, hunks):
    lines = text.split("\n")
    for hunk in hunks:
        at, part = find(lines, hunk)
        if at is None:
            raise PatchError(
                f"{path}: {name} is not as it was about line {hunk.line}: "
                "plant this fault anew where the code is now")
        lines[at:at + len(part.old())] = part.new()
    return "\n".join(lines)
