#!/usr/bin/env python3
"""glossary - every struct is named by a word that docs/GLOSSARY.md explains.

usage: glossary.py [ROOT]

The last word of a struct's name, in the singular, is its noun: of every struct
that a header of the product defines it stands in the glossary, or is PLUMBING.
There each word has one row, and the rows of a table are in order. Prints
"path:line: message"; exits with 1 if there is any.
"""

import pathlib
import re
import sys

GLOSSARY = "docs/GLOSSARY.md"
PRODUCT = ("client", "common", "coordinator", "local", "worker")
# What C needs, whatever the field.
PLUMBING = {
    "arg", "array", "byte", "count", "hook", "list", "map", "op", "option",
    "out", "param", "set", "setting", "spec", "stat", "table",
}

ROW = re.compile(r"^\| (\*\*.+?\*\*) \| (.+) \|$")
WORD = re.compile(r"\*\*([^*]+)\*\*")
STRUCT = re.compile(r"^[ \t]*(?:typedef\s+)?struct\s+(\w+)\s*\{", re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def noun_of(struct):
    word = struct.rsplit("_", 1)[-1]
    return word[:-1] if re.search(r"[^su]s$", word) else word


def spaces(match):
    return re.sub(r"[^\n]", " ", match[0])


class Glossary:
    def __init__(self, root):
        self.root = root
        self.complaints = 0
        self.words = {}

    def complain(self, path, line, message):
        self.complaints += 1
        print(f"{path}:{line}: {message}")

    def check_rows(self):
        last = ""
        for number, line in enumerate(
                (self.root / GLOSSARY).read_text().splitlines(), 1):
            row = ROW.match(line)
            if not row:
                last = last if line.startswith("|") else ""
                continue
            words = WORD.findall(row[1])
            for word in words:
                if word in self.words:
                    self.complain(GLOSSARY, number, f"{word} is explained in "
                                                    f"line {self.words[word]}")
                self.words.setdefault(word, number)
            if words[0] < last:
                self.complain(GLOSSARY, number, f"{words[0]} belongs before "
                                                f"{last}")
            last = words[0]

    def check_header(self, path):
        text = COMMENT.sub(spaces, (self.root / path).read_text())
        for struct in STRUCT.finditer(text):
            noun = noun_of(struct[1])
            if noun not in self.words and noun not in PLUMBING:
                line = text.count("\n", 0, struct.start(1)) + 1
                self.complain(path, line, f"struct {struct[1]}: the glossary "
                                          f"does not explain {noun}")
            yield struct[1]

    def run(self):
        self.check_rows()
        structs = 0
        for folder in PRODUCT:
            for path in sorted((self.root / folder).rglob("*.h")):
                structs += len(list(self.check_header(
                    path.relative_to(self.root).as_posix())))
        if not self.words:
            self.complain(GLOSSARY, 1, "no word is explained")
        if not structs:
            self.complain(GLOSSARY, 1, "no header of the product has a struct")
        print(f"{len(self.words)} words, {structs} structs, "
              f"{self.complaints} complaints")
        return 1 if self.complaints else 0


if __name__ == "__main__":
    sys.exit(Glossary(
        pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")).run())
