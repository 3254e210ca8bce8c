"""The programs of a version from before, built from the repository itself: once,
into build/older, by the means that it had then.

There is no release yet. The commit is the last one before rows had format 5,
runs were named by their thread, too, and orders were vouched for: what members
of two versions have to agree on is all behind it.
"""

import fcntl
import pathlib
import shutil
import subprocess

from harness import ROOT, Failure

OLD_COMMIT = "113c9ef28bc36fb3d2586ef995796443c474799c"
NOT_ALLOWED = 3 # tools/setup.sh: packages are missing, and may not be installed
MAKE = """
. tools/setup.sh
need_packages $packages_build
build dev -DSS_TESTS=OFF -DSS_WERROR=OFF
"""


class Unavailable(Exception):
    """Why there is no older version here."""


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], text=True,
                          capture_output=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


class Older:
    """Where its programs and its source are."""

    def __init__(self):
        top = git("rev-parse", "--show-toplevel")
        if not top:
            raise Unavailable("this is not a repository of git's")
        if not git("cat-file", "-t", OLD_COMMIT):
            raise Unavailable(f"commit {OLD_COMMIT[:7]} is not in this clone: "
                              f"git fetch --unshallow")
        self.top = pathlib.Path(top)
        self.folder = self.top / "build/older" / OLD_COMMIT
        self.source = self.folder / "source"
        self.bin = self.source / "build/dev/bin"
        self.include = self.source / "worker/include"

    def build(self):
        """As soon as nobody else builds it."""
        is_built = self.folder / "built"
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_built.exists():
                self._unpack()
                self._make()
                is_built.touch()
        return self

    def _unpack(self):
        shutil.rmtree(self.source, ignore_errors=True)
        self.source.mkdir()
        self.unpack(self.source)

    def unpack(self, folder):
        """Its source, into a folder that is empty."""
        # Within a folder git gives that folder only.
        archive = subprocess.run(["git", "-C", str(self.top), "archive",
                                  OLD_COMMIT], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", str(folder)], check=True,
                       input=archive.stdout)

    def _make(self):
        done = subprocess.run(["sh", "-euc", MAKE], cwd=self.source, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode == NOT_ALLOWED:
            raise Unavailable(done.stdout)
        if done.returncode != 0:
            raise Failure(f"commit {OLD_COMMIT[:7]} does not build:\n"
                          f"{done.stdout[-3000:]}")
