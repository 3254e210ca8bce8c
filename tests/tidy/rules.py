#!/usr/bin/env python3
"""rules - the rule book and the project agree, both ways.

usage: rules.py [ROOT]

Every rule that is named (R5.17, "spec/engine.md 13.4") stands in docs/spec.
Every rule of docs/spec/engine.md is named by product code, or has a row in
docs/spec/README.md: a file and what in it follows the rule, or a reason why
nothing does. Prints "path:line: message"; exits with 1 if there is any.
"""

import os
import pathlib
import re
import sys

BOOK = "docs/spec/engine.md"
PLACES = "docs/spec/README.md"
PRODUCT = ("common/", "coordinator/", "worker/", "client/", "local/")
SUFFIXES = {".c", ".h", ".def", ".md", ".proto", ".py", ".sql"}
NOT_OURS = {"build", "__pycache__"}

RULE = re.compile(r"\bR\d+\.\d+[a-z]?\b")
# R5.7 has parts that are not rules of their own: R5.7a.
ANCHOR = re.compile(r'<a id="(R\d+\.\d+[a-z]?)"></a>')
PART = re.compile(r"^(R\d+\.\d+)[a-z]$")
SPAN = re.compile(r"\bR(\d+)\.(\d+)-R\1\.(\d+)\b")
SECTION = re.compile(r"spec/(engine|graph)\.md,?\s+(?:section |§)?(\d+(?:\.\d+)*)")
HEADING = re.compile(r"^#+ (\d+(?:\.\d+)*)\.? ", re.M)
ROW = re.compile(r"^\| \[(R\d+\.\d+[a-z]?)\]\(engine\.md#\1\) \| (.*?) \| (.*) \|$")
LINK = re.compile(r"^\[([^\]]+)\]\(\.\./\.\./\1\)$")


class Rules:
    def __init__(self, root):
        self.root = root
        self.complaints = 0
        self.named = set()
        book = (root / BOOK).read_text()
        self.rules = set(ANCHOR.findall(book))
        self.sections = {
            name: set(HEADING.findall((root / f"docs/spec/{name}.md").read_text()))
            for name in ("engine", "graph")}

    def complain(self, path, line, message):
        self.complaints += 1
        print(f"{path}:{line}: {message}")

    def files(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(
                f for f in folders if f not in NOT_OURS and f[0] != ".")
            for name in sorted(names):
                path = pathlib.Path(folder, name)
                if path.suffix in SUFFIXES:
                    yield path.relative_to(self.root).as_posix()

    def is_known(self, rule):
        part = PART.match(rule)
        return rule in self.rules or (part and part[1] in self.rules)

    def read(self, path, text):
        for match in RULE.finditer(text):
            if not self.is_known(match[0]):
                line = text.count("\n", 0, match.start()) + 1
                self.complain(path, line, f"no rule is called {match[0]}")
            elif path.startswith(PRODUCT):
                self.name(match[0])
        for match in SPAN.finditer(text):
            if path.startswith(PRODUCT):
                for number in range(int(match[2]), int(match[3]) + 1):
                    self.named.add(f"R{match[1]}.{number}")
        for match in SECTION.finditer(text):
            if match[2] not in self.sections[match[1]]:
                line = text.count("\n", 0, match.start()) + 1
                self.complain(path, line, f"spec/{match[1]}.md has no section "
                                          f"{match[2]}")

    def name(self, rule):
        self.named.add(rule)
        part = PART.match(rule)
        if rule not in self.rules:
            self.named.add(part[1])

    def check_place(self, line, where, what):
        if where == "–":
            if len(what.split()) < 2:
                self.complain(PLACES, line, "neither a place nor a reason")
            return
        link = LINK.match(where)
        if not link or not (self.root / link[1]).exists():
            self.complain(PLACES, line, f"no such file: {where}")
            return
        symbol = re.match(r"`(\w+)`", what)
        if symbol and not re.search(rf"\b{symbol[1]}\b",
                                    (self.root / link[1]).read_text()):
            self.complain(PLACES, line, f"{link[1]} has no {symbol[1]}")
        elif not symbol and not what and not link[1].startswith("client/"):
            self.complain(PLACES, line, "what in this file follows the rule?")

    def check_rows(self):
        placed = set()
        for line, text in enumerate(
                (self.root / PLACES).read_text().splitlines(), 1):
            row = ROW.match(text)
            if not row:
                if text.startswith("| [R"):
                    self.complain(PLACES, line, "a row that cannot be read")
                continue
            if row[1] in placed:
                self.complain(PLACES, line, f"{row[1]} has two rows")
            placed.add(row[1])
            self.check_place(line, row[2], row[3])
        return placed

    def run(self):
        for path in self.files():
            if path != BOOK:
                self.read(path, (self.root / path).read_text(errors="replace"))
        self.read(BOOK, (self.root / BOOK).read_text())
        placed = self.check_rows()
        for rule in sorted(self.rules - self.named - placed):
            self.complain(BOOK, 1, f"{rule} has neither code that names it nor "
                                   f"a row in {PLACES}")
        for rule in sorted(self.named & placed):
            self.complain(PLACES, 1, f"{rule} is named by code; its row can go")
        if not self.rules:
            self.complain(BOOK, 1, "there are no rules")
        print(f"{len(self.rules)} rules: {len(self.rules & self.named)} named by "
              f"code, {len(placed)} by a row, {self.complaints} complaints")
        return 1 if self.complaints else 0


if __name__ == "__main__":
    sys.exit(Rules(
        pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")).run())
