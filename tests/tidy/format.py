#!/usr/bin/env python3
"""format - every C file stands as clang-format writes it (.clang-format).

usage: format.py [--write] [ROOT]

The version is pinned: another one breaks lines elsewhere. Where clang-format 14
is missing nothing is looked at, and the exit status is 77: skipped. Prints
"path:line: message"; exits with 1 if there is any. --write writes the files
instead.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "14"
SKIPPED = 77
BATCH = 40


def tool():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if not path:
            continue
        said = subprocess.run([path, "--version"], capture_output=True,
                              text=True, check=False).stdout
        if re.search(rf"version {VERSION}\.", said):
            return path
    return None


def sources(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders
                            if name != "build" and not name.startswith("."))
        found += [str(pathlib.Path(folder, name).relative_to(root))
                  for name in sorted(files) if name.endswith((".c", ".h"))]
    return found


def look(path, root, files):
    done = subprocess.run([path, "--dry-run", "--ferror-limit=1", *files],
                          cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [done.stderr.strip()]
    places = re.findall(r"^([^\s:]+):(\d+):\d+: warning:", done.stderr, re.M)
    first = {}
    for name, line in places:
        first.setdefault(name, line)
    return [f"{name}:{line}: not as clang-format {VERSION} writes it; run "
            f"tests/tidy/format.py --write" for name, line in first.items()]


def main(words):
    writes = "--write" in words
    rest = [word for word in words if word != "--write"]
    root = pathlib.Path(rest[0] if rest else ".")
    path = tool()
    if not path:
        print(f"skipped: clang-format {VERSION} is not installed")
        return SKIPPED
    files = sources(root)
    if not files:
        print("nothing was checked: there are no sources")
        return 1
    batches = [files[at:at + BATCH] for at in range(0, len(files), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if writes:
            list(pool.map(lambda batch: subprocess.run(
                [path, "-i", *batch], cwd=root, check=True), batches))
            return 0
        complaints = [line for said in pool.map(
            lambda batch: look(path, root, batch), batches) for line in said]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(files)} files of C, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
