#!/usr/bin/env python3
"""rooms - who calls whom inside the engine, and what may still run up.

usage: rooms.py ARCHIVE.a... [ROOT] [--write]

Reads the symbols of the engine's archives (nm): an arrow is a function or datum
and a file that uses it. A room is a folder; rooms.txt says which lies above which,
and which headers are its doors. An arrow from a lower room to a higher one fails,
and so does an include of what is not a door. owned.txt says which structs their
room alone knows, or alone writes. Prints the figures of figures.txt; one that is
worse than its row there fails, one that is better asks to be written down (--write).
"""

import os
import pathlib
import re
import subprocess
import sys


ENGINE = "coordinator/engine"
# A room beside the engine, on which its rooms stand.
BESIDE = {"pregel": "common/pregel"}
FOLDERS = (ENGINE, *BESIDE.values())
INCLUDE = re.compile(
    rf'^\s*#\s*include "((?:{"|".join(FOLDERS)})/[^"]+)"', re.M)
PRODUCT = ("client", "common", "coordinator", "local", "worker")
# What is written for what lies inside: it may look there.
TESTS = ("tests/", "bench/", "build/")


def read_rooms(path):
    """Room -> its doors, from the bottom up."""
    doors = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            room, names = line.split(":")
            doors[room.strip()] = names.split()
    return doors


def read_owned(path):
    """Struct -> the room that alone knows its members; and those whose members
    all may know, and that room alone writes."""
    lines = path.read_text().splitlines() if path.exists() else ()
    named = [(struct, room.strip()) for room, _, structs in
             (line.partition(":") for line in lines if not line.startswith("#"))
             for struct in structs.split()]
    return ({struct: room for struct, room in named if struct[0] != "("},
            {struct[1:-1]: room for struct, room in named if struct[0] == "("})


def room_of(path):
    """Of a path from the root: its folder below the engine; None: elsewhere."""
    for room, folder in BESIDE.items():
        if path.startswith(f"{folder}/"):
            return room
    parts = path.split("/")
    if "/".join(parts[:2]) != ENGINE:
        return None
    return parts[2] if len(parts) > 3 else "engine"


def folder_of(room):
    return BESIDE.get(room, ENGINE if room == "engine" else f"{ENGINE}/{room}")


def of_product(root, *endings):
    return [path for folder in PRODUCT for ending in endings
            for path in sorted((root / folder).rglob(ending))]


def of_rooms(root, pattern):
    """The files of all rooms."""
    return sorted(path for folder in FOLDERS
                  for path in (root / folder).rglob(pattern))


def read_symbols(archives):
    """Who defines what, and who uses what: file -> names."""
    done = subprocess.run(["nm", "-A", *archives], capture_output=True, text=True,
                          check=False)
    defines, uses = {}, {}
    for line in done.stdout.splitlines():
        match = re.match(r".*?([\w.-]+)\.c\.o:[0-9a-f ]* ([A-Za-z]) (\S+)$", line)
        if match and match[2] in "TDBRC":
            defines[match[3]] = match[1]
        elif match and match[2] == "U":
            uses.setdefault(match[1], set()).add(match[3])
    return defines, uses


def arrows_of(defines, uses):
    return sorted((user, name, defines[name]) for user, names in uses.items()
                  for name in names if defines.get(name, user) != user)


def largest_circle(arrows):
    """The most files that all lead to one another (Tarjan, without recursion)."""
    leads = {}
    for user, _, owner in arrows:
        leads.setdefault(user, set()).add(owner)
        leads.setdefault(owner, set())
    index, low, stack, on, most = {}, {}, [], set(), []
    for root in sorted(leads):
        if root in index:
            continue
        work = [(root, iter(sorted(leads[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(leads[other]))))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    size = len(stack) - stack.index(node)
                    most = max(most, sorted(stack[-size:]), key=len)
                    on.difference_update(stack[-size:])
                    del stack[-size:]
    return most


# --- figures of the source -----------------------------------------------------


def blanked(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text, flags=re.S)


def names_of(text):
    """Functions, structs and enums that a header gives; not `static inline`."""
    code = re.sub(r"static inline.*?\n}\n", "", blanked(text), flags=re.S)
    names = set(re.findall(r"^(?:[a-z][\w ]*[ *])(\w+)\([^{}]*?\)[^{};]*;", code,
                           re.M))
    names.update(re.findall(r"^(?:struct|enum) (\w+) {", code, re.M))
    return names


def count_members(body):
    """Of a struct's own; what stands in a struct within it is that one's."""
    while True:  # from the inside out: "struct {...} name;" is one member
        flat = re.sub(r"(struct|union)( \w+)? \{[^{}]*\}", "int", body)
        if flat == body:
            break
        body = flat
    body = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", body)
    parts = [part.strip() for part in body.split(";")]
    return sum(1 + part.count(",") for part in parts if part)


def member_names(text, struct):
    """Name -> type, of a struct that a header shows; None: it does not."""
    match = re.search(rf"^struct {struct} {{\n(.*?)^}}", blanked(text), re.M | re.S)
    if not match:
        return None
    names = {}
    for part in re.sub(r"\([^()]*\)", "", match[1]).split(";"):
        words = part.split()
        for name in part.split(","):
            if words:
                names[re.search(r"(\w+)\s*$", name)[1]] = " ".join(words[:-1])
    return names


def members_of(text):
    """How many members each struct has, those within others too."""
    code = "\n".join(line for line in blanked(text).splitlines()
                     if not line.lstrip().startswith("#"))
    counts = []
    for match in re.finditer(r"\b(?:struct|union)(?: \w+)? \{", code):
        depth, at = 1, match.end()
        while depth and at < len(code):
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            at += 1
        counts.append(count_members(code[match.end():at - 1]))
    return counts


def repeated(files, least):
    """Pairs of equal runs of `least` lines after names are made alike."""
    seen, pairs = {}, 0
    for path in files:
        lines = []
        for line in blanked(path.read_text()).splitlines():
            line = re.sub(r"\b\w+\b", "x", re.sub(r"\s+", " ", line.strip()))
            if line and not line.startswith("#") and line not in "{};":
                lines.append(line)
        for at in range(len(lines) - least + 1):
            key = "\n".join(lines[at:at + least])
            pairs += seen.get(key, 0)
            seen[key] = seen.get(key, 0) + 1
    return pairs


def listed_invariants(engine):
    """Their numbers, as the list atop invariants.c has them."""
    return [number for path in sorted(engine.rglob("invariants.c"))
            for number in re.findall(r"^//\s+(I\d+)\b", path.read_text(), re.M)]


def checked_invariants(engine):
    return {number for path in engine.rglob("*.c") for number in
            re.findall(r"\bss_invariant\(\s*(I\d+)\b",
                       blanked(path.read_text()))}


def source_figures(root, doors):
    engine = root / ENGINE
    sources = of_rooms(root, "*.c")
    headers = of_rooms(root, "*.h")
    shown = [path for path in headers if path.name in
             doors.get(room_of(path.relative_to(root).as_posix()), ())]
    inner = [path for path in headers if path not in shown]
    names = {path: len(names_of(path.read_text())) for path in headers}
    code = [blanked(path.read_text()) for path in sources]
    lines = sum(len(path.read_text().splitlines()) for path in sources)
    checks = sum(len(re.findall(r"\bss_check\(|\bss_\w+_move\(", text))
                 for text in code)
    checks += len(set(listed_invariants(engine)) & checked_invariants(engine))
    structs = [count for path in of_product(root, "*.h")
               for count in members_of(path.read_text())]
    product = sum(len(path.read_text().splitlines())
                  for path in of_product(root, "*.c", "*.h", "*.def"))
    return {
        "names-in-a-door": max((names[path] for path in shown), default=0),
        "names-in-a-header": max((names[path] for path in inner), default=0),
        "members-of-a-struct": max(structs),
        "checks-in-1000-lines": round(1000 * checks / lines, 1),
        "lines-of-engine.c": len((engine / "engine.c").read_text().splitlines()),
        "lines-of-shell.c": len(
            (root / "coordinator/shell.c").read_text().splitlines()),
        # Rounded up: it grows by a commit that says what for.
        "1000-lines-of-product": -(-product // 1000),
        "repeats-in-commands": repeated(sorted((root / "client").glob("cmd_*.c")),
                                        6),
    }


# --- what is said ---------------------------------------------------------------


class Rooms:
    def __init__(self, archives, root, write):
        self.root = root
        self.write = write
        self.complaints = 0
        self.folder = root / "tests/tidy"
        self.doors = read_rooms(self.folder / "rooms.txt")
        self.order = list(self.doors)
        self.headers, self.files = [], {}
        for path in of_rooms(root, "*.[ch]"):
            name = path.relative_to(root).as_posix()
            if path.suffix == ".c":
                # objects of an archive are told apart by that alone
                if path.stem in self.files:
                    self.complain(f"{name}: {self.files[path.stem]} has a file "
                                  f"of that name, too")
                self.files[path.stem] = room_of(name)
            else:
                self.headers.append(name)
        self.arrows = arrows_of(*read_symbols(archives))

    def complain(self, message):
        self.complaints += 1
        print(message)

    def check_files(self):
        there = {*self.files.values(), *map(room_of, self.headers)}
        for room in sorted(there - set(self.order)):
            self.complain(f"rooms.txt: {room} is not a room")
        for room in sorted(set(self.order) - there):
            self.complain(f"rooms.txt: there is no {room}")
        for room, doors in self.doors.items():
            folder = folder_of(room)
            for door in doors:
                if f"{folder}/{door}" not in self.headers:
                    self.complain(f"rooms.txt: {room} has no {door}")
        if not self.arrows:
            self.complain("the archive has no arrows, so nothing was checked")

    def check_arrows(self):
        level = {room: at for at, room in enumerate(self.order)}
        up = [(user, name, owner) for user, name, owner in self.arrows
              if level.get(self.files.get(user), 0)
              < level.get(self.files.get(owner), 0)]
        for user, name, owner in up:
            self.complain(
                f"{user}.c ({self.files[user]}) calls up: {name} of "
                f"{owner}.c ({self.files[owner]})")
        return len(up)

    # Who may include from which room: floors.txt. Here: which of its headers.
    def check_doors(self):
        for path in sorted(self.root.rglob("*.[ch]")):
            name = path.relative_to(self.root).as_posix()
            if name.startswith(TESTS):
                continue
            for target in INCLUDE.findall(path.read_text()):
                room = room_of(target)
                base = target.rpartition("/")[2]
                if room != room_of(name) and base.endswith(".h") and \
                        base not in self.doors.get(room, ()):
                    self.complain(f"{name}: {target} is not a door of {room}")

    # What happens to a struct is a function of its room, named after that; what
    # others may know of it is const to them.
    def check_owned(self):
        owned, written = read_owned(self.folder / "owned.txt")
        for struct, room in written.items():
            self.check_written(struct, room, owned)
        for struct, room in owned.items():
            if room not in self.doors:
                self.complain(f"owned.txt: there is no {room}")
            shown = re.compile(rf"^struct {struct} {{", re.M)
            changed = re.compile(rf"(?<!const )\bstruct {struct}_facts \*")
            found = False
            for path in of_rooms(self.root, "*.[ch]"):
                name = path.relative_to(self.root).as_posix()
                text = blanked(path.read_text())
                inside = room_of(name) == room
                found = found or bool(inside and shown.search(text))
                if shown.search(text) and \
                        not (inside and path.name not in self.doors[room]):
                    self.complain(f"{name}: struct {struct} is shown, whose "
                                  f"members only {room} may know")
                if not inside and changed.search(text):
                    self.complain(f"{name}: struct {struct}_facts may be "
                                  f"written here, which only {room} may")
            if not found:
                self.complain(f"owned.txt: {room} has no struct {struct}")

    # Its members may be read everywhere. What one of them points to may be
    # another room's: that room sets the pointer. That a member is lent (&) is as
    # if it were written.
    def check_written(self, struct, room, owned):
        headers = [self.root / folder_of(room) / door
                   for door in self.doors.get(room, ())]
        shown = [names for path in headers if path.is_file()
                 and (names := member_names(path.read_text(), struct))]
        if not shown:
            self.complain(f"owned.txt: {room} shows no struct {struct}")
            return
        writers = {name: {room, owned.get(kind.removeprefix("struct "))}
                   for name, kind in shown[0].items()}
        path_to = rf"(?:\w+(?:->|\.))*\b{struct}->({'|'.join(writers)})\b(?!->)"
        writes = re.compile(rf"(?:\+\+|--|(?<!&)&){path_to}(?:\.\w+)*(?!\w|\.|->|\[)"
                            rf"|{path_to}(?:\.\w+)*"
                            r"\s*(?:\+\+|--|(?:[-+*/|&^%]|<<|>>)?=(?!=))")
        renamed = re.compile(rf"\bstruct {struct} \*(?:const )?(?!{struct}\b)\w")
        for path in of_rooms(self.root, "*.[ch]"):
            name = path.relative_to(self.root).as_posix()
            text = blanked(path.read_text())
            for match in writes.finditer(text):
                member = match[1] or match[2]
                if room_of(name) not in writers[member]:
                    self.complain(f"{name}: {struct}->{member} is written, "
                                  f"which only {room} may")
            if renamed.search(text) and room_of(name) != room:
                self.complain(f"{name}: a pointer to struct {struct} has "
                              f"another name than {struct}")

    def check_invariants(self):
        """The list and the code say the same."""
        engine = self.root / "coordinator/engine"
        listed = listed_invariants(engine)
        for number in sorted({it for it in listed if listed.count(it) > 1}):
            self.complain(f"invariants.c: {number} is there twice")
        for number in sorted(set(listed) - checked_invariants(engine)):
            self.complain(f"invariants.c: nobody looks at {number}")
        for number in sorted(checked_invariants(engine) - set(listed)):
            self.complain(f"invariants.c: {number} is looked at, and not there")

    def check_figures(self, figures):
        path = self.folder / "figures.txt"
        lines = path.read_text().splitlines()
        known = set()
        for at, line in enumerate(lines):
            if not line.strip() or line.startswith("#"):
                continue
            name, allowed, goal, want = line.split()
            known.add(name)
            if name not in figures:
                self.complain(f"figures.txt: nothing measures {name}")
                continue
            today = figures[name]
            sign = 1 if want == "most" else -1
            print(f"{name:<24} {today:>8}   allowed {allowed:>6}   goal {goal:>6}")
            if sign * today > sign * float(allowed):
                self.complain(f"{name} got worse: {today}, and {allowed} is "
                              f"allowed")
            elif today != float(allowed):
                if self.write:
                    lines[at] = f"{name:<24} {today:>6} {goal:>6} {want}"
                else:
                    self.complain(f"figures.txt: {name} is better: {today}; "
                                  f"write it down (rooms.py --write)")
        for name in sorted(set(figures) - known):
            self.complain(f"figures.txt: {name} has no row")
        if self.write:
            path.write_text("\n".join(lines) + "\n")

    def run(self):
        self.check_files()
        self.check_doors()
        self.check_owned()
        self.check_invariants()
        circle = largest_circle(self.arrows)
        figures = {"arrows-up": self.check_arrows(),
                   "files-in-one-circle": max(len(circle), 1)}
        figures.update(source_figures(self.root, self.doors))
        self.check_figures(figures)
        print(f"the largest circle: {' '.join(circle)}")
        return 1 if self.complaints else 0


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    archives = [word for word in words if word.endswith(".a")]
    others = [word for word in words if word not in archives]
    if not archives or not all(map(os.path.exists, archives)):
        sys.exit(__doc__)
    root = pathlib.Path(others[0] if others else ".")
    return Rooms(archives, root, "--write" in sys.argv).run()


if __name__ == "__main__":
    sys.exit(main())
