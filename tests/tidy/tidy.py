#!/usr/bin/env python3
"""tidy - properties of the source itself, checked like any other test.

usage: tidy.py [ROOT]

Floors (who may include whom, floors.txt), banned functions, lengths of lines,
functions and files, header guards, trailing space, leftovers, literals that
decide in the core. Prints "path:line: message" for each offence; exits with 1 if
there is any, and also where it found nothing to check.
"""

import os
import pathlib
import re
import sys

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 1000
COLUMNS_MAX = 100
PAGE_COLUMNS_MAX = 120

PURE_HEADERS = {
    "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h",
    "stdalign.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "string.h",
}
RESTRICTED_HEADERS = {
    "czmq.h", "zmq.h", "sqlite3.h", "libpq-fe.h", "protobuf-c/protobuf-c.h",
}

BANNED = {
    "alloca": "ss_alloc", "asctime": "ss_time_text", "atof": "strtod",
    "atoi": "strtol", "atol": "strtol", "ctime": "ss_time_text",
    "gets": "fgets", "gmtime": "gmtime_r", "localtime": "gmtime_r",
    "rand": "ss_prng_next", "random": "ss_prng_next", "sprintf": "snprintf",
    "srand": "ss_prng_init", "strcat": "ss_buf_add_str", "strcpy": "memcpy",
    "strtok": "strcspn", "time": "clock_gettime", "tmpnam": "mkdtemp",
    "vsprintf": "vsnprintf",
}
# Running out of memory is decided in one place.
BANNED_OURS = {
    "malloc": "ss_alloc", "calloc": "ss_zalloc", "realloc": "ss_realloc",
    "strdup": "ss_strdup", "strndup": "ss_memdup", "asprintf": "ss_format",
    "vasprintf": "ss_format",
}
BANNED_PURE = {
    name: "an event or a command"
    for name in (
        "clock_gettime", "gettimeofday", "fopen", "fprintf", "fputs", "getenv",
        "open", "printf", "puts", "pthread_create", "read", "write", "exit",
    )
}
BANNED_PURE["free"] = "ss_free"
BANNED_TESTS = {
    name: "an event to wait for"
    for name in ("sleep", "usleep", "nanosleep", "clock_nanosleep")
}
TESTS_MAY = {"strcpy", "time"}
# Where the bans end: the one place for memory, and last words on a crash.
EXEMPT = {
    "common/base/mem.c": {"malloc", "realloc", "free", "fprintf"},
    "common/base/check.c": {"fprintf"},
    # The simulator's own memory, in place of the system's.
    "tests/sim/pool.c": {"malloc", "calloc", "realloc"},
}

# Where no text decides: it was made an enum where it came in, by one table of
# words. The files named read what is said, word by word: requests, items of
# streams, a graph's description, messages, what other programs print.
WORDLESS = ("client/session", "common/model", "common/pregel", "common/wire",
            "coordinator/core", "coordinator/engine", "coordinator/job",
            "coordinator/owners", "worker/answer.c", "worker/session")
WORDLESS_TOO = "client/cmd_"
READS_WORDS = {
    "client/cmd_dev.c", "client/cmd_health.c", "client/session/request.c",
    "common/model/compile.c", "common/model/key.c", "common/model/message.c",
    "common/model/messages.c", "common/model/policy.c", "common/model/spec.c",
    "coordinator/engine/runs/run_options.c",
}
COMPARES = re.compile(r"\b(?:strn?(?:case)?cmp|strstr)\s*\(")

LEFTOVERS = "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"))
MACHINE_PATH = re.compile(r"(?<![\w./$}-])/(?:work|root|home/\w+)/")
TEXT_SUFFIXES = {
    ".awk", ".c", ".cmake", ".def", ".h", ".json", ".md", ".proto", ".py",
    ".sh", ".sql", ".txt", ".yml", "",
}
# The rule book has its lines from where it is written; of a page that is made of
# the source, the source is looked at.
BOOK = "docs/spec/"
MADE_PAGE = "<!-- Made by tools/reference.py."
NOT_OURS = {"build", "__pycache__", ".git"}


class Floor:
    def __init__(self, line):
        folder, allowed, system = (part.split() for part in line.split(":"))
        self.folder = folder[0]
        self.allowed = allowed + [self.folder + "/"]
        self.kind = system[0]
        self.headers = set(system[1:])
        self.files = 0
        if self.kind not in ("pure", "effects", "test", "user"):
            sys.exit(f"tidy: floors.txt: unknown kind {self.kind}")

    def may_use(self, header):
        if self.kind == "pure":
            return header in PURE_HEADERS | self.headers
        if self.kind == "effects":
            return header not in RESTRICTED_HEADERS - self.headers
        return True

    def banned(self):
        names = dict(BANNED)
        if self.kind != "user":
            names.update(BANNED_OURS)
        if self.kind == "pure":
            names.update(BANNED_PURE)
        if self.kind == "test":
            names.update(BANNED_TESTS)
            names = {n: use for n, use in names.items() if n not in TESTS_MAY}
        return names


def inside(path, folder):
    """`folder` with a slash at its end: the folder alone, no room in it."""
    return path in (folder, folder.rstrip("/")) or \
        path.startswith(folder + "/")


class Tidy:
    def __init__(self, root):
        self.root = root
        self.complaints = 0
        self.checked = 0
        self.guards = {}
        text = (root / "tests/tidy/floors.txt").read_text()
        self.floors = [
            Floor(line) for line in text.splitlines()
            if line.strip() and not line.startswith("#")
        ]

    def complain(self, path, line, message):
        self.complaints += 1
        print(f"{path}:{line}: {message}")

    def floor_of(self, path):
        found = [f for f in self.floors if inside(path, f.folder)]
        return max(found, key=lambda f: len(f.folder), default=None)

    def files(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(
                f for f in folders
                if f not in NOT_OURS and (f == ".ci" or f[0] != "."))
            for name in sorted(set(names) - NOT_OURS):
                path = pathlib.Path(folder, name)
                if path.suffix in TEXT_SUFFIXES and not path.is_symlink():
                    yield path.relative_to(self.root).as_posix()

    def check_text(self, path, lines):
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                self.complain(path, number, "trailing space")
            if re.search(rf"\b({LEFTOVERS})\b", line):
                self.complain(path, number, "leftover, finish it or drop it")
            if MACHINE_PATH.search(line):
                self.complain(path, number, "a path of somebody's machine")
        if len(lines) > FILE_LINES_MAX and path.endswith((".c", ".h", ".py")):
            self.complain(
                path, len(lines), f"longer than {FILE_LINES_MAX} lines")

    # Prose alone: a row of a table cannot be broken, and code is as it is typed.
    def check_page(self, path, lines):
        if path.startswith(BOOK) or \
                any(line.startswith(MADE_PAGE) for line in lines[:5]):
            return
        fenced = False
        for number, line in enumerate(lines, 1):
            fenced ^= line.lstrip().startswith("```")
            if len(line) > PAGE_COLUMNS_MAX and not fenced and \
                    not line.startswith(("|", "    ")):
                self.complain(
                    path, number, f"longer than {PAGE_COLUMNS_MAX} columns")

    # Where an include leads: a path from the root, or None for the system's.
    def target_of(self, path, quoted, name):
        for folder in ("worker/include", "client/include", "local/include"):
            if (self.root / folder / name).exists():
                return f"{folder}/{name}"
        return name if quoted else None

    def check_include(self, path, number, floor, quoted, name):
        target = self.target_of(path, quoted, name)
        if target is None:
            if not floor.may_use(name):
                self.complain(
                    path, number,
                    f"{floor.folder} is {floor.kind} and may not use <{name}>")
            return
        beside = f"{os.path.dirname(path)}/{target}"
        if floor.kind == "user" and (self.root / beside).exists():
            return
        if "/" not in target:
            self.complain(path, number, f'"{name}" is not from the root')
            return
        target_floor = self.floor_of(target)
        holder = target_floor.folder if target_floor else target
        if not any(inside(holder, folder) for folder in floor.allowed):
            self.complain(
                path, number,
                f"{floor.folder} may not include from "
                f"{os.path.dirname(target)}")

    def check_calls(self, path, floor, code):
        exempt = EXEMPT.get(path, set())
        banned = floor.banned()
        pattern = rf"(?<![\w.>])({'|'.join(banned)})\s*\("
        for match in re.finditer(pattern, code):
            if match[1] not in exempt:
                line = code.count("\n", 0, match.start()) + 1
                self.complain(
                    path, line,
                    f"{match[1]}() is banned here, use {banned[match[1]]}")

    def check_words(self, path, text, code):
        if path in READS_WORDS or not any(
                inside(path, folder) for folder in WORDLESS) and not \
                path.startswith(WORDLESS_TOO):
            return
        for match in COMPARES.finditer(code):
            if any(part.lstrip().startswith('"')
                   for part in arguments(text, code, match.end())):
                self.complain(
                    path, code.count("\n", 0, match.start()) + 1,
                    "a literal decides here: make the text an enum where it "
                    "comes in")

    def check_guard(self, path, text, lines):
        match = re.search(r"^#ifndef (\w+_H)\n#define \1$", text, re.M)
        directives = [line for line in lines if line.startswith("#")]
        if (not match or directives[0] != f"#ifndef {match[1]}"
                or lines[-1].split(" ")[0] != "#endif"):
            self.complain(
                path, len(lines),
                "the header guard does not enclose the whole header")
        elif match[1] in self.guards:
            self.complain(
                path, 1, f"the guard {match[1]} is that of "
                f"{self.guards[match[1]]} too")
        else:
            self.guards[match[1]] = path

    def check_functions(self, path, code):
        depth, start, last = 0, 0, ""
        continued = False
        for number, line in enumerate(code.splitlines(), 1):
            skip = continued or line.lstrip().startswith("#")
            continued = skip and line.endswith("\\")
            if skip:
                continue
            for mark in re.finditer(r"[{}]", line):
                before = line[:mark.start()].rstrip()
                if mark[0] == "{":
                    if depth == 0:
                        end = before[-1] if before else last
                        start = number if end == ")" else 0
                    depth += 1
                else:
                    depth -= 1
                    size = number - start + 1
                    if depth == 0 and start and size > FUNCTION_LINES_MAX:
                        self.complain(
                            path, start, f"function of {size} lines, the "
                            f"limit is {FUNCTION_LINES_MAX}")
            if line.strip():
                last = line.rstrip()[-1]

    def check_c(self, path, text, lines):
        floor = self.floor_of(path)
        if not floor:
            self.complain(path, 1, "this folder has no row in floors.txt")
            return
        floor.files += 1
        self.checked += 1
        code = blanked(text)
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                self.complain(
                    path, number, f"longer than {COLUMNS_MAX} columns")
            match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if match:
                self.check_include(
                    path, number, floor, match[1] == '"', match[2])
        self.check_calls(path, floor, code)
        self.check_words(path, text, code)
        self.check_functions(path, code)
        if path.endswith(".h"):
            self.check_guard(path, text, lines)

    def run(self):
        for path in self.files():
            try:
                text = (self.root / path).read_text()
            except UnicodeDecodeError:
                continue
            lines = text.split("\n")[:-1] if text.endswith("\n") else \
                text.split("\n")
            self.check_text(path, lines)
            if path.endswith(".md"):
                self.check_page(path, lines)
            if path.endswith((".c", ".h")):
                self.check_c(path, text, lines)
        for floor in self.floors:
            if floor.files == 0:
                self.complain(
                    "tests/tidy/floors.txt", 1,
                    f"nothing was checked in {floor.folder}")
        if self.checked == 0:
            self.complain(".", 1, "nothing was checked")
        print(f"{self.checked} files of C, {self.complaints} complaints")
        return 1 if self.complaints else 0


def spaces(match):
    return re.sub(r"[^\n]", " ", match[0])


STRING = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''


def blanked(text):
    """The code alone: comments, strings and characters turned to spaces."""
    return re.sub(rf"//[^\n]*|/\*.*?\*/|{STRING}", spaces, text, flags=re.S)


def arguments(text, code, start):
    """What stands between the commas of the call whose parenthesis ends there."""
    depth, at = 1, start
    while depth and at < len(code):
        depth += (code[at] == "(") - (code[at] == ")")
        at += 1
        if depth == 0 or (depth == 1 and code[at - 1] == ","):
            yield text[start:at - 1]
            start = at


if __name__ == "__main__":
    sys.exit(Tidy(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")).run())
