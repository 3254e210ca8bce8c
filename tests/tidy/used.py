#!/usr/bin/env python3
"""used - every external name of the product is there for another file of it.

usage: used.py BUILD [ROOT]

Reads the symbols of a build's objects (nm): a function or datum of the product that
no other file of the product asks for is to be static, or to go. What is declared for
users, in include/superstep, is there for them. What a file uses itself, a test may
ask, too: it is in the file's contract.
"""

import collections
import pathlib
import re
import subprocess
import sys


PRODUCT = ("client", "common", "coordinator", "local", "worker")
AT_ONCE = 200  # objects that nm is given


def blanked(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text, flags=re.S)


def objects_of(build, root):
    """Source (from the root) -> its objects; those of files that are gone are not
    looked at."""
    found = collections.defaultdict(list)
    for path in sorted(build.rglob("*.c.o")):
        source = re.sub(r".*\.dir/", "", path.as_posix())[:-len(".o")]
        if (root / source).is_file():
            found[source].append(path)
    return found


def read_symbols(objects):
    """Name -> the source that defines it, and name -> those that use it."""
    owners, users = {}, collections.defaultdict(set)
    sources = {path.as_posix(): source for source, paths in objects.items()
               for path in paths}
    paths = sorted(sources)
    for first in range(0, len(paths), AT_ONCE):
        done = subprocess.run(["nm", "-A", "-g", *paths[first:first + AT_ONCE]],
                              capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            path, _, rest = line.partition(".o:")
            letter, name = rest.split()[-2:]
            source = sources[path + ".o"]
            if letter in "TDBRC":
                owners[name] = source
            elif letter == "U":
                users[name].add(source)
    return owners, users


def for_users(root):
    """The names that stand in headers of users."""
    return {name for header in root.rglob("include/superstep/*.h")
            for name in re.findall(r"\w+", blanked(header.read_text()))}


def in_headers(root):
    """How often each word stands in headers of the product: a name that is declared,
    and stands there once more, is used by a function of the header's."""
    words = collections.Counter()
    for folder in PRODUCT:
        for header in (root / folder).rglob("*.h"):
            words.update(re.findall(r"\w+", blanked(header.read_text())))
    return words


def complaint_of(root, name, owner, users):
    here = blanked((root / owner).read_text())
    if len(re.findall(rf"\b{name}\b", here)) > 1:
        return None if users else f"only {owner} uses {name}: make it static"
    return f"{owner}: only tests use {name}" if users \
        else f"{owner}: nobody uses {name}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    owners, users = read_symbols(objects_of(build, root))
    public = for_users(root) | {"main"}
    headers = in_headers(root)
    looked, complaints = 0, []
    for name, owner in sorted(owners.items(), key=lambda item: item[::-1]):
        if owner.split("/")[0] not in PRODUCT or name in public:
            continue
        looked += 1
        if headers[name] > 1:
            continue
        others = users[name] - {owner}
        if not any(user.split("/")[0] in PRODUCT for user in others):
            said = complaint_of(root, name, owner, others)
            complaints += [said] if said else []
    if not looked:
        complaints.append(f"{build} has no objects, so nothing was checked")
    print("\n".join(complaints + [f"{looked} names"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
