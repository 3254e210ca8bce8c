#!/usr/bin/env python3
"""Nothing secret is written: keys and passwords are planted, every program is
made to log, also about errors, and no output holds them.
"""

from harness import BIN, LIB, World, expect, main
from key_file import halves

HELLO = LIB / "libhello.so"
PASSWORD = "pl4nted-pa55word"
ROLES = ("coordinator", "worker", "client", "operator")


def secret_half(path):
    return halves(path)["secret"]


def start(world, program, *words, environment=None):
    return world.start(program, BIN / program, *words,
                       environment=environment)


def expect_nothing_said(world, secrets):
    for process in world.processes:
        for secret in secrets:
            expect(secret not in process.text(),
                   f"{process.name} says a secret:\n{process.text()}")


def test_secret_halves_of_keys_are_never_written():
    with World() as world:
        keys = world.path("keys")
        process = start(world, "superstep", "keys", "new", "--keys", keys)
        expect(process.wait() == 0, process.text())
        secrets = [secret_half(keys / f"{role}.key") for role in ROLES]
        world.coordinator("--keys", keys, "--verbose")
        world.worker(HELLO, None, "--keys", keys)
        world.do("run", "hello", "--thread", "t", "--input",
                 '{"name": "Ada"}', "--keys", keys)
        for words in (["state", "t"], ["workers"], ["graphs"]):
            world.do(*words, "--keys", keys)
        start(world, "superstep", "--keys", keys, "keys", "list").wait()

        # Files that are broken around their secret, and used as what they are
        # not.
        broken = world.path("broken")
        broken.mkdir()
        whole = (keys / "client.key").read_text()
        for i, text in enumerate((
                whole.replace("secret-key", "sekret-key"),
                whole.replace("secret-key = \"", "secret-key = "),
                whole.replace("secret-key", "secret key"),
                whole.replace('role = "client"', 'role = "king"'),
                whole.replace("    secret-key", "  secret-key"),
                whole + "#" * 4000)):
            (broken / "client.key").write_text(text)
            (broken / "coordinator.pub").write_text(
                (keys / "coordinator.pub").read_text())
            process = world.command("workers", "--keys", broken)
            expect(process.wait() == 1, f"{i}: {process.text()}")
        for path in (keys / "coordinator.key", keys / "worker.key"):
            process = world.command("workers", "--keys", path)
            expect(process.wait() == 1, process.text())
        (broken / "coordinator.pub").write_text(whole)
        (broken / "client.key").write_text(whole)
        process = world.command("workers", "--keys", broken)
        expect(process.wait() == 1, process.text())
        (broken / "allowed").write_text(whole)
        (broken / "coordinator.key").write_text(
            (keys / "coordinator.key").read_text())
        process = start(world, "superstep-coordinator", "--listen",
                        "tcp://127.0.0.1:*", "--store", "memory:", "--keys",
                        broken)
        expect(process.wait() == 1, process.text())
        expect_nothing_said(world, secrets)


def test_the_password_of_a_store_is_never_written():
    with World() as world:
        listen = ["--listen", "tcp://127.0.0.1:*", "--verbose"]
        soon = "reconnect_ms=10"  # it waits for who does not answer
        for url in (f"postgres://app:{PASSWORD}@127.0.0.1:1/x?{soon}",
                    f"postgresql://app:{PASSWORD}@nowhere.invalid/x?{soon}",
                    f"postgres://app:{PASSWORD}@[127.0.0.1/x",
                    f"postgres://app:{PASSWORD}%zz@127.0.0.1/x",
                    f"postgres://127.0.0.1:1/x?password={PASSWORD}&{soon}",
                    f"postgres://127.0.0.1:1/x?pasword={PASSWORD}",
                    f"postgresq://app:{PASSWORD}@127.0.0.1:1/x",
                    f"app:{PASSWORD}@127.0.0.1"):
            process = start(world, "superstep-coordinator", *listen,
                            "--store", url)
            expect(process.wait() == 1, f"{url}: {process.text()}")
            expect(process.text("err") != "", f"{url}: it does not say why")
        path = world.path("store")
        path.write_text(f"postgres://app:{PASSWORD}@127.0.0.1:1/x?{soon}\n")
        process = start(world, "superstep-coordinator", *listen, environment={
            "SUPERSTEP_STORE_FILE": str(path)})
        expect(process.wait() == 1, process.text())
        expect_nothing_said(world, [PASSWORD])


if __name__ == "__main__":
    main(globals())
