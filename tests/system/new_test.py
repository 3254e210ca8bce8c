"""superstep new: a project that builds, tests and runs as it is."""

import os
import subprocess

from harness import BIN, BUILD, World, expect, is_sanitized, main

# Such that would be something else to C, to CMake, or to a shell.
NAMES = ("hello", "test", "int", "my-graph")


def installed(world):
    """What a user has who has installed, and nothing else."""
    prefix = world.path("usr")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix],
                   check=True, stdout=subprocess.DEVNULL)
    environment = os.environ | {"PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    environment.pop("LD_LIBRARY_PATH", None)
    return environment


def said(command, environment, place, status=0):
    done = subprocess.run(command, cwd=place, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    expect(done.returncode == status,
           f"{command}: {done.returncode}\n{done.stdout}")
    return done.stdout


def test_a_new_project_builds_tests_and_runs():
    with World() as world:
        environment = installed(world)
        world.coordinator()
        for name in NAMES:
            said(["superstep", "new", name], environment, world.folder)
            place = world.path(name)
            said(["cmake", "-B", "build", "-DCMAKE_C_FLAGS=-Werror"],
                 environment, place)
            # A program that is not sanitized cannot have a library that is.
            target = f"app_{name}" if is_sanitized() else "all"
            said(["cmake", "--build", "build", "--target", target],
                 environment, place)
            if not is_sanitized():
                passed = said(["ctest", "--test-dir", "build"], environment,
                              place)
                expect("100% tests passed" in passed, passed)
            world.worker(place / "build" / f"lib{name}.so")
            done = world.ask("run", name, "--input", '{"name": "Ada"}')
            expect(done["output"] == {"name": "Ada", "length": 11,
                                      "greeting": "Hello, Ada!"}, f"{done}")


def test_what_is_there_is_left_alone():
    with World() as world:
        place = world.path("hello")
        place.mkdir()
        (place / "hello.c").write_text("mine\n")
        command = [BIN / "superstep", "new"]
        text = said([*command, "hello"], os.environ, world.folder, 1)
        expect(text == "superstep: hello is there already: nothing was "
               "written\n", text)
        expect([path.name for path in place.iterdir()] == ["hello.c"]
               and (place / "hello.c").read_text() == "mine\n", "it is not")
        for name in ("a b", "../up", "7th", "", "x" * 65):
            text = said([*command, name], os.environ, world.folder, 2)
            expect("is not a name for a project" in text, text)


if __name__ == "__main__":
    main(globals())
