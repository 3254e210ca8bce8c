#!/usr/bin/env python3
"""links - every link in the documents leads somewhere.

usage: links.py

Every relative link of every Markdown file must lead to a file or folder, and its
#part to a heading there. If a link's text is a name in backticks and it leads to a C
file, that file must hold the name. Names in backticks after "Shown by" must be tests, and so must those in the last column
of a table that is called "shown by", of which each row has some; what the page of an
example says of the header's names must stand in its program. An option that a
command in backticks has must be one of that command's.
Prints what is wrong; exits with 1 if anything is.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOT_OURS = {"build", ".git", "node_modules"}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"\[`(\w+)`\]\(([^)\s#]+\.[ch])\)")
PROOF = re.compile(r"Shown by (.*?)(?:\.\s|\.$|;)", re.S)


def files(*patterns):
    for pattern in patterns:
        for path in sorted(ROOT.rglob(pattern)):
            if not NOT_OURS & set(path.relative_to(ROOT).parts):
                yield path


def shell_tests():
    """As ctest names them, and those that are run by hand."""
    for path in files("*_test.sh"):
        folder = path.parent.relative_to(ROOT / "tests").as_posix()
        yield f"{folder}/{path.stem}".replace("_test", "").replace("/", ".")
    for path in (ROOT / "tests/portability").iterdir():
        yield path.name


def tests():
    """Names of all tests."""
    names = {(name, "") for name in shell_tests()}
    for path in files("*_test.c", "*_test.py"):
        names |= set(re.findall(
            r"START_TEST\((\w+)\)|^def (test_\w+)", path.read_text(), re.M))
    return {name for pair in names for name in pair if name}


def anchors(path):
    """The parts of a page that a link can name, as GitHub names them."""
    text = path.read_text()
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def check_link(page, target):
    if re.match(r"[a-z]+:", target):
        return None
    name, _, part = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.exists():
        return f"{target}: there is no such file"
    if part and path.suffix == ".md" and part not in anchors(path):
        return f"{target}: there is no such part"
    return None


def check_named(page, name, target):
    path = page.parent / target
    if path.exists() and not re.search(rf"\b{name}\b", path.read_text()):
        return f"{target}: there is no {name} in it"
    return None


def check_table(text):
    """How many tests the rows of tables "shown by" name, and which rows name none."""
    names, without, is_proof = [], [], False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("|"):
            is_proof = False
        elif cells[-1].rstrip(" |") == "shown by":
            is_proof = True
        elif is_proof and not line.startswith("|--"):
            found = re.findall(r"`([\w.]+)`", cells[-1])
            names += found
            without += [] if found else [cells[0].strip("| ")]
    return names, without


def check_example(page, text):
    """Names of the header that the page explains, and the program lacks."""
    program = "".join(path.read_text() for path in page.parent.iterdir()
                      if path.suffix in (".c", ".cpp", ".h"))
    names = re.findall(r"`((?:SS|ss)_\w+)(?:\(\))?`", text)
    return [f"{name}: the example does not use it" for name in names
            if not re.search(rf"\b{name}\b", program)]


def options_of_commands():
    """What each command takes, as the page that is made of the source says."""
    page = (ROOT / "docs/reference/commands.md").read_text()
    head, *parts = re.split(r"^## ", page, flags=re.M)
    of_all = set(re.findall(r"--[a-z-]+", head)) | {"--help", "--version"}
    return {part.split()[0]: of_all | set(re.findall(r"--[a-z-]+", part))
            for part in parts}


def check_commands(text, options):
    for words in re.findall(r"`superstep ([^`]+)`", re.sub(r"\s+", " ", text)):
        name, *more = words.split()
        if name not in options or "--" in more:
            continue
        for option in re.findall(r"(?<!\S)--[a-z-]+", words):
            if option not in options[name]:
                yield f"superstep {words}: {name} has no option {option}"


def main():
    known = tests()
    options = options_of_commands()
    wrong, links, proofs = [], 0, 0
    for page in files("*.md"):
        where = page.relative_to(ROOT)
        text = without_code(page.read_text())
        for target in LINK.findall(text):
            links += 1
            complaint = check_link(page, target)
            if complaint:
                wrong.append(f"{where}: {complaint}")
        for name, target in NAMED.findall(text):
            complaint = check_named(page, name, target)
            if complaint:
                wrong.append(f"{where}: {complaint}")
        if where.parts[0] == "examples":
            wrong += [f"{where}: {line}" for line in check_example(page, text)]
        wrong += [f"{where}: {line}" for line in check_commands(text, options)]
        named, without = check_table(text)
        wrong += [f"{where}: {row}: no test shows it" for row in without]
        for proof in PROOF.findall(text):
            named += re.findall(r"`(\w+)`", proof)
        proofs += len(named)
        wrong += [f"{where}: {name}: there is no such test" for name in named
                  if name not in known]
    print("\n".join(wrong) if wrong else
          f"{links} links and {proofs} named tests are there")
    sys.exit(1 if wrong or not links or not proofs else 0)


if __name__ == "__main__":
    main()
