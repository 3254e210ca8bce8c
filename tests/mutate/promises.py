"""promises - the last part of docs/internals/faults.md, checked against what is there.

    ### PROMISE
    Broken when: what could break it.
    Checked by `a.test`, `another.test`.
    - `a-planted-fault`
    - `another`

Each fault of tests/mutate stands below one promise, or says with a line "Promise:
..." in its patch to which it belongs; each fault and each test that is named there is
there.
"""

import collections
import pathlib
import re

HEAD = "## For each promise"
# Where a test of that name stands; those of the others have no file.
FOLDERS = {
    "unit": "tests/unit/{1}/{2}_test",
    "story": "tests/stories/{1}_test",
    "contract": "tests/contract/{1}_test",
    "system": "tests/system/{1}_test",
    "torture": "tests/torture/{1}_test",
    "fuzz": "tests/fuzz/fuzz_{1}",
}
WITHOUT_FILE = {"sim", "conformance"}

Row = collections.namedtuple("Row", "promise judges faults")


def rows_of(page):
    """What stands below each promise."""
    _, _, part = page.partition(f"\n{HEAD}")
    rows = []
    for section in part.partition("\n## ")[0].split("\n### ")[1:]:
        promise, _, body = section.partition("\n")
        judges = re.search(r"^Checked by\b(.*?)(?:\n\n|\Z)", body, re.M | re.S)
        rows.append(Row(promise.strip(),
                        re.findall(r"`([^`]+)`", judges[1] if judges else ""),
                        re.findall(r"^- `([^`]+)`", body, re.M)))
    return rows


def is_test(root, name):
    parts = name.split(".")
    pattern = FOLDERS.get(parts[0])
    if pattern is None:
        return parts[0] in WITHOUT_FILE
    if len(parts) != pattern.count("{") + 1:
        return False
    path = pattern.format(*parts)
    folder = f"tests/{parts[0]}/{parts[-1]}/{parts[-1]}.py"
    return any((root / (path + kind)).is_file()
               for kind in (".c", ".py", ".sh")) \
        or (root / folder).is_file() \
        or name == "torture.allocations"


def complaints(page, patches, root):
    """What does not go together, a line each. `patches`: name -> promise that
    it names itself, or None."""
    rows = rows_of(page)
    found = []
    if not rows:
        return [f'no promise stands below "{HEAD}"']
    promises = {row.promise for row in rows}
    places = collections.Counter(
        fault for row in rows for fault in row.faults)
    for row in rows:
        for judge in row.judges:
            if not is_test(root, judge):
                found.append(f'"{row.promise}": there is no test {judge}')
        if not row.judges:
            found.append(f'"{row.promise}": nobody looks')
        belonging = [name for name, own in patches.items()
                     if own == row.promise]
        if not row.faults and not belonging:
            found.append(f'"{row.promise}": no fault is planted')
    for fault, count in sorted(places.items()):
        if fault not in patches:
            found.append(f"{fault}: no such fault is planted")
        if count > 1:
            found.append(f"{fault}: stands below {count} promises")
    for name, promise in sorted(patches.items()):
        if promise and promise not in promises:
            found.append(f'{name}: there is no promise "{promise}"')
        elif promise and name in places:
            found.append(f"{name}: names its promise, and stands below one")
    return found


def unplaced(page, patches):
    """Faults of which nobody says which promise they break."""
    places = {fault for row in rows_of(page) for fault in row.faults}
    return [f"{name}: put it below the promise that it breaks in "
            'docs/internals/faults.md, or say "Promise: ..." in its patch'
            for name, promise in sorted(patches.items())
            if not promise and name not in places]


def check(root, patches):
    """Complaints, and faults without a promise."""
    page = (pathlib.Path(root) / "docs/internals/faults.md").read_text()
    planted = {patch.name: patch.promise for patch in patches}
    return complaints(page, planted, pathlib.Path(root)), \
        unplaced(page, planted)
