"""The images that the cluster is tried with: those of deploy/, an application of
the test's own, and the same of the version from before.
"""

import pathlib
import tempfile
from concurrent.futures import ThreadPoolExecutor

from engine import say

HERE = pathlib.Path(__file__).resolve().parent
NOW = "superstep"
BEFORE = "superstep-before"


def build(engine, older):
    """All of them; two at a time, as a package is unpacked by one processor.
    `older`: Older(), or None where it is not to be had."""
    with ThreadPoolExecutor(2) as pool:
        beside = [pool.submit(build_postgres, engine)]
        build_target(engine, "tools")
        if older:
            beside.append(pool.submit(build_before, engine, older))
        for target in ("sdk", "coordinator", "worker", "digest"):
            build_target(engine, target)
        for version in ("1", "2"):
            build_application(engine, NOW, version)
        for rest in beside:
            rest.result()


def build_target(engine, target):
    say(f"Building {NOW}-{target}.")
    engine.build(target)


def build_postgres(engine):
    say(f"Building {NOW}-postgres.")
    engine.build(None, file="deploy/postgres/Dockerfile",
                 name=f"{NOW}-postgres")


def build_before(engine, older):
    """By its own Dockerfile, on a base that has most of its packages already."""
    with tempfile.TemporaryDirectory(prefix=f"{BEFORE}-") as folder:
        older.unpack(folder)
        for target in ("sdk", "coordinator", "worker"):
            say(f"Building {BEFORE}-{target}.")
            engine.build(target, "--build-arg", f"BASE={NOW}-tools",
                         name=f"{BEFORE}-{target}", root=folder)
    build_application(engine, BEFORE, "1")


def build_application(engine, of, version):
    """As a user does it: the SDK's compiler, then an image of two lines."""
    with tempfile.TemporaryDirectory(prefix="superstep-app-") as folder:
        folder = pathlib.Path(folder)
        (folder / "app.c").write_text((HERE / "app.c").read_text())
        (folder / "Dockerfile").write_text(
            f"FROM {of}-sdk AS build\n"
            "COPY app.c .\n"
            f"RUN cc -shared -fPIC -O2 -DVERSION='\"{version}\"' app.c "
            "-o app.so $(pkg-config --cflags superstep)\n"
            f"FROM {of}-worker\n"
            "COPY --from=build /build/app.so /app/app.so\n")
        engine.docker("build", "-q", "-t", f"{of}-naps:{version}", folder)
