#!/usr/bin/env python3
"""planted - every offence that tidy knows, planted in a copy, is caught.

A check that has never failed is unproven. The plants stand among the project's
own sources, so that they are judged by its real floors.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDY = ROOT / "tests/tidy/tidy.py"
PURE = ROOT / "tests/tidy/pure.sh"
RULES = ROOT / "tests/tidy/rules.py"
ROOMS = ROOT / "tests/tidy/rooms.py"
GLOSSARY = ROOT / "tests/tidy/glossary.py"
USED = ROOT / "tests/tidy/used.py"
LEFTOVERS = ["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"]

HEADER = "#ifndef SS_PLANTED_{0}_H\n#define SS_PLANTED_{0}_H\n{1}#endif\n"
LONG = "int planted(void)\n{\n" + "    ;\n" * 68 + "    return 0;\n}\n"

# file to write, its text, the complaint expected
PLANTED = [
    ("common/base/p01.c", '#include "common/model/value.h"\n',
     "common/base may not include from common/model"),
    ("common/model/p02.c", '#include "coordinator/engine/engine.h"\n',
     "common/model may not include from coordinator/engine"),
    ("coordinator/engine/p03.c", '#include "coordinator/store/store.h"\n',
     "coordinator/engine may not include from coordinator/store"),
    ("coordinator/engine/p04.c", '#include "common/wire/message.h"\n',
     "coordinator/engine may not include from common/wire"),
    ("coordinator/core/p53.c", '#include "coordinator/store/store.h"\n',
     "coordinator/core may not include from coordinator/store"),
    ("coordinator/core/p54.c", '#include "common/link/link.h"\n',
     "coordinator/core may not include from common/link"),
    ("coordinator/core/p55.c", "#include <time.h>\n",
     "coordinator/core is pure and may not use <time.h>"),
    ("coordinator/engine/p56.c", '#include "coordinator/core/core.h"\n',
     "coordinator/engine may not include from coordinator/core"),
    ("common/pregel/p80.c", '#include "coordinator/engine/engine.h"\n',
     "common/pregel may not include from coordinator/engine"),
    ("common/pregel/p81.c", '#include "coordinator/engine/step/step.h"\n',
     "common/pregel may not include from coordinator/engine/step"),
    ("coordinator/engine/step/p82.c", '#include "common/pregel/pregel.h"\n',
     "coordinator/engine/step may not include from common/pregel"),
    ("common/wire/p05.c", '#include "common/link/link.h"\n',
     "common/wire may not include from common/link"),
    ("coordinator/store/p06.c", '#include "common/link/link.h"\n',
     "coordinator/store may not include from common/link"),
    ("common/link/p07.c", '#include "superstep/v1/journal.pb-c.h"\n',
     "common/link may not include from superstep/v1"),
    ("common/base/p08.c", '#include "mem.h"\n', '"mem.h" is not from the root'),
    ("common/base/p09.c", "#include <time.h>\n",
     "common/base is pure and may not use <time.h>"),
    ("coordinator/engine/p10.c", "#  include <unistd.h>\n",
     "coordinator/engine is pure and may not use <unistd.h>"),
    ("common/model/p11.c", "#include <pthread.h>\n",
     "common/model is pure and may not use <pthread.h>"),
    ("common/wire/p12.c", "#include <czmq.h>\n",
     "common/wire is pure and may not use <czmq.h>"),
    ("coordinator/store/p13.c", "#include <zmq.h>\n",
     "coordinator/store is effects and may not use <zmq.h>"),
    ("common/link/p14.c", "#include <sqlite3.h>\n",
     "common/link is effects and may not use <sqlite3.h>"),
    ("common/base/p15.c", "void f(void);\nvoid f(void)\n{\n    strcpy(0, 0);\n}\n",
     "4: strcpy() is banned here, use memcpy"),
    ("coordinator/store/p16.c", "int f = (malloc (1), 0);\n",
     "malloc() is banned here, use ss_alloc"),
    ("coordinator/engine/threads/p57.c",
     '#include "coordinator/engine/levels/levels.h"\n',
     "coordinator/engine/threads may not include from coordinator/engine/levels"),
    ("coordinator/engine/levels/p58.c",
     '#include "coordinator/engine/threads/thread.h"\n', None),
    ("coordinator/engine/levels/p59.c",
     '#include "coordinator/engine/engine.h"\n', None),
    ("coordinator/p60.c", '#include "coordinator/engine/step/step.h"\n',
     "coordinator may not include from coordinator/engine/step"),
    ("coordinator/engine/p17.c", "int f = printf(0);\n",
     "printf() is banned here, use an event or a command"),
    ("coordinator/engine/p18.c", "int f = (free(0), 0);\n",
     "free() is banned here, use ss_free"),
    ("common/link/p19.c", "int f = time(0);\n",
     "time() is banned here, use clock_gettime"),
    ("tests/unit/base/p20_test.c", "int f = usleep(1);\n",
     "usleep() is banned here, use an event to wait for"),
    ("common/base/p21.c", LONG, "2: function of 71 lines, the limit is 70"),
    ("common/base/p22.c", "//\n" * 1001, "longer than 1000 lines"),
    ("common/base/p23.c", "// " + "-" * 98 + "\n", "longer than 100 columns"),
    ("common/base/p24.c", "int f; \n", "trailing space"),
    ("docs/p25.md", "text\t\n", "trailing space"),
    ("common/base/p26.h", "int f;\n",
     "the header guard does not enclose the whole header"),
    ("common/base/p27.h", HEADER.format("27", "") + "int f;\n",
     "the header guard does not enclose the whole header"),
    ("common/base/p28.h", "#include <stddef.h>\n" + HEADER.format("28", ""),
     "the header guard does not enclose the whole header"),
    ("common/base/p29b.h", HEADER.format("29", ""), None),
    ("common/base/p29c.h", HEADER.format("29", ""),
     "the guard SS_PLANTED_29_H is that of common/base/p29b.h too"),
    ("common/base/p30.c", f"// {LEFTOVERS[0]}: later\n", "leftover"),
    ("tests/p31.sh", f"# {LEFTOVERS[1]}\n", "leftover"),
    ("common/base/p32.c", f"// {LEFTOVERS[2]} look here\n", "leftover"),
    ("docs/p33.md", f"a {LEFTOVERS[3]}\n", "leftover"),
    ("docs/p34.md", "see /home" + "/ada/notes\n", "a path of somebody's machine"),
    ("nowhere/p35.c", "int f;\n", "this folder has no row in floors.txt"),
    ("tests/conformance/app/p36.c", '#include "common/base/mem.h"\n',
     "tests/conformance/app may not include from common/base"),
    ("worker/include/superstep/p37.h",
     HEADER.format("37", '#include "common/base/status.h"\n'),
     "worker/include may not include from common/base"),
    ("docs/p47.md", "word " * 24 + "word\n", "longer than 120 columns"),
    ("docs/p48.md", "```\n```\n" + "word " * 24 + "word\n",
     "3: longer than 120 columns"),
    ("coordinator/engine/runs/p83.c", 'int f = !strcmp(f(1, "a"), "rollback");\n',
     "a literal decides here"),
    ("common/pregel/p84.c", 'int f = strncmp("loop",\n    f(2), 4);\n',
     "a literal decides here"),
    ("coordinator/core/p85.c", 'int f = strcmp(f(")"),\n    "show");\n',
     "1: a literal decides here"),
    ("client/cmd_p88.c", 'int f = strcmp(f(1), "bash");\n',
     "a literal decides here"),
    # What only looks like an offence.
    ("coordinator/core/p86.c", 'int f = strcmp(f("what", ""), f(1));\n', None),
    ("coordinator/p87.c", 'int f = strcmp(f(1), "limits");\n', None),
    ("docs/p49.md", "| " + "cell " * 30 + "|\n", None),
    ("docs/p50.md", "```\n" + "code " * 30 + "code\n```\n", None),
    ("docs/p51.md", "    $ " + "code " * 30 + "code\n", None),
    ("docs/spec/p52.md", "rule " * 30 + "rule\n", None),
    ("tests/conformance/app/p38.h", HEADER.format("38", ""), None),
    ("tests/conformance/app/p39.c",
     '#include <superstep/superstep.h>\n#include "p38.h"\n', None),
    ("common/base/p40.c", "// printf() and time() in a comment\n", None),
    ("common/base/p41.c", 'const char *f = "malloc(1)";\n', None),
    ("common/base/p42.c", "int runtime(int);\nint f = runtime(1);\n", None),
    ("common/base/p43.c", LONG.replace("    ;\n", "", 1), None),
    ("common/base/p44.c", '#include "common/base/mem.h"\n', None),
    ("common/base/p45.c", 'char f[] = "/tmp/p-' + "X" * 6 + '";\n', None),
    ("common/base/p46.c", "static int f[] =\n{\n" + "    1,\n" * 90 + "};\n",
     None),
]

failures = []


def expect(claim, what):
    if not claim:
        failures.append(what)


def copy_of_sources(to):
    for name in sorted(os.listdir(ROOT)):
        if name in ("build", ".git") or name.startswith(".cache"):
            continue
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(
                path, to / name, symlinks=True,
                ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, to / name)


def tidy(root):
    done = subprocess.run(
        [sys.executable, TIDY, root], capture_output=True, text=True,
        check=False)
    return done.returncode, done.stdout.splitlines()


def check_planted(root):
    _, before = tidy(root)
    for path, text, _ in PLANTED:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    floors = root / "tests/tidy/floors.txt"
    with floors.open("a") as file:
        file.write("common/empty : : pure\n")
    code, after = tidy(root)
    expect(code == 1, f"tidy exits with {code} after all was planted")
    for path, _, complaint in PLANTED:
        found = [line for line in after if line.startswith(path + ":")]
        if complaint is None:
            expect(not found, f"{path}: complained for nothing: {found}")
        else:
            expect(len(found) == 1 and complaint in found[0],
                   f"{path}: not caught: {complaint}; said {found}")
    expect(any("nothing was checked in common/empty" in line for line in after),
           "a row without files is not caught")
    planted = tuple(path + ":" for path, _, _ in PLANTED)
    more = [line for line in after[:-1] if line not in before and
            not line.startswith(planted) and "common/empty" not in line]
    expect(not more, f"the plants disturb other files: {more}")


def check_nothing(root):
    (root / "tests/tidy").mkdir(parents=True)
    (root / "tests/tidy/floors.txt").write_text("# no rows\n")
    code, lines = tidy(root)
    expect(code == 1 and any("nothing was checked" in line for line in lines),
           "a folder without sources passes")


def archive(root, name, source):
    compiler = os.environ.get("CC", "cc")
    (root / f"{name}.c").write_text(source)
    subprocess.run([compiler, "-w", "-c", f"{name}.c", "-o", f"{name}.o"],
                   cwd=root, check=True)
    subprocess.run(["ar", "rc", f"{name}.a", f"{name}.o"], cwd=root, check=True)
    return root / f"{name}.a"


def pure(path, *more):
    return subprocess.run(["sh", PURE, path, *more], capture_output=True,
                          text=True, check=False)


def check_pure(root):
    calls = 'extern int {0}(void);\nint ss_f(void)\n{{\n    return {0}();\n}}\n'
    for name in ("clock_gettime", "socket", "pthread_create", "fopen", "getenv",
                 "realloc", "sqlite3_open", "zmq_send", "json_dumps"):
        done = pure(archive(root, name, calls.format(name)))
        expect(done.returncode == 1 and name in done.stdout,
               f"pure does not catch {name}: {done.stdout}")
    done = pure(root / "json_dumps.a", "json_[a-z_]*")
    expect(done.returncode == 0, f"pure refuses what is named: {done.stdout}")
    done = pure(archive(root, "fine", calls.format("ss_other")))
    expect(done.returncode == 0, f"pure refuses our own: {done.stdout}")
    done = pure(archive(root, "empty", "typedef int ss_nothing;\n"))
    expect(done.returncode == 1, "pure passes an archive that holds nothing")
    done = pure(root / "missing.a")
    expect(done.returncode == 1, "pure passes an archive that is not there")


def rules(root):
    done = subprocess.run([sys.executable, RULES, root], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout


BOOK = """# 1. Things
## 1.1 Names
<a id="R1.1"></a>R1.1 One.
<a id="R1.2"></a>R1.2 Two.
"""
PLACED = "| [R1.2](engine.md#R1.2) | [local/here.c](../../local/here.c) | `two` |\n"

# what is written beside a book of two rules, and the complaint expected
RULES_PLANTED = [
    ({}, None),
    ({"local/here.c": "// R1.1, spec/engine.md 1.1\nint two;\n",
      "docs/spec/README.md": "| [R1.2](engine.md#R1.2) | – | not there yet |\n"},
     None),
    ({"local/here.c": "// R1.1-R1.2\n", "docs/spec/README.md": ""}, None),
    ({"tests/there.c": "// R1.3\n"}, "tests/there.c:1: no rule is called R1.3"),
    ({"tests/there.c": "// spec/engine.md 1.2\n"},
     "spec/engine.md has no section 1.2"),
    ({"local/here.c": "int two;\n"}, "R1.1 has neither code"),
    ({"docs/spec/README.md": ""}, "R1.2 has neither code"),
    ({"local/here.c": "// R1.1 R1.2\nint two;\n"}, "its row can go"),
    ({"local/here.c": "// R1.1\nint three;\n"}, "local/here.c has no two"),
    ({"docs/spec/README.md": PLACED.replace("here", "gone")}, "no such file"),
    ({"docs/spec/README.md": PLACED * 2}, "R1.2 has two rows"),
    ({"docs/spec/README.md": PLACED.replace(" | `two` ", "")},
     "a row that cannot be read"),
    ({"docs/spec/README.md": PLACED.replace("`two`", "")},
     "what in this file follows the rule?"),
    ({"docs/spec/README.md": "| [R1.2](engine.md#R1.2) | – | why |\n"},
     "neither a place nor a reason"),
    ({"docs/spec/engine.md": "# 1. Things\n"}, "there are no rules"),
]


def check_rules(root):
    for number, (files, complaint) in enumerate(RULES_PLANTED):
        house = root / str(number)
        whole = {"docs/spec/engine.md": BOOK, "docs/spec/graph.md": "# 1. Graphs\n",
                 "docs/spec/README.md": PLACED,
                 "local/here.c": "// R1.1\nint two;\n"}
        whole.update(files)
        for path, text in whole.items():
            target = house / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        code, said = rules(house)
        if complaint is None:
            expect(code == 0, f"rules complains of {files}: {said}")
        else:
            expect(code == 1 and complaint in said,
                   f"rules does not say {complaint!r} of {files}: {said}")


# A small engine: b.c is above a.c. What the text of its files is, beside that.
HOUSE = {
    "coordinator/engine/engine.c": "// the step\nint engine(void) { return 0; }\n",
    "coordinator/engine/invariants.c": "// I1 it is small\n"
    "#define ss_invariant(n, c) (void)(c)\nvoid i(void) { ss_invariant(I1, 1); }\n",
    "coordinator/engine/engine.h": "struct event {\n    int a;\n};\n",
    "coordinator/engine/low/a.c": "int a(void) { return 1; }\n",
    "coordinator/engine/high/b.c": '#include "coordinator/engine/low/door.h"\n'
    "int a(void);\nint b(void) { return a(); }\n",
    "coordinator/engine/low/door.h": "int a(void);\n",
    "coordinator/engine/high/inner.h": "int a(void);\nint b(void);\n",
    "client/cmd_x.c": "int x;\n",
    "coordinator/shell.c": "int shell;\n",
    "tests/tidy/rooms.txt": "low : door.h\nhigh :\nengine : engine.h\n",
    "tests/tidy/figures.txt": "arrows-up 0 0 most\nfiles-in-one-circle 1 6 most\n"
    "names-in-a-door 1 40 most\nnames-in-a-header 2 30 most\nmembers-of-a-struct 1 30 most\n"
    "checks-in-1000-lines 111.1 20 least\nlines-of-engine.c 2 200 most\n"
    "repeats-in-commands 0 0 most\nlines-of-shell.c 1 300 most\n"
    "1000-lines-of-product 1 71 most\n",
}
UP = "int b(void);\nint a(void) { return b(); }\n"
EGG = "struct egg {\n    int c;\n};\n"
LOOKS = ("int a(void); struct egg_facts;\nint b(void) {{ return a(); }}\n"
         "void w({}struct egg_facts *it) {{ (void)it; }}\n")


# As the door shows it, on one line: as many lines as the house has.
BROOD = ("int hatched; struct nest { int f; }; struct egg { int c, *d; struct { int e; } in; "
         "struct nest *nest; } *egg; struct { struct egg *egg; } *hen; ")


def broods(body, where="high/b.c"):
    """`low` shows an egg and alone writes it, but for what points into `high`."""
    figures = HOUSE["tests/tidy/figures.txt"]
    for was, now in (("door 1", "door 2"), ("header 2", "header 3"),
                     ("struct 1", "struct 4")):
        figures = figures.replace(was, now)
    places = {
        "high/b.c": f"int a(void);\n{BROOD}\nint b(void) {{ {body} return a(); }}\n",
        "low/a.c": f"{BROOD} int a(void) {{ {body} return 1; }}\n",
        "engine.c": f"// the step\n{BROOD} int engine(void) {{ {body} return 0; }}\n"}
    return {"coordinator/engine/low/door.h": "int a(void);\nstruct egg {\n    int c, *d;\n"
            "    struct { int e; } in;\n    struct nest *nest;\n};\n",
            "coordinator/engine/high/inner.h":
            HOUSE["coordinator/engine/high/inner.h"] + "struct nest {\n    int f;\n};\n",
            "tests/tidy/figures.txt": figures,
            "tests/tidy/owned.txt": "low : (egg)\nhigh : nest\n",
            f"coordinator/engine/{where}": places[where]}


BENEATH = "pregel :\nlow : door.h\nhigh :\nengine : engine.h\n"
LINES = "".join(f"x{number} = f(y{number});\n" for number in range(7))
ROOMS_PLANTED = [
    ({}, None),
    ({"coordinator/engine/low/a.c": UP}, "a.c (low) calls up: b of b.c (high)"),
    ({"coordinator/engine/low/a.c": UP}, "files-in-one-circle got worse: 2"),
    ({"common/pregel/m.c": UP.replace("a(", "m("), "tests/tidy/rooms.txt": BENEATH},
     "m.c (pregel) calls up: b of b.c (high)"),
    ({"common/pregel/m.c": "int m(void) { return 1; }\n",
      "common/pregel/m.h": "int m(void);\n", "tests/tidy/rooms.txt": BENEATH,
      "coordinator/engine/low/a.c": '#include "common/pregel/m.h"\n'
      "int a(void) { return m(); }\n"}, "common/pregel/m.h is not a door of pregel"),
    ({"common/pregel/a.c": "int m(void) { return 1; }\n",
      "tests/tidy/rooms.txt": BENEATH}, "pregel has a file of that name, too"),
    ({"coordinator/engine/cellar/c.c": "int c;\n"}, "cellar is not a room"),
    ({"tests/tidy/rooms.txt": "low : door.h\nattic :\nhigh :\nengine : engine.h\n"},
     "there is no attic"),
    ({"tests/tidy/rooms.txt": "low : door.h way.h\nhigh :\nengine : engine.h\n"},
     "low has no way.h"),
    ({"tests/tidy/rooms.txt": "low :\nhigh :\nengine : engine.h\n"},
     "high/b.c: coordinator/engine/low/door.h is not a door of low"),
    ({"coordinator/shell.c": '#include "coordinator/engine/high/inner.h"\n'},
     "coordinator/shell.c: coordinator/engine/high/inner.h is not a door of high"),
    ({"tests/a_test.c": '#include "coordinator/engine/high/inner.h"\n'}, None),
    ({"coordinator/engine/low/door.h": "int a(void);\n" + EGG,
      "tests/tidy/owned.txt": "low : egg\n"},
     "low/door.h: struct egg is shown, whose members only low may know"),
    ({"coordinator/engine/low/yolk.h": EGG,
      "coordinator/engine/high/b.c": LOOKS.format("const "),
      "tests/tidy/owned.txt": "low : egg\n"}, None),
    ({"coordinator/engine/low/yolk.h": EGG,
      "coordinator/engine/high/b.c": LOOKS.format(""),
      "tests/tidy/owned.txt": "low : egg\n"},
     "high/b.c: struct egg_facts may be written here, which only low may"),
    ({"tests/tidy/owned.txt": "low : egg\n"}, "owned.txt: low has no struct egg"),
    ({"tests/tidy/owned.txt": "attic : egg\n"}, "owned.txt: there is no attic"),
    (broods("if (egg->c == a() && egg->d[0] != 1) return 2;"), None),
    (broods("egg->c = 1;"), "high/b.c: egg->c is written, which only low may"),
    (broods("hen->egg->c |= 1;"), "high/b.c: egg->c is written, which only low may"),
    (broods("egg->in.e++;"), "high/b.c: egg->in is written, which only low may"),
    (broods("--egg->c;"), "high/b.c: egg->c is written, which only low may"),
    (broods("int *it = &egg->in.e;"), "high/b.c: egg->in is written, which only low may"),
    (broods("int *it = &egg->d[0] - (&egg->nest->f == 0);"), None),
    (broods("egg->nest = 0;"), None),
    (broods("egg->c = 1;", "low/a.c"), None),
    (broods("egg->nest = 0;", "engine.c"),
     "engine.c: egg->nest is written, which only low may"),
    (broods("struct egg *mine = egg;"),
     "high/b.c: a pointer to struct egg has another name than egg"),
    ({"tests/tidy/owned.txt": "low : (egg)\n"}, "owned.txt: low shows no struct egg"),
    ({"coordinator/engine/low/door.h": "int a(void);\nint d(void);\n"},
     "names-in-a-door got worse: 2"),
    ({"coordinator/engine/high/b.c": "int b(void) { return 2; }\n"},
     "nothing was checked"),
    ({"coordinator/engine/high/inner.h": "int a(int (*)(void));\nint b(void);\n"
      "struct c {\n    int d;\n};\n"}, "names-in-a-header got worse: 3"),
    ({"coordinator/engine/high/inner.h": "static inline int a(void)\n{\n"
      "    return 1;\n}\nint b(void);\nint a(void);\n"}, None),
    ({"coordinator/engine/engine.h": "struct event {\n    int a, b;\n};\n"},
     "members-of-a-struct got worse: 2"),
    ({"common/wire/w.h": "struct message {\n    int a, b;\n};\n"},
     "members-of-a-struct got worse: 2"),
    ({"worker/w.def": "X(W)\n" * 1000}, "1000-lines-of-product got worse: 2"),
    ({"coordinator/engine/engine.h": "struct event {\n    struct {\n"
      "        int (*f)(int, int);\n    } g; // one, two\n};\n"}, None),
    ({"coordinator/engine/invariants.c": "int i;\n\n"},
     "checks-in-1000-lines got worse: 0.0"),
    ({"coordinator/engine/invariants.c": "// I1 it is small\nint i;\n\n"},
     "nobody looks at I1"),
    ({"coordinator/engine/invariants.c": "#define ss_invariant(n, c) (void)(c)\n"
      "void i(void) { ss_invariant(I2, 1); }\n"},
     "I2 is looked at, and not there"),
    ({"coordinator/engine/invariants.c": "// I1 it is small\n// I1 it is large\n"
      "void ss_invariant(int); void i(int I1) { ss_invariant(I1); }\n"},
     "I1 is there twice"),
    ({"coordinator/engine/engine.c": "// the step\n\nint engine;\n"},
     "lines-of-engine.c got worse: 3"),
    ({"coordinator/shell.c": "int shell;\n\n"},
     "lines-of-shell.c got worse: 2"),
    ({"client/cmd_y.c": LINES, "client/cmd_x.c": LINES.replace("f", "g")},
     "repeats-in-commands got worse: 6"),
    ({"tests/tidy/figures.txt": HOUSE["tests/tidy/figures.txt"].replace(
        "files-in-one-circle 1", "files-in-one-circle 3")},
     "files-in-one-circle is better: 1"),
    ({"tests/tidy/figures.txt": HOUSE["tests/tidy/figures.txt"].replace(
        "arrows-up 0 0 most\n", "")}, "arrows-up has no row"),
    ({"tests/tidy/figures.txt": HOUSE["tests/tidy/figures.txt"]
      + "charm 1 1 most\n"}, "nothing measures charm"),
]


def build_house(house):
    objects = []
    for path in sorted((house / "coordinator/engine").rglob("*.c")) + \
            sorted((house / "common/pregel").rglob("*.c")):
        objects.append(f"{path.name}.o")
        subprocess.run([os.environ.get("CC", "cc"), "-w", "-I", house, "-c", path,
                        "-o", house / objects[-1]], check=True)
    subprocess.run(["ar", "rc", "engine.a"] + objects, cwd=house, check=True)
    return house / "engine.a"


def check_rooms(root):
    for number, (files, complaint) in enumerate(ROOMS_PLANTED):
        house = root / str(number)
        for path, text in {**HOUSE, **files}.items():
            target = house / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        done = subprocess.run([sys.executable, ROOMS, build_house(house), house],
                              capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if complaint is None:
            expect(done.returncode == 0, f"rooms complains of {files}: {said}")
        else:
            expect(done.returncode == 1 and complaint in said,
                   f"rooms does not say {complaint!r} of {files}: {said}")


# One file of the product uses the other's, and a test uses it too.
USES = {
    "common/base/a.c": "int a(void) { return 1; }\n",
    "local/b.c": "int a(void);\nint main(void) { return a(); }\n",
    "tests/c_test.c": "int a(void);\nint c(void) { return a(); }\n",
    "local/include/superstep/b.h": "int public(void); // hidden\n",
}
SELF = "int s(void) { return 1; }\nint a(void) { return s(); }\n"
# what is written beside it, and the complaint expected
USED_PLANTED = [
    ({}, None),
    ({"common/base/a.c": "int a(void) { return 1; }\nint d; // of d\n"},
     "common/base/a.c: nobody uses d"),
    ({"common/base/a.c": SELF},
     "only common/base/a.c uses s: make it static"),
    ({"common/base/a.c": SELF,
      "tests/d_test.c": "int s(void);\nint d(void) { return s(); }\n"}, None),
    ({"local/b.c": "int main(void) { return 1; }\n"},
     "common/base/a.c: only tests use a"),
    ({"local/d.c": "int public(void) { return 1; }\n"}, None),
    ({"local/d.c": "int hidden(void) { return 1; }\n"},
     "local/d.c: nobody uses hidden"),
    ({"local/d.c": "static int d(void) { return 1; }\n"}, None),
    ({"local/d.h": "int d(void);\nstatic inline int e(void)\n{\n    return d();\n}\n",
      "local/d.c": "int d(void) { return 1; }\n"}, None),
    ({"local/d.h": "int d(void); // d\n",
      "local/d.c": "int d(void) { return 1; }\n"}, "local/d.c: nobody uses d"),
    ({"common/base/a.c": "", "local/b.c": ""}, "nothing was checked"),
]


def check_used(root):
    for number, (files, complaint) in enumerate(USED_PLANTED):
        house = root / str(number)
        for path, text in {**USES, **files}.items():
            target = house / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            if path.endswith(".c"):
                made = house / f"build/CMakeFiles/x.dir/{path}.o"
                made.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run([os.environ.get("CC", "cc"), "-w", "-c", target,
                                "-o", made], check=True)
        # of a file that is gone
        shutil.copy(house / "build/CMakeFiles/x.dir/tests/c_test.c.o",
                    house / "build/CMakeFiles/x.dir/local/e.c.o")
        done = subprocess.run([sys.executable, USED, house / "build", house],
                              capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if complaint is None:
            expect(done.returncode == 0, f"used complains of {files}: {said}")
        else:
            expect(done.returncode == 1 and complaint in said,
                   f"used does not say {complaint!r} of {files}: {said}")


WORDS = "# Words\n| word | what it means |\n|---|---|\n" \
    "| **run** | one |\n| **thread**, **strand** | many |\n"
HERE = "struct ss_run {\n    int a;\n};\n"
# what is written beside two rows of words, and the complaint expected
WORDS_PLANTED = [
    ({}, None),
    ({"local/more.h": "struct runs\n{\n    int a;\n};\n"
      "struct ss_strand_options {\n    struct strand *b;\n};\n"}, None),
    ({"local/here.c": "struct ss_rope {\n    int a;\n};\n"}, None),
    ({"local/more.h": "// struct ss_rope {\nstruct rope;\n"}, None),
    ({"docs/GLOSSARY.md": WORDS + "## More\n| word | |\n|---|---|\n"
      "| **alas** | one |\n"}, None),
    ({"worker/a/more.h": "\nstruct ss_run_rope {\n    int a;\n};\n"},
     "worker/a/more.h:2: struct ss_run_rope: the glossary does not explain "
     "rope"),
    ({"local/more.h": "struct a {\n    struct rope {\n    } b;\n};\n"},
     "does not explain rope"),
    ({"docs/GLOSSARY.md": WORDS + "| **tie**, **run** | again |\n"},
     "docs/GLOSSARY.md:6: run is explained in line 4"),
    ({"docs/GLOSSARY.md": WORDS + "| **ox** | an animal |\n"},
     "ox belongs before thread"),
    ({"docs/GLOSSARY.md": "# Words\n"}, "no word is explained"),
    ({"local/here.h": "int a;\n"}, "no header of the product has a struct"),
]


def check_glossary(root):
    for number, (files, complaint) in enumerate(WORDS_PLANTED):
        house = root / str(number)
        whole = {"docs/GLOSSARY.md": WORDS, "local/here.h": HERE}
        whole.update(files)
        for path, text in whole.items():
            target = house / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        done = subprocess.run([sys.executable, GLOSSARY, house],
                              capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if complaint is None:
            expect(done.returncode == 0, f"glossary complains of {files}: {said}")
        else:
            expect(done.returncode == 1 and complaint in said,
                   f"glossary does not say {complaint!r} of {files}: {said}")


def main():
    for check in (check_planted, check_nothing, check_pure, check_rules,
                  check_rooms, check_used, check_glossary):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            if check is check_planted:
                copy_of_sources(root)
            check(root)
    for failure in failures:
        print(failure)
    print(f"{len(PLANTED)} plants, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
