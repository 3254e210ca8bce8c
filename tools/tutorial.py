#!/usr/bin/env python3
"""tutorial - do what docs/tutorial.md says, and compare with what it shows.

usage: tutorial.py [--write] [PAGE]

SS_BUILD_DIR names a build. It is installed into a folder, and there every
block of the page is done in its order:

  ```c FILE    the file is written
  ```sh        each "$ command" is run; below it stands what it prints
  ```sh dev    the other terminal: "$ superstep dev ..." starts, what is shown
               must appear; "^C" stops what runs there

What is printed must be what is shown, except for ids, times, ports and the
version of Superstep, which differ each time, for the width of columns, and for
the order of updates that follow each other: tasks run side by side. An id that was shown once means,
wherever it stands afterwards, in commands too, the one that was printed there.
--write puts what is printed into the page, to be read before it is committed.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("SS_BUILD_DIR", ROOT / "build/dev"))
DEADLINE_S = 60
ID = r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b"
# What differs each time, and what stands for it in a comparison.
MASKS = [
    (ID, "<id>"),
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z?(?:\+00:00)?", "<time>"),
    (r"\d+(?:\.\d+)? ms\b", "<ms>"),
    (r"tcp://127\.0\.0\.1:\d+", "<endpoint>"),
    (r"\bsuperstep \d+\.\d+\.\d+\b", "superstep <version>"),
    (r"\s+", " "),
]


class Wrong(Exception):
    """What the page shows and what happened are not the same."""


def masked(line):
    for pattern, word in MASKS:
        line = re.sub(pattern, word, line)
    return line.strip()


# ----------------------------------------------------------------------- page

class Block:
    """A fenced block: its words, where its lines stand in the page."""

    def __init__(self, words, first):
        self.words = words
        self.first = first
        self.lines = []

    def parts(self):
        """(lines of a command or "^C", lines shown below it). A line that goes
        on ends with a backslash, and the next one begins with "> "."""
        found = []
        for line in self.lines:
            if line.startswith("$ ") or line == "^C":
                found.append(([line], []))
            elif not found:
                raise Wrong(f"line {self.first}: no command before {line!r}")
            elif found[-1][0][-1].endswith("\\"):
                found[-1][0].append(line)
            else:
                found[-1][1].append(line)
        return found


def blocks_of(lines):
    block = None
    for number, line in enumerate(lines):
        fence = re.match(r"```(.*)", line)
        if not fence:
            if block:
                block.lines.append(line)
        elif block:
            yield block
            block = None
        else:
            block = Block(fence.group(1).split(), number + 1)
    if block:
        raise Wrong(f"line {block.first}: a block that does not end")


# ------------------------------------------------------------------- terminal

class Dev:
    """The terminal where `superstep dev` runs."""

    def __init__(self, place):
        self.place = place
        self.process = None
        self.printed = []
        self.changed = threading.Condition()

    def start(self, command):
        # Any free port: other tests run beside this one.
        self.process = subprocess.Popen(
            ["sh", "-c", "exec " + command + " --listen 'tcp://127.0.0.1:*'"],
            cwd=self.place.folder, env=self.place.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        self.printed = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.printed.append(line.rstrip("\n"))
                self.changed.notify_all()

    def wait_lines(self, count):
        end = time.monotonic() + DEADLINE_S
        with self.changed:
            while len(self.printed) < count and time.monotonic() < end \
                    and self.reader.is_alive():
                self.changed.wait(0.2)
            taken = self.printed[:count]
            self.printed = self.printed[count:]
        endpoint = re.search(r"tcp://127\.0\.0\.1:\d+", "\n".join(taken))
        if endpoint:
            self.place.environment["SUPERSTEP_COORDINATOR"] = endpoint.group(0)
        return taken

    def stop(self):
        """Ctrl-C, as at a terminal."""
        os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise Wrong("superstep dev does not end") from None
        finally:
            self.process = None
        self.reader.join()


class Place:
    """A folder with an installed Superstep, where the page is done."""

    def __init__(self, folder):
        self.folder = folder / "tutorial"
        self.folder.mkdir()
        prefix = folder / "usr"
        subprocess.run(
            ["cmake", "--install", str(BUILD), "--prefix", str(prefix)],
            check=True, stdout=subprocess.DEVNULL)
        pc = next(prefix.rglob("superstep.pc")).parent
        self.environment = os.environ | {
            "PATH": f"{prefix}/bin:{os.environ['PATH']}",
            "PKG_CONFIG_PATH": str(pc),
        }
        # As on a machine that has just installed: nobody ran ldconfig.
        self.environment.pop("LD_LIBRARY_PATH", None)
        self.environment.pop("SUPERSTEP_COORDINATOR", None)
        self.dev = Dev(self)
        self.ids = {}    # as the page shows them -> as they are here
        self.shown = {}  # and back

    def learn(self, shown, printed):
        for theirs, ours in zip(re.findall(ID, shown), re.findall(ID, printed)):
            if self.ids.setdefault(theirs, ours) != ours \
                    or self.shown.setdefault(ours, theirs) != theirs:
                raise Wrong(f"the page shows the id {theirs} for {ours}, but "
                            f"before {self.shown.get(ours)} for it, and it "
                            f"for {self.ids[theirs]}")

    def as_shown(self, line):
        """With the ids that the page has for what was printed before."""
        for ours in re.findall(ID, line):
            theirs = self.shown.setdefault(ours, ours)
            self.ids.setdefault(theirs, ours)
            line = line.replace(ours, theirs)
        return line

    def run(self, command):
        for theirs, ours in self.ids.items():
            command = command.replace(theirs, ours)
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self.environment,
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=DEADLINE_S, check=False)
        return done.stdout.split("\n")[:-1]

    def do(self, lines, shown, is_dev, writes):
        if lines == ["^C"]:
            self.dev.stop()
            return []
        command = "".join(line[2:].removesuffix("\\") for line in lines)
        if not is_dev:
            return self.run(command)
        self.dev.start(command)
        return self.dev.wait_lines(2 if writes and not shown else len(shown))


def settled(lines):
    """Masked lines; updates that follow each other in an order of their own."""
    out, updates = [], []
    for line in [*map(masked, lines), None]:
        if line is not None and re.match(r"updates? ", line):
            updates.append(line)
            continue
        out += sorted(updates) + [line]
        updates = []
    return out


def compare(place, shown, printed):
    if settled(shown) != settled(printed):
        return False
    for theirs, ours in zip(shown, printed):
        if masked(theirs) == masked(ours):
            place.learn(theirs, ours)
    return True


# ----------------------------------------------------------------------- main

def play(page, place, writes):
    """Do it all; gives the page as it should be."""
    lines = page.read_text().split("\n")
    count, moved = 0, 0
    for block in blocks_of(list(lines)):
        if len(block.words) > 1 and block.words[0] == "c":
            (place.folder / block.words[1]).write_text(
                "\n".join(block.lines) + "\n")
            count += 1
        if not block.words or block.words[0] != "sh":
            continue
        new = []
        for command, shown in block.parts():
            printed = place.do(
                command, shown, block.words[1:] == ["dev"], writes)
            count += 1
            same = compare(place, shown, printed)
            if not same and not writes:
                raise Wrong("\n  ".join(
                    [f"line {block.first}: {command[0]}", "shown:", *shown,
                     "printed:", *printed]))
            new += command + (
                shown if same or not writes
                else [place.as_shown(line) for line in printed])
        if writes:
            at = block.first + moved
            lines[at:at + len(block.lines)] = new
            moved += len(new) - len(block.lines)
    if count == 0:
        raise Wrong("there is nothing to do in it")
    print(f"{page.name}: {count} files and commands are as they are shown")
    return "\n".join(lines)


def main():
    arguments = sys.argv[1:]
    writes = "--write" in arguments
    pages = [a for a in arguments if a != "--write"]
    page = pathlib.Path(pages[0]) if pages else ROOT / "docs/tutorial.md"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tutorial-"))
    place = None
    try:
        place = Place(folder)
        text = play(page, place, writes)
        if writes:
            page.write_text(text)
    except Wrong as wrong:
        sys.exit(f"{page.name}: {wrong}")
    finally:
        if place and place.dev.process:
            place.dev.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
