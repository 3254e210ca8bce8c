"""yard - a copy of the source, its build, and the tests that ctest knows.

A fault is planted in a copy, so that the source stays as it is; several yards
are several copies, in which faults are judged side by side.
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What runs first. Tests of the source itself see no behaviour.
LABELS = ["unit", "story", "contract", "sim", "conformance", "system"]
# Enough for each kind of trouble to come up often.
SIM_SEEDS = "1:300"
# A test that takes longer was made to hang; one that takes more memory, too.
SECONDS_MAX = 150
CHECK_SECONDS = 60
# How many times as long, where other work has most of the processors.
PATIENCE_MAX = 20
MEMORY_MAX = 8 << 30
PROGRAMS = {"superstep", "superstep-coordinator", "superstep-worker"}


def run(words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)


def source_files():
    listed = run(["git", "-C", str(ROOT), "ls-files", "-co",
                  "--exclude-standard", "-z"])
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if path.is_file() and path.relative_to(ROOT).parts[0]
                 not in ("build", ".git")]
    return {name for name in names if (ROOT / name).is_file()}


class Yard:
    def __init__(self, folder, jobs, patience):
        self.patience = patience  # a test may take so many times its limit
        self.tree = folder / "tree"
        self.build_folder = folder / "build"
        self.jobs = jobs
        self.tests = None

    def prepare(self):
        """What goes wrong here ends all."""
        self.sync()
        self.configure()
        self.tests = Tests(self)

    def sync(self):
        """The copy says what the source says; what is the same is not
        touched."""
        names = source_files()
        for path in self.tree.rglob("*"):
            if path.is_file() and str(path.relative_to(self.tree)) \
                    not in names and "__pycache__" not in path.parts:
                path.unlink()
        for name in names:
            here, there = ROOT / name, self.tree / name
            if there.is_file() and there.read_bytes() == here.read_bytes():
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)

    def configure(self):
        folder = str(self.build_folder)
        if (self.build_folder / "build.ninja").exists():
            run(["ninja", "-C", folder, "build.ninja"])  # new files
            return
        words = ["cmake", "-S", str(self.tree), "-B", folder, "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1",
                 "-DSS_TESTS=ON", "-DSS_WERROR=OFF",
                 f"-DSS_SIM_SEEDS={SIM_SEEDS}"]
        if shutil.which("ccache"):
            words.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        result = run(words)
        if result.returncode != 0:
            raise RuntimeError(f"{result.stdout}\ncmake failed")

    def build(self, targets):
        """What went wrong, or None."""
        result = run(["ninja", "-C", str(self.build_folder),
                      f"-j{self.jobs}"] + sorted(targets))
        if result.returncode == 0:
            return None
        lines = [line for line in result.stdout.splitlines()
                 if "error" in line]
        return lines[0] if lines else result.stdout[-500:]

    def ask(self, name):
        """What a test says against the copy as it is, or None."""
        return self.build(self.tests.needs(name)) or self.tests.run(name)


class Tests:
    """What ctest knows, cheapest first."""

    def __init__(self, yard):
        self.yard = yard
        known = run(["ninja", "-C", str(yard.build_folder),
                     "-t", "targets", "all"])
        self.targets = {line.split(":")[0]
                        for line in known.stdout.splitlines()}
        self.all = {}
        self.read()

    def read(self):
        """A program that is not built yet has no command."""
        listed = run(["ctest", "--test-dir", str(self.yard.build_folder),
                      "--show-only=json-v1"]).stdout
        for test in json.loads(listed[listed.index("{"):])["tests"]:
            properties = {each["name"]: each["value"]
                          for each in test.get("properties", [])}
            labels = set(properties.get("LABELS", [])) & set(LABELS)
            if labels:
                self.all[test["name"]] = (LABELS.index(labels.pop()),
                                          test.get("command"), properties)

    def asked(self, patterns):
        """Those that `patterns` name come first, then all others."""
        def rank(name):
            is_named = any(re.search(f"^(?:{pattern})", name)
                           for pattern in patterns)
            return not is_named, self.all[name][0], name
        return sorted(self.all, key=rank)

    def named(self, patterns):
        """Those that `patterns` name in full, in the patterns' order."""
        return [name for pattern in patterns for name in self.all
                if re.search(f"^(?:{pattern})$", name)]

    def needs(self, name):
        """The targets to build before it runs."""
        if name.startswith("unit.client."):
            return {"superstep"} | ({name} & self.targets)  # some run it
        if name in self.targets:
            return {name}
        if name == "system.install":
            return {"all"}  # it installs what a build makes
        if name.startswith("sim."):
            return {"sim"}
        if name.startswith("conformance."):
            return {"conformance", "app_scenario"} | PROGRAMS
        needed = PROGRAMS | {target for target in self.targets
                             if target.startswith("app_")
                             and "/" not in target and "." not in target}
        if name == "system.upgrade":
            needed.add("superstep_shared")  # its programs link that
        return needed

    def run(self, name):
        """What its failure says, or None where it passed."""
        if not self.all[name][1]:
            self.read()
        _, command, properties = self.all[name]
        # One seed that fails is enough.
        command = [word for word in command if word != "--keep-going"]
        environment = dict(os.environ)
        environment.update(each.split("=", 1)
                           for each in properties.get("ENVIRONMENT", []))
        patience = self.yard.patience
        environment["CK_DEFAULT_TIMEOUT"] = str(CHECK_SECONDS * patience)
        seconds = patience * min(properties.get("TIMEOUT", SECONDS_MAX),
                                 SECONDS_MAX)
        folder = properties.get("WORKING_DIRECTORY", str(self.yard.tree))
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, env=environment, cwd=folder,
                start_new_session=True, preexec_fn=limit_memory)
            try:
                code = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return f"it did not end within {seconds:g} s"
            output.seek(0)
            text = output.read()
        return None if code in (0, 77) else reason(text, code)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def reason(text, code):
    """The test within the program, as Check and unittest name it."""
    found = re.search(r":[FE]:[^:\n]*:([^:\n]+):\d+:", text) \
        or re.search(r"^(?:FAIL:|ERROR:|failed) (\S+)", text, re.M) \
        or re.search(r"^(seed \d+[^\n]*)", text, re.M)
    if found:
        return found.group(1)[:100]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else f"exit status {code}"
    return last[:100]
