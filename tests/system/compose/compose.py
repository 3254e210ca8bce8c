"""The Composes that the cluster is tried with: docker-compose 1.29, and v2.

v2 is a plugin of docker, or a program of its own under the name docker-compose.
Where it is not here, and Debian's next release can be reached, its package is
unpacked into a folder of the test's: nothing is installed.
"""

import pathlib
import re
import shutil
import subprocess

NEXT = "trixie" # has v2 as docker-compose; it wants nothing but libc
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
FETCH_S = 120


class Compose:
    def __init__(self, words, version, folder=None):
        self.words = [str(word) for word in words]
        self.version = version
        self.folder = folder # where it keeps its own things; None: at home

    def is_v2(self):
        return not self.version.startswith("1.")

    def environment(self):
        return {"DOCKER_CONFIG": str(self.folder)} if self.folder else {}

    def shim(self, folder):
        """A docker-compose for a shell, which is this one; its folder."""
        program = pathlib.Path(folder) / "docker-compose"
        program.write_text(f'#!/bin/sh\nexec {" ".join(self.words)} "$@"\n')
        program.chmod(0o755)
        return folder


def run(*words, **options):
    try:
        return subprocess.run([str(word) for word in words], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=FETCH_S, check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(words, 1, "", str(error))


def version_of(*words):
    """The number that it gives, or None: it is not there."""
    done = run(*words, "version", "--short")
    found = re.match(r"v?(\d+\.\d+\.\d+)", done.stdout)
    return found[1] if done.returncode == 0 and found else None


def here():
    """One of each kind that the machine has."""
    found = {}
    program = shutil.which("docker-compose")
    for words in ([program] if program else None, ["docker", "compose"]):
        version = version_of(*words) if words else None
        if version:
            compose = Compose(words, version)
            found.setdefault(compose.is_v2(), compose)
    return sorted(found.values(), key=Compose.is_v2)


def fetch_v2(folder, site):
    """v2 from Debian's next release; or why it cannot be had."""
    folder = pathlib.Path(folder)
    if not (pathlib.Path(KEYRING).exists() and shutil.which("apt-get")):
        return None, "this is no Debian"
    for name in ("lists/partial", "cache/archives/partial", "home"):
        (folder / name).mkdir(parents=True)
    (folder / "sources").write_text(
        f"deb [signed-by={KEYRING}] {site} {NEXT} main\n")
    options = [word for option in (
        f"Dir::Etc::SourceList={folder}/sources", "Dir::Etc::SourceParts=-",
        f"Dir::State::Lists={folder}/lists", f"Dir::Cache={folder}/cache",
        "Acquire::Languages=none", "Acquire::Retries=1",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false")
        for word in ("-o", option)]
    for words in (["apt-get", *options, "-q", "update"],
                  ["apt-get", *options, "-q", "download", "docker-compose"]):
        done = run(*words, cwd=folder)
        if done.returncode != 0:
            return None, f"{' '.join(words[-2:])}: {done.stderr[-300:]}"
    packages = list(folder.glob("docker-compose_*.deb"))
    if not packages or run("dpkg-deb", "-x", packages[0],
                           folder / "tree").returncode != 0:
        return None, "its package cannot be unpacked"
    program = folder / "tree/usr/libexec/docker/cli-plugins/docker-compose"
    version = version_of(program)
    if not version:
        return None, "it does not run here"
    return Compose([program], version, folder / "home"), None
