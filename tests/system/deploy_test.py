"""What deploy/ says is true: its settings are options of the programs, its
units are sound, its images are built with the packages that the project names.
"""

import re
import shutil
import subprocess
import tempfile
import pathlib

import harness
from harness import BIN, ROOT, expect

DEPLOY = ROOT / "deploy"
# Settings of the client, and those that the compose file itself reads.
OTHERS = {"SUPERSTEP_COORDINATOR", "SUPERSTEP_PORT", "SUPERSTEP_PORT2",
          "SUPERSTEP_BIND", "SUPERSTEP_SECRETS", "SUPERSTEP_NAME"}


def variables(program):
    """The variables that a program reads, from its --help."""
    text = subprocess.run([BIN / program, "--help"], check=True, text=True,
                          capture_output=True).stdout
    names = re.findall(r"^ +(?:-\w, )?--([\w-]+)", text, re.M)
    return {"SUPERSTEP_" + name.upper().replace("-", "_") for name in names}


def test_each_setting_is_an_option():
    known = OTHERS | variables("superstep-coordinator") | variables(
        "superstep-worker")
    known |= {name + "_FILE" for name in known}
    count = 0
    for path in sorted(DEPLOY.rglob("*")):
        if not path.is_file() or "secrets" in path.relative_to(DEPLOY).parts:
            continue
        for name in re.findall(r"\bSUPERSTEP_[A-Z0-9_]+\b",
                               path.read_text(encoding="utf-8")):
            count += 1
            expect(name in known or name == "SUPERSTEP_",
                   f"{path.relative_to(ROOT)}: {name} is not a setting")
    expect(count > 10, "no settings were found")


def test_the_sdk_has_the_packages_of_the_build():
    setup = (ROOT / "tools/setup.sh").read_text(encoding="utf-8")
    wanted = re.search(r'packages_build="([^"]+)"', setup)[1].split()
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    sdk = text[text.index("AS tools"):text.index("AS runtime")]
    for package in wanted:
        expect(any(re.search(rf"\b{re.escape(name)}\b", sdk)
                   for name in package.split("|")),
               f"deploy/Dockerfile: the sdk lacks {package}")


def test_images_have_no_places_where_tests_stop_them():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    builds = re.findall(r"cmake --preset release[^&]*", text)
    expect(builds and all("-DSS_TESTS=OFF" in it for it in builds),
           "deploy/Dockerfile: an image is built with tests")
    with tempfile.TemporaryDirectory(prefix="superstep-build-") as folder:
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja",
                        "-DSS_TESTS=OFF"], check=True, capture_output=True)
        rules = (pathlib.Path(folder) / "build.ninja").read_text()
        expect("common/app/log.c" in rules, "no rule for log.c was found")
        expect("stop.c" not in rules and "SS_STOPS" not in rules,
               "a build without tests has the places")
    for room in ("common", "coordinator", "worker", "client", "local"):
        for path in sorted((ROOT / room).rglob("*.[ch]")):
            name = path.relative_to(ROOT).as_posix()
            expect(name in ("common/app/stop.c", "common/app/stop.h")
                   or "SUPERSTEP_TEST" not in path.read_text(encoding="utf-8"),
                   f"{name}: has a variable for tests of its own")


def test_the_units_are_sound():
    if not shutil.which("systemd-analyze"):
        print("*** systemd-analyze is not here: the units were not verified ***")
        return
    with tempfile.TemporaryDirectory(prefix="superstep-units-") as folder:
        folder = pathlib.Path(folder)
        units = []
        for path in sorted((DEPLOY / "systemd").glob("*.service")):
            # A template is verified as an instance of it.
            unit = folder / path.name.replace("@.", "@digest.")
            unit.write_text(path.read_text(encoding="utf-8").replace(
                "/usr/bin/", f"{BIN}/"), encoding="utf-8")
            units.append(unit)
        expect(len(units) >= 2, "no units were found")
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *units], text=True,
            capture_output=True, check=False)
        complaints = [line for line in done.stderr.splitlines()
                      if str(folder) in line]
        expect(not complaints, "\n".join(complaints))


if __name__ == "__main__":
    harness.main(globals())
