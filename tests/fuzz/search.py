#!/usr/bin/env python3
"""search - let each fuzz target look for inputs that break it.

usage: search.py [--seed TEXT] [--seconds N] [--jobs N] [TARGET...]

Without --seconds a search is one that anybody can repeat: its seed is made of
the commit, the number of inputs is fixed (RUNS), the inputs it starts from are
those of corpus/TARGET in the order of their names, and addresses are not drawn.
SECONDS_MAX ends it on a machine that is too slow. With --seconds it looks for
that long, whatever the number.

What breaks a target is kept in FOUND, and printed, so that a log is enough:
mend it, and put the input into corpus/TARGET, where every build replays it.
The last line is "N passed, N failed".
"""

import argparse
import base64
import concurrent.futures
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
BUILD = ROOT / "build/fuzz"
FOUND = BUILD / "found"

# Inputs for a search of about half a minute on one core: each commit begins
# elsewhere, so it is the number of commits that goes far.
RUNS = {
    "graph": 1_100_000,
    "journal": 950_000,
    "json": 1_000_000,
    "langgraph": 1_500_000,
    "message": 5_500_000,
    "row": 3_200_000,
}
SECONDS_MAX = 40
# One input may take so long, and so much memory: sanitizers on a busy machine.
INPUT_SECONDS_MAX = 60
MEMORY_MB_MAX = 2500
# Longer inputs only repeat what shorter ones say, slowly.
INPUT_SIZE_MAX = 4096


def commit():
    """The commit that is checked out, or a word where there is no git."""
    result = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"],
                            capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else "no commit"


def seed_of(text, target):
    digest = hashlib.sha256(f"{text} {target}".encode()).digest()
    return int.from_bytes(digest[:4], "little") % (2**31 - 1) + 1


def command(target, scratch, seed, seconds):
    inputs = sorted(str(path) for path in (CORPUS / target).iterdir())
    listed = scratch / "inputs"
    listed.write_text(",".join(inputs))
    corpus = scratch / "corpus"
    corpus.mkdir()
    words = [str(BUILD / "tests" / f"fuzz.{target}"), str(corpus),
             f"-seed_inputs=@{listed}", f"-seed={seed}",
             f"-max_len={INPUT_SIZE_MAX}", f"-timeout={INPUT_SECONDS_MAX}",
             f"-rss_limit_mb={MEMORY_MB_MAX}", "-reload=0",
             "-print_final_stats=1", f"-artifact_prefix={scratch}/found-"]
    if seconds:
        words.append(f"-max_total_time={seconds}")
    else:
        words += [f"-runs={RUNS[target]}", f"-max_total_time={SECONDS_MAX}"]
    if shutil.which("setarch") and not seconds:
        words = ["setarch", platform.machine(), "-R"] + words
    return words


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def tell_found(target, scratch):
    """Keep and print what was found; its lines."""
    lines = []
    for path in sorted(scratch.glob("found-*")):
        data = path.read_bytes()
        FOUND.mkdir(parents=True, exist_ok=True)
        name = f"{target}-{hashlib.sha1(data).hexdigest()[:12]}.bin"
        shutil.copy(path, FOUND / name)
        lines.append(f"kept as {(FOUND / name).relative_to(ROOT)}, "
                     f"{len(data)} bytes; in base64:")
        lines.append(base64.b64encode(data).decode())
    return lines


def search(target, text, seconds):
    """A line, more lines where it failed, and whether it passed."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        scratch = pathlib.Path(folder)
        seed = seed_of(text, target)
        result = subprocess.run(command(target, scratch, seed, seconds),
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True,
                                errors="replace", cwd=scratch)
        output = result.stdout
        runs = number(r"stat::number_of_executed_units: +(\d+)", output)
        rate = number(r"stat::average_exec_per_sec: +(\d+)", output)
        edges = number(r" cov: (\d+)", output)
        line = (f"{target:9} seed {seed:10}  {runs:8} inputs  {edges:5} edges"
                f"  {runs // rate if rate else 0:4} s")
        if result.returncode == 0 and runs > 0:
            return line, [], True
        more = tell_found(target, scratch)
        tail = output.splitlines()[-80:]
        return f"{line}  FAILED", [f"--- {target}"] + tail + more, False


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--seed", help="text, instead of the commit")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    targets = options.targets or sorted(RUNS)
    for target in targets:
        if target not in RUNS:
            parser.error(f"no target {target}; there are {', '.join(RUNS)}")
    text = options.seed or commit()
    print(f"Searching from {text}.", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        searches = [pool.submit(search, target, text, options.seconds)
                    for target in targets]
        for each in searches:
            line, more, passed = each.result()
            failed += not passed
            print("\n".join([line] + more), flush=True)
    print(f"{len(targets) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
