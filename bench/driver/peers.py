"""Other systems that do this job: how each is installed and asked.

Everything lands below build/bench-peers. What cannot be had is named with the
reason, and the rest goes on.
"""

import json
import os
import pathlib
import shutil
import subprocess

from harness import ROOT
from ours import turn_figures
from place import line_of, output_of

FOLDER = pathlib.Path(
    os.environ.get("SS_BENCH_PEERS", ROOT / "build/bench-peers"))
HOME = ROOT / "bench/peers"
NEOGRAPH = "https://github.com/fox1245/NeoGraph"
NEOGRAPH_COMMIT = "3f37a2c333640e81c8220977c65975484a61a21a"
NEOGRAPH_OFF = ("ASYNC", "LLM", "MCP", "A2A", "ACP", "UTIL", "POSTGRES",
                "SQLITE", "EXAMPLES")
INSTALL_S, FETCH_S, MEASURE_S = 1500, 120, 240
JS_GRAPHS = ("chain", "fanout", "loop", "sends", "sequential_10",
             "sequential_1000")


class Absent(Exception):
    """Why a peer is not here."""


def last_words(error):
    output = getattr(error, "stderr", None) or getattr(error, "output", None)
    lines = [line.strip() for line in str(output or error).splitlines()
             if line.strip()]
    return (lines or [type(error).__name__])[-1][:160]


def run(*command, seconds=INSTALL_S, **options):
    subprocess.run([str(word) for word in command], check=True, text=True,
                   capture_output=True, timeout=seconds,
                   stdin=subprocess.DEVNULL, **options)


class Peers:
    """Installs each when it is first asked for."""

    def __init__(self, say):
        self.say = say
        self.found = {}

    def get(self, name):
        """What starts it, or Absent."""
        if name not in self.found:
            self.say(f"installing {name} in {FOLDER.relative_to(ROOT)}"
                     if FOLDER.is_relative_to(ROOT) else f"installing {name}")
            try:
                FOLDER.mkdir(parents=True, exist_ok=True)
                self.found[name] = INSTALL[name]()
            except (OSError, subprocess.SubprocessError) as error:
                self.found[name] = Absent(
                    f"cannot be installed here: {last_words(error)}")
                self.say(f"    {self.found[name]}")
        if isinstance(self.found[name], Absent):
            raise self.found[name]
        return self.found[name]

    def why_not(self, name):
        try:
            self.get(name)
        except Absent as absent:
            return str(absent)
        return None

    def versions(self):
        """Of those that are here."""
        told = {}
        for name, found in self.found.items():
            if not isinstance(found, Absent):
                told |= VERSIONS[name](found)
        return told


# --- installing ---------------------------------------------------------------


def is_current(marker, wanted):
    return marker.exists() and marker.read_text() == wanted


def install_python():
    """A Python of its own with what requirements.txt pins."""
    wanted = (HOME / "requirements.txt").read_text()
    venv, marker = FOLDER / "python", FOLDER / "python/installed"
    if not is_current(marker, wanted):
        run("python3", "-m", "venv", venv)
        run(venv / "bin/pip", "install", "-q", "-r", HOME / "requirements.txt")
        marker.write_text(wanted)
    return venv / "bin/python"


def install_js():
    """node with what package.json pins. Its SQLite saver needs a module that is
    compiled when it is installed: no script is run here, so it is left out."""
    wanted = (HOME / "package.json").read_text()
    folder = FOLDER / "js"
    marker = folder / "installed"
    if not shutil.which("npm"):
        raise OSError("there is no npm")
    if not is_current(marker, wanted):
        folder.mkdir(exist_ok=True)
        shutil.copy(HOME / "package.json", folder)
        run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
            cwd=folder)
        marker.write_text(wanted)
    shutil.copy(HOME / "langgraph_peer.mjs", folder)
    return folder / "langgraph_peer.mjs"


def install_neograph():
    """Its own benchmark, of a pinned commit. SS_BENCH_NEOGRAPH: where a copy of
    its repository is, in place of the address that it is published at."""
    source, build = FOLDER / "neograph", FOLDER / "neograph/bench-build"
    if not source.exists():
        run("git", "clone", "-q", os.environ.get("SS_BENCH_NEOGRAPH", NEOGRAPH),
            source, seconds=FETCH_S)
    run("git", "-C", source, "checkout", "-q", NEOGRAPH_COMMIT)
    if not (build / "bench_neograph").exists():
        run("cmake", "-S", source, "-B", build, "-G", "Ninja",
            "-DCMAKE_BUILD_TYPE=Release", "-DNEOGRAPH_BUILD_BENCHMARKS=ON",
            "-DNEOGRAPH_USE_LIBCURL=OFF",
            *(f"-DNEOGRAPH_BUILD_{part}=OFF" for part in NEOGRAPH_OFF))
        run("cmake", "--build", build, "--target", "bench_neograph")
    return build / "bench_neograph"


def python_versions(python):
    text = subprocess.run([str(python), "-m", "pip", "freeze"], text=True,
                          capture_output=True, check=True).stdout
    pairs = dict(line.split("==") for line in text.splitlines()
                 if "==" in line)
    return {name: pairs[name] for name in (
        "langgraph", "langgraph-checkpoint", "langgraph-checkpoint-postgres",
        "langgraph-checkpoint-sqlite", "psycopg", "dbos") if name in pairs}


def js_versions(program):
    told = {"node": subprocess.run(["node", "--version"], text=True, check=True,
                                   capture_output=True).stdout.strip()}
    for name in ("langgraph", "langgraph-checkpoint-postgres"):
        path = program.parent / "node_modules/@langchain" / name
        told[f"@langchain/{name}"] = json.loads(
            (path / "package.json").read_text())["version"]
    return told


INSTALL = {"langgraph": install_python, "langgraph.js": install_js,
           "neograph": install_neograph}
VERSIONS = {"langgraph": python_versions, "langgraph.js": js_versions,
            "neograph": lambda _: {"neograph": NEOGRAPH_COMMIT[:7]}}


# --- why one is not measured ----------------------------------------------------


def no_langgraph(place):
    return place.peers.why_not("langgraph")


no_dbos = no_langgraph


def no_langgraph_js(place, store="memory"):
    if store == "sqlite":
        return ("not measured: its SQLite saver needs a module that is "
                "compiled when it is installed")
    return place.peers.why_not("langgraph.js")


def no_neograph(place):
    return place.peers.why_not("neograph")


def no_temporal(_):
    return ("not measured: its dev server is not in a package registry, only "
            "a download of its own")


# --- asking ---------------------------------------------------------------------


def figures(got, count, runs, options):
    """What a peer's program told, as its rows want it."""
    kind, scale = options.get("figure", "run"), options.get("scale", 1e6)
    if kind == "rate":
        return {"rate": runs * count / got["seconds"],
                "cpu": got["cpu"] * 1e6 / (runs * count)}
    if kind == "runs":
        return runs / got["seconds"]
    if kind == "gap":
        return got["gap"] * 1e6
    return got["median"] * scale / (count if kind == "superstep" else 1)


def ask(program, graph, saver, size, runs, at_once, suite=False, mode=None,
        **options):
    def measure(place, _):
        count, many = place.size(*size), place.size(*runs)
        words = [*program(place), graph, "--saver", saver, "--size", count,
                 "--runs", many, "--at-once", place.size(*at_once)]
        words += ["--mode", mode] if mode else []
        words += ["--suite"] if suite else []
        kind = saver if saver in ("postgres", "sqlite") else "memory"
        with place.store(kind) as url:
            before = place.server_s()
            got = line_of(*words, "--url", url, seconds=MEASURE_S)
            got["cpu"] += place.server_s() - before
        return figures(got, count, many, options)
    return measure


def langgraph(graph, saver, mode, size, runs, at_once=(1, 1), **options):
    return ask(lambda place: [place.peers.get("langgraph"),
                              HOME / "langgraph_peer.py"],
               graph, saver, size, runs, at_once, mode=mode, **options)


def langgraph_js(graph, saver, size, runs, at_once=(1, 1), **options):
    return ask(lambda place: ["node", place.peers.get("langgraph.js")],
               graph, saver, size, runs, at_once, **options)


def dbos(size, at_once, **options):
    return ask(lambda place: [place.peers.get("langgraph"),
                              HOME / "dbos_peer.py"],
               "loop", "postgres", size, at_once, at_once, **options)


def neograph(row):
    """Its own benchmark: the median of samples of ten runs."""
    def measure(place, _):
        text = output_of(place.peers.get("neograph"), 10, 10, 1, 100,
                         place.size(300, 3), seconds=MEASURE_S)
        found = {line.split("\t")[0]: line.split("\t")
                 for line in text.splitlines()}
        names = ["seq", "seq_sync"] if row == "seq" else [row]
        return min(float(found[name][3]) for name in names)
    return measure


def conversation(graph, size):
    """500 turns through PostgresSaver, and the bytes of its three tables."""
    def measure(place, _):
        turns = place.size(*size)
        with place.database() as name:
            got = line_of(
                place.peers.get("langgraph"), HOME / "langgraph_peer.py", graph,
                "--saver", "postgres", "--runs", turns, "--mode", "sync",
                "--url", place.postgres().url(name), seconds=3 * MEASURE_S)
            size_of = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class " \
                "WHERE relkind = 'r' AND relname LIKE 'checkpoint%'"
            stored = int(place.postgres().sql(size_of, name)) / 1e6
        return {"journal": stored, **turn_figures(got["each"])}
    return measure
