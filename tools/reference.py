#!/usr/bin/env python3
"""reference - makes the pages of docs/reference that come from the source.

usage: reference.py           write them
       reference.py --check   say which differ from what would be written

One page for each public header: its text, then each declaration with its comment. A
page each for the codes of errors, for what waits for the disk, and for the
commands and programs with their options; and in the page of requests, which is
written by hand, the table. The source is the one place to edit.
"""

import difflib
import math
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/reference"
HEADERS = {
    "superstep": ("worker/include/superstep/superstep.h",
                  "write graphs: keys, nodes, edges, and what a body may do"),
    "client": ("client/include/superstep/client.h",
               "ask a coordinator from a program of your own"),
    "local": ("local/include/superstep/local.h",
              "run graphs inside a process, for tests and small tools"),
}
PROGRAMS = {"COORDINATOR": "coordinator/main.c",
            "WORKER": "worker/worker_main.c"}
SETTINGS = "common/app/config.def"
BOUNDS = "common/app/limits.h"
WIDTH = 120
WHOLE = ("|", "#", "<", "    ")  # tables, headings, HTML and code stay


def made_from(*sources):
    links = ", ".join(f"[{s}](../../{s})" for s in sources)
    return (f"<!-- Made by tools/reference.py. Edit its source, not this "
            f"page. -->\n\nMade from {links}.\n")


# ---------------------------------------------------------------------- text

CODE = re.compile(
    r"(?<![\w/])(?:(?:ss|json|SS)_\w+(?:\((?:[^()]|\([^()]*\))*\);?)?"
    r"|ret_\w+|superstep COMMAND[^.]*?--help)(?![\w.]\w)")


def paragraph(lines):
    parts = re.split(r"(`[^`]*`)", "\n".join(lines))
    for i in range(0, len(parts), 2):
        pieces = re.split(f"({CODE.pattern})", parts[i])
        for j in range(0, len(pieces), 2):
            pieces[j] = pieces[j].replace("<", "&lt;")
            pieces[j] = pieces[j].replace('"*"', '"\\*"')
        for j in range(1, len(pieces), 2):
            pieces[j] = f"`{pieces[j]}`"
        parts[i] = "".join(pieces)
    return "".join(parts)


def wrapped(text):
    """Paragraphs in lines of WIDTH; a name in backticks is not broken."""
    out, is_code = [], False
    for line in text.split("\n"):
        is_code ^= line.startswith("```")
        if is_code or len(line) <= WIDTH or line.startswith(WHOLE):
            out.append(line)
            continue
        line = re.sub("`[^`]*`", lambda m: m[0].replace(" ", "\0"), line)
        out += [part.replace("\0", " ") for part in textwrap.wrap(
            line, WIDTH, subsequent_indent="  " * line.startswith("- "),
            break_long_words=False, break_on_hyphens=False)]
    return "\n".join(out)


def prose(lines):
    """Comment lines as Markdown: names in backticks, what is indented as
    code."""
    out, plain = [], []
    for line in list(lines) + [None]:
        if line and not line.startswith("    "):
            plain.append(line)
            continue
        if plain:
            out.append(paragraph(plain))
            plain = []
        if line is not None:
            out.append(line)
    return "\n".join(out)


# ------------------------------------------------------------------- headers

def body_of(path):
    """The lines between the include guard and its end."""
    lines = (ROOT / path).read_text().split("\n")
    start = next(i for i, line in enumerate(lines)
                 if line.startswith("#ifndef "))
    intro = [line[3:] for line in lines[:start]]
    end = max(i for i, line in enumerate(lines) if line == "#endif")
    rest, skip = [], False
    for line in lines[start + 2:end]:
        if line == "#ifdef __cplusplus":
            skip = True
        elif skip and line == "#endif":
            skip = False
        elif not skip and not line.startswith("#include"):
            rest.append(line)
    return intro, rest


def declaration(lines, at):
    """The declaration that begins at `at`, and where it ends."""
    end = at
    if lines[at].startswith("#"):
        while lines[end].endswith("\\"):
            end += 1
        return lines[at:end + 1], end + 1
    depth = 0
    while True:
        code = re.sub(r'//.*|"[^"]*"', "", lines[end])
        depth += sum(code.count(c) for c in "({[")
        depth -= sum(code.count(c) for c in ")}]")
        end += 1
        if depth == 0 and code.rstrip().endswith(";"):
            return lines[at:end], end


def names_of(code):
    text = re.sub(r"//.*", "", "\n".join(code))
    if text.startswith("#define"):
        return [re.match(r"#define (\w+)", text).group(1)]
    tag = re.match(r"(struct|enum) (\w+)\s*[{;]", text)
    if tag:
        return [f"{tag.group(1)} {tag.group(2)}"]
    if re.match(r"enum\s*{", text):
        return re.findall(r"\bSS_\w+", text)
    return [re.search(r"(\w+)\(", text).group(1)]


def groups(lines):
    """("section", title), ("text", comment) or ("code", comment, code, names)
    for each part of a header."""
    comment, at = [], 0
    while at < len(lines):
        line = lines[at]
        title = re.match(r"// -{10,} ?(.*)", line)
        if title or not line.strip():
            if comment:
                yield "text", comment
            comment = []
            if title:
                yield "section", title.group(1)
            at += 1
        elif line.startswith("//"):
            comment.append(line[3:])
            at += 1
        else:
            code, names = [], []
            while at < len(lines) and lines[at].strip() \
                    and not lines[at].startswith("//"):
                piece, at = declaration(lines, at)
                found = names_of(piece)
                if not all(name.endswith("_") for name in found):
                    code += piece
                    names += found
            if code:
                yield "code", comment, code, names
            comment = []
    if comment:
        yield "text", comment


def header_page(name):
    path, _ = HEADERS[name]
    intro, lines = body_of(path)
    title = intro[0].split(" - ", 1)
    out = [f"# {title[0]}: {title[1].rstrip('.')}\n", made_from(path),
           prose(intro[1:]).strip("\n") + "\n"]
    index, parts = [], []
    for kind, *group in groups(lines):
        if kind == "section":
            parts.append(f"## {group[0].capitalize()}\n")
        elif kind == "text":
            parts.append(prose(group[0]) + "\n")
        else:
            comment, code, names = group
            index += names
            ids = [name.replace(" ", "-") for name in names]
            parts.append("".join(f'<a id="{i}"></a>' for i in ids) + "\n")
            parts.append(f"### {', '.join(dict.fromkeys(names))}\n")
            if comment:
                parts.append(prose(comment) + "\n")
            parts.append("```c\n" + "\n".join(code) + "\n```\n")
    links = ", ".join(
        f"[{name}](#{name.replace(' ', '-')})"
        for name in sorted(index, key=lambda n: (n.split()[-1], n)))
    out += [f"**All names:** {links}\n"] + parts
    return "\n".join(out)


# -------------------------------------------------------------------- tables

def table_rows(path, pattern):
    """(comment before it or None, fields) of each X(...) in a table."""
    comment = []
    for line in (ROOT / path).read_text().split("\n"):
        if line.startswith("//"):
            comment.append(line[3:])
        row = re.match(pattern, line)
        if row:
            yield comment, row.groups()
            comment = []


def errors_page():
    source = "common/base/status.def"
    out = ["# Errors: codes\n", made_from(source),
           "Every error has a code to compare and a message for people. The "
           "code is the same in\nanswers (`{\"error\": {\"code\", "
           "\"message\"}}`), in `ss_client_error` and `ss_local_error`,\nin "
           "the state of a thread and on the protocol. The message names what "
           "is wrong and where;\nits words may change, the code does not.\n"]
    first = True
    for comment, row in table_rows(
            source, r'X\(\w+, -?\d+, "(\w+)", "([^"]*)"\)'):
        if first or comment:
            title = "What may happen to any request" if first \
                else prose(comment)
            out.append(f"{title}\n" if first else f"\n{title}\n")
            out.append("| code | what it means |\n|---|---|")
        first = False
        out.append(f"| `{row[0]}` | {row[1]} |")
    return "\n".join(out) + "\n"


def gate_page():
    source = "coordinator/engine/threads/gate.def"
    rows = list(table_rows(source, r"X\((\w+), (\d), (\d), (\d)\)"))
    text = " ".join(rows[0][0]).split("it does not wait. ")[1]
    meaning = {"DISPATCH": "a task goes to a worker",
               "VALUES": "an event `values`",
               "UPDATES": "an event `updates`",
               "TASKS": "an event `tasks`",
               "CHECKPOINTS": "an event `checkpoints`",
               "DEBUG": "an event `debug`",
               "LIVE": "what a running attempt shows: `custom`, `messages`",
               "PROGRESS": "an event `progress`",
               "ACCEPTED": "the first answer to `run`: it is accepted",
               "REPLY": "a final answer",
               "READ": "an answer about state or history",
               "SETTLED": "a worker may forget a result"}
    out = ["# What waits for the disk\n", made_from(source),
           "\"waits\": until the row of the journal that it rests on is "
           "durable. " + prose([text]) + "\n",
           "| | `sync` | `async` | `exit` |\n|---|---|---|---|"]
    for _, (what, *waits) in rows:
        cells = " | ".join("waits" if int(w) else "-" for w in waits)
        out.append(f"| {meaning[what]} | {cells} |")
    return "\n".join(out) + "\n"


def metrics_page():
    source = "common/app/metrics.def"
    kinds = {"COUNTER": "counter", "GAUGE": "gauge", "TIMES": "histogram",
             "LIMITS": "gauge by `limit`"}
    text = (ROOT / source).read_text()
    row = re.compile(r'X\((\w+),\s*(\w+),\s*"(\w+)",\s*"(\w+)",\s*(\w+),'
                     r'\s*((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)\)')
    rows = row.findall(text)
    assert len(rows) == len(re.findall(r"^X\(", text, re.M)), source
    out = ["# Metrics\n", made_from(source),
           "What `superstep-coordinator --metrics ADDR:PORT` and "
           "`superstep-worker --metrics ADDR:PORT` serve at `/metrics`, in "
           "Prometheus' format. `/ready` there answers 200, or 503 and why "
           "the process cannot do its work, and so does `/health`; `/live` "
           "answers 503 only when a restart helps. `superstep health "
           "ADDR:PORT` asks for them.\n"]
    for who in ("COORDINATOR", "WORKER"):
        out.append(f"## Of a {who.lower()}\n")
        for _, kind, name, unit, of, line, more in rows:
            if of != who:
                continue
            line, more = ("".join(re.findall(r'"([^"]*)"', text))
                          for text in (line, more))
            out.append(f"**`{name}`** ({kinds[kind]}, {unit}): {line} {more}\n")
    return "\n".join(out)


# ------------------------------------------------------------------ requests

REQUESTS = "common/model/requests.def"


def keys_of(cell):
    """`thread` text, `limit`? int: the K(...) and O(...) of a row."""
    keys = []
    for must, key, kind, note in re.findall(
            r'([KO])\((\w+), (\w+),\s*"([^"]*)"\)', cell):
        note = f" ({note})" if note else ""
        keys.append(f"`{key}`{'' if must == 'K' else '?'} {kind.lower()}{note}")
    assert len(keys) == len(re.findall(r"\b[KO]\(", cell)), cell
    return ", ".join(keys)


def requests_table():
    text = re.split(r"^R\(", (ROOT / REQUESTS).read_text(), flags=re.M)[1:]
    out = ["| op | | body | final answer |\n|---|---|---|---|"]
    for row in text:
        head, _, answer = row.partition(")\n//")
        fields = re.match(r'\w+, (\w+), (\w+), (\w+), (\w+),\s*"([^"]*)",'
                          r"\s*(.*)$", head, re.S)
        assert fields and answer, row
        op, who, repeat, _, line, keys = fields.groups()
        marks = [mark for mark, there in (
            ("operators", who == "OPERATORS"), ("once", repeat == "ONCE"))
            if there]
        answer = " ".join(part.strip() for part in answer.split("\n//"))
        name = f"`{op}`" + (f" ({', '.join(marks)})" if marks else "")
        out.append(f"| {name} | {line} | {keys_of(keys)} | {answer} |")
    return "\n".join(out) + "\n"


def requests_page():
    """The page is written by hand, except for the table."""
    name = "requests.md"
    there = (PAGES / name).read_text()
    begin = f"<!-- The table is made from {REQUESTS}. -->\n"
    end = "<!-- So far. -->\n"
    before, found, rest = there.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"reference: {name} does not say where its table stands")
    return f"{before}{begin}\n{requests_table()}\n{end}{after}"


# ------------------------------------------------------------------ commands

def defines():
    """Names of texts that stand in the help of options."""
    found = {}
    path = "client/include/superstep/client.h"
    for name, text in re.findall(
            r'#define (SS_\w+)\s+"([^"]*)"', (ROOT / path).read_text()):
        found[name] = text
    return found


TOKEN = re.compile(r'//[^\n]*|"((?:[^"\\]|\\.)*)"|\'(.)\'|[\w.]+|\S')


def tokens(text):
    """Words and marks; adjacent text literals as one ("text", ...)."""
    known = defines()
    out = []
    for match in TOKEN.finditer(text):
        word = match.group(0)
        if word.startswith("//"):
            continue
        literal = match.group(1)
        if word in known:
            literal = known[word]
        if literal is not None:
            literal = re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n"
                             else m.group(1), literal)
            if out and out[-1][0] == "text":
                out[-1] = ("text", out[-1][1] + literal)
            else:
                out.append(("text", literal))
        elif match.group(2):
            out.append(("text", match.group(2)))
        else:
            out.append(("word", word))
    return out


def text_named(name, source):
    """What `static const char NAME[] = "...";` says, or None."""
    there = re.search(rf'char {re.escape(name)}\[\] =(.*?");\n', source, re.S)
    return tokens(there.group(1))[0][1] if there else None


def initialiser(items, source=""):
    """{field: text or word} of tokens `.field = value, ...`. A text rules; a
    name of one in the source is looked up."""
    values, name = {}, None
    for kind, text in items:
        if kind == "word" and re.match(r"\.[a-z]", text):
            name = text[1:]
            values[name] = []
        elif name and not (kind == "word" and text in "=,{};"):
            values[name].append((kind, text))
    fields = {}
    for name, value in values.items():
        texts = [text for kind, text in value if kind == "text"]
        word = value[0][1] if value else ""
        if texts:
            fields[name] = texts[0]
        elif word and text_named(word, source):
            fields[name] = text_named(word, source)
        elif word != "NULL":
            fields[name] = word
    return fields


def braces(text, start):
    """What stands in the braces that open at or after `start`."""
    at = text.index("{", start)
    depth, i, quoted = 0, at, False
    while True:
        char = text[i]
        if char == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (char == "{") - (char == "}")
        i += 1
        if depth == 0:
            return text[at + 1:i - 1]


def options_in(block):
    depth, item, items = 0, [], []
    for token in tokens(block):
        if token == ("word", "{"):
            depth += 1
            item = []
        elif token == ("word", "}"):
            depth -= 1
            items.append(initialiser(item))
        elif depth:
            item.append(token)
    return [i for i in items if "name" in i]


def options_table(options):
    shown = [o for o in options if o["kind"] != "SS_ARG_REST"]
    if not shown:
        return ""
    out = ["| option | |\n|---|---|"]
    for option in shown:
        name = f"--{option['name']}"
        if "value" in option:
            name += " " + option["value"]
        if option.get("letter", "0") != "0":
            name = f"-{option['letter']}, {name}"
        name = name.replace("|", "\\|")
        text = prose([option.get("help", "").replace("\n", " ")])
        out.append(f"| `{name}` | {text.replace('|', chr(92) + '|')} |")
    return "\n".join(out) + "\n"


def bounds():
    """The numbers of limits.h by name."""
    text = (ROOT / BOUNDS).read_text()
    return {name: math.prod(int(n) for n in number.split("*"))
            for name, number in re.findall(r"(SS_\w+) = ([\d* ]+),", text)}


def settings(program):
    """The rows of a program in config.def, a dict each."""
    names = ("kind", "field", "name", "letter", "env", "initial", "unit",
             "min", "max", "value", "secrecy", "help", "more")
    known = bounds()
    text = (ROOT / SETTINGS).read_text()
    text = re.sub(r"^//.*$", "", text, flags=re.M)
    for row in re.findall(r"^X\((.*?)\)$", text, re.M | re.S):
        cells = [""]
        for kind, word in tokens(row):
            if (kind, word) == ("word", ","):
                cells.append("")
            else:
                cells[-1] += word
        of, *cells = cells
        assert len(cells) == len(names), row
        option = dict(zip(names, cells))
        option |= {key: known.get(option[key], option[key])
                   for key in ("min", "max")}
        option |= {key: None for key in ("letter", "initial", "value")
                   if option[key] in ("0", "NULL", "false", "{0}")}
        if of == program:
            yield {key: cell for key, cell in option.items()
                   if cell is not None}


def as_option(setting):
    """As --help shows it, with the default."""
    initial = " ".join(word for word in (
        setting.get("initial"), setting["unit"]) if word)
    text = setting["help"]
    if "initial" in setting:
        text += f" ({initial})"
    return dict(setting, help=text, kind="SS_ARG_" + setting["kind"])


# Tables that go on in another one: what ends them, and where that stands.
PARTS = {"SS_CMD_INBOX_OPTIONS": "client/cmd_lists.c",
         "SS_FOREIGN_OPTIONS": "client/cli/foreign.c",
         "SS_SCOPE_OPTIONS": "client/cli/scope.c",
         "SS_TERMS_OPTIONS": "client/cli/terms.c"}
SHAPES = "client/cli/options.h"
COMMANDS = "client/commands.def"


def shapes():
    """The macros that rows are made of: (parameters, text) by name."""
    text = (ROOT / SHAPES).read_text().replace("\\\n", " ")
    return {name: ([p.strip() for p in parameters.split(",")], body)
            for name, parameters, body in re.findall(
                r"^#define (\w+)\(([^)]*)\)(.*)$", text, re.M)}


def arguments(text, at):
    """What stands between commas from the bracket at `at`, and where it ends."""
    depth, quoted, parts = 0, False, [""]
    while True:
        char = text[at]
        if char == '"' and text[at - 1] != "\\":
            quoted = not quoted
        if not quoted:
            depth += (char in "({") - (char in ")}")
            if depth == 0:
                return [part.strip() for part in parts], at + 1
            if char == "," and depth == 1:
                parts.append("")
                at += 1
                continue
        if not (depth == 1 and char == "(" and parts == [""]):
            parts[-1] += char
        at += 1


def expanded(block, known):
    """The text with the macros of rows expanded."""
    while True:
        found = re.search(r"\b(" + "|".join(known) + r")\(", block)
        if not found:
            return block
        values, end = arguments(block, found.end() - 1)
        parameters, body = known[found[1]]
        assert len(values) == len(parameters), found[0]
        body = re.sub(r"\b(" + "|".join(parameters) + r")\b",
                      lambda m: values[parameters.index(m[1])], body)
        block = block[:found.start()] + body + block[end:]


def options_named(table, text):
    """The options of the table of that name in a file."""
    start = re.search(rf"struct ss_arg {table}\[\] =", text).start()
    block = expanded(braces(text, start), shapes())
    options = options_in(block)
    for part in re.findall(r"\bSS_\w+_OPTIONS\b", block):
        if part != "SS_CLI_OPTIONS":  # of every command: said once
            options += options_named(
                part.lower(), (ROOT / PARTS[part]).read_text())
    return options


def commands():
    """The rows of commands.def, a dict each."""
    names = ("name", "group", "asks", "completes", "usage", "summary", "about")
    text = re.sub(r"^//.*$", "", (ROOT / COMMANDS).read_text(), flags=re.M)
    for row in re.split(r"^X\(", text, flags=re.M)[1:]:
        cells = [""]
        for kind, word in tokens(row.rstrip()[:-1]):
            if (kind, word) == ("word", ","):
                cells.append("")
            else:
                cells[-1] += word if word != "NULL" else ""
        assert len(cells) == len(names), row
        yield dict(zip(names, cells))


def command_part(command):
    name = command["name"]
    table = f"ss_cmd_{name}_options"
    text = next(text for path in sorted((ROOT / "client").glob("cmd_*.c"))
                if f"{table}[]" in (text := path.read_text()))
    usage = f"superstep {name} {command['usage']}".strip()
    summary = command["summary"]
    out = [f"## {name}\n", f"    {usage}\n",
           prose([summary[0].upper() + summary[1:] + "."]) + "\n"]
    if command["about"]:
        out.append(prose(command["about"].split("\n")) + "\n")
    out.append(options_table(options_named(table, text)))
    return "\n".join(part for part in out if part)


def program_part(program):
    text = (ROOT / PROGRAMS[program]).read_text()
    args = initialiser(tokens(braces(
        text, re.search(r"struct ss_args (\w+) =", text).start())), text)
    options = [as_option(setting) for setting in settings(program)]
    out = [f"## {args['program']}\n",
           f"    {args['program']} {args.get('usage', '[options]')}\n",
           prose(args["about"].split("\n")) + "\n", options_table(options)]
    if "footer" in args:
        out.append(prose(args["footer"].strip().split("\n")) + "\n")
    return "\n".join(part for part in out if part)


def commands_page():
    rows = list(commands())
    names = [row["name"] for row in rows]
    footer = text_named(
        "exit_text", (ROOT / "client/cli/cli.c").read_text())
    out = ["# Commands and programs\n",
           made_from(COMMANDS, "client", SETTINGS, *PROGRAMS.values()),
           "    superstep [--coordinator EP] [--json] COMMAND [options]\n",
           ", ".join(f"[{n}](#{n})" for n in names) + ". The programs: "
           + ", ".join(f"[{p}](#{p})" for p in
                       ("superstep-coordinator", "superstep-worker")) + ".\n",
           "Every command takes\n", options_table(
               [as_option(setting) for setting in settings("CLIENT")])]
    out.append(prose(footer.split("\n")) + "\n")
    out += [command_part(row) for row in rows]
    out += [program_part(program) for program in PROGRAMS]
    return "\n".join(out)


KINDS = {"TEXT": "text", "INT": "whole number", "FLAG": "switch",
         "LIST": "list, with commas"}


def setting_part(setting):
    name = f"--{setting['name']} {setting.get('value', '')}".strip()
    unit = f" {setting['unit']}" if setting["unit"] else ""
    facts = [KINDS[setting["kind"]]]
    if setting["kind"] == "INT":
        facts.append(f"{setting['min']} to {setting['max']}{unit}")
    if "initial" in setting:
        facts.append(f"default `{setting['initial']}`{unit}")
    if setting["secrecy"] == "SECRET":
        facts.append("secret")
    variable = f"`{setting['env']}`; " if setting["env"] else ""
    line = prose([setting["help"][0].upper() + setting["help"][1:] + "."])
    return (f"**`{name}`** ({variable}{'; '.join(facts)}): {line} "
            f"{prose([setting['more']])}\n")


def configure_page():
    out = ["# Configure\n", made_from(SETTINGS, BOUNDS),
           "Every setting is an option. It can also be set in the "
           "environment, or in a file: the variable with `_FILE` behind its "
           "name then names the file. Use a file for what is secret, such as "
           "a DSN with a password. The command line overrules the "
           "environment. In the environment a switch is 1 or 0.\n",
           "A value that is not possible is refused at the start; the message "
           "says what the value was, where it was set, and what is possible. "
           "A variable that begins with `SUPERSTEP_` and is not a setting "
           "causes a warning, which names the nearest setting.\n",
           "This shows what a running cluster is set to, and where each value "
           "came from (`flag`, `environment`, `file` or `default`; the value "
           "of a secret is not shown):\n", "    $ superstep show config\n"]
    for name, program in (("superstep-coordinator", "COORDINATOR"),
                          ("superstep-worker", "WORKER"),
                          ("superstep", "CLIENT")):
        out.append(f"## {name}\n")
        if program == "CLIENT":
            out.append("What every command takes. The rest: "
                       "[commands](../reference/commands.md).\n")
        out += [setting_part(setting) for setting in settings(program)]
    return "\n".join(out)


# ---------------------------------------------------------------------- pages

def index_page(pages):
    out = ["# Reference\n",
           "<!-- Made by tools/reference.py. -->\n",
           "| page | |\n|---|---|"]
    rows = {f"{name}.md": about for name, (_, about) in HEADERS.items()}
    rows |= {"commands.md": "the `superstep` command and the programs, with "
                            "their options",
             "errors.md": "the codes of errors",
             "gate.md": "what waits for the disk, by durability",
             "metrics.md": "what processes measure of themselves",
             "requests.md": "what a client asks, and what is answered "
                            "(the table is made)",
             "protocol.md": "for workers and clients in other languages "
                            "(written by hand)"}
    missing = [p for p in pages if p not in rows and "/" not in p]
    if missing:
        sys.exit(f"reference: the index does not tell of {missing}")
    out += [f"| [{page}]({page}) | {about} |" for page, about in rows.items()]
    return "\n".join(out) + "\n"


def roff(text):
    """A line of text as roff takes it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text)


# What whatis(1) and apropos(1) say of the programs.
ABOUT = {
    "superstep-coordinator": "plan, apply and keep the supersteps of durable graphs",
    "superstep-worker": "run the nodes of an application's durable graphs"}


def man_page(name, summary, markdown):
    """A page of the manual from one of ours. Lines of code are filled as others are,
    so that they fit every terminal, but each begins a line. No word is divided: it
    may be a name to copy."""
    out = [f'.TH {name.upper()} 1 "" "superstep" "Superstep"', ".nh", ".ad l",
           ".SH NAME", f"{roff(name)} \\- {roff(summary)}", ".SH SYNOPSIS"]
    for line in markdown.split("\n"):
        line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line).replace("`", "")
        cells = [cell.strip().replace("\\|", "|")
                 for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        if line.startswith(("<!--", "Made from ")) or re.match(r"^\|[-| ]*$", line) or \
                cells[0] == "option":
            continue
        if line.startswith("## "):
            if line[3:] != name:
                out += [".SH " + roff(line[3:].upper())]
        elif line.startswith("    "):
            out += [".RS 4", roff(line.strip()), ".RE"]
            if ".SH DESCRIPTION" not in out:
                out += [".SH DESCRIPTION"]
        elif line.startswith("|") and any(cells):
            out += [".TP", ".B " + roff(cells[0]), roff(" ".join(cells[1:]))]
        elif not line.startswith("#"):
            out += [roff(line) if line.strip() else ".PP"]
    others = sorted({"superstep", *ABOUT} - {name})
    return "\n".join(out + [".SH SEE ALSO", ",\n".join(
        f".BR {roff(other)} (1)" for other in others)])


def man_pages():
    parts = {program: program_part(program) for program in PROGRAMS}
    pages = {f"../man/{name}.1": man_page(name, ABOUT[name], text)
             for part in parts.values()
             for name, text in [(part.split("\n")[0][3:], part)]}
    commands = re.split(r"(?m)^(?=## superstep-)", commands_page())[0]
    pages["../man/superstep.1"] = man_page(
        "superstep", "run durable graphs, follow them, look at their state",
        commands)
    return pages


def all_pages():
    pages = {f"{name}.md": header_page(name) for name in HEADERS}
    pages["errors.md"] = errors_page()
    pages["gate.md"] = gate_page()
    pages["metrics.md"] = metrics_page()
    pages["commands.md"] = commands_page()
    pages["requests.md"] = requests_page()
    pages["../operating/configure.md"] = configure_page()
    pages["README.md"] = index_page(pages)
    texts = {name: re.sub(r"\n{3,}", "\n\n", text).rstrip("\n")
             for name, text in pages.items()}
    return {name: wrapped(text) + "\n" for name, text in texts.items()} | {
        name: text + "\n" for name, text in man_pages().items()}


def check(pages):
    stale = 0
    for name, text in pages.items():
        path = PAGES / name
        there = path.read_text() if path.exists() else ""
        if there == text:
            continue
        stale += 1
        lines = list(difflib.unified_diff(
            there.split("\n"), text.split("\n"), f"docs/reference/{name}",
            "as the source says", lineterm="", n=1))
        print("\n".join(lines[:40]))
    if stale:
        print(f"{stale} pages are not as the source says: "
              "run tools/reference.py and commit what it writes")
    return 1 if stale else 0


def main():
    pages = all_pages()
    if sys.argv[1:] == ["--check"]:
        sys.exit(check(pages))
    if sys.argv[1:]:
        sys.exit(__doc__)
    for name, text in pages.items():
        (PAGES / name).write_text(text)


if __name__ == "__main__":
    main()
