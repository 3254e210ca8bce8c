"""The digest of a few small texts, undisturbed, killed and restarted."""

import json
import re

from harness import LIB, World, expect, main

DIGEST = LIB / "libdigest.so"
TEXTS = {
    "short": "The cat sat. The cat ran!\n",
    "long": "One little paragraph about rivers.\n\n"
            "Rivers carry water; water carries boats.\n\n"
            "Boats are made of wood, rivers are not.\n",
}
REPORT = """# Digest of {folder}

2 documents, 25 words in 5 sentences, reading ease 79.9.

Most frequent terms: rivers (3), boats (2), cat (2), water (2), about (1), \
carries (1), carry (1), little (1), made (1), one (1), paragraph (1), ran (1), \
sat (1), wood (1).

## Documents

| document | words | distinct | reading ease | frequent terms |
|---|---:|---:|---:|---|
| long | 19 | 14 | 66.8 | rivers, boats, water, about, carries |
| short | 6 | 4 | 119.2 | cat, ran, sat |

## Sections

Documents of more than 10 words were split where their paragraphs end.

| section | words | distinct | reading ease | frequent terms |
|---|---:|---:|---:|---|
| long §1 | 11 | 9 | 39.7 | rivers, water, about, boats, carries |
| long §1.1 | 5 | 5 | 32.6 | about, little, one, paragraph, rivers |
| long §1.2 | 6 | 5 | 45.6 | water, boats, carries, carry, rivers |
| long §2 | 8 | 7 | 103.5 | boats, made, rivers, wood |
"""


def write_texts(world):
    folder = world.path("texts")
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    (folder / "again").symlink_to("long")
    (folder / "binary").write_bytes(b"\0\1\2")
    (folder / "nothing").write_text("")
    return folder


def start_job(world, report="report.md"):
    return world.command(
        "run", "digest", "--thread", "digest", "--input", json.dumps({
            "folder": str(world.path("texts")),
            "report": str(world.path(report))}))


def approve(world):
    world.do("resume", "digest", "--value", "true")
    return world.path("report.md").read_text()


def test_a_small_folder_gives_the_expected_report():
    with World() as world:
        folder = write_texts(world)
        world.coordinator()
        world.worker(DIGEST, "words=10")
        job = start_job(world)
        expect(job.wait() == 3, f"it did not ask:\n{job.text()}")
        report = approve(world)
        expect(report == REPORT.format(folder=folder), f"not so:\n{report}")


def test_a_refused_report_is_not_written():
    with World() as world:
        write_texts(world)
        world.coordinator()
        world.worker(DIGEST)
        expect(start_job(world).wait() == 3, "it did not ask")
        world.do("resume", "digest", "--value", "false")
        expect(not world.path("report.md").exists(), "there is a report")


def test_a_folder_that_is_not_there_fails_with_its_name():
    with World() as world:
        world.coordinator()
        world.worker(DIGEST)
        job = world.command(
            "run", "digest", "--input", '{"folder": "/nowhere/at/all"}')
        expect(job.wait() == 1, "it did not fail")
        expect("cannot list /nowhere/at/all" in job.text(), job.text())


def test_a_text_of_one_paragraph_stays_whole_and_is_in_the_report():
    with World() as world:
        world.path("texts").mkdir()
        world.path("texts/one").write_text("word " * 20 + "\n")
        world.coordinator()
        world.worker(DIGEST, "words=10")
        job = start_job(world)
        expect(job.wait() == 3, f"it did not ask:\n{job.text()}")
        report = approve(world)
        expect("| one | 20 |" in report, f"not so:\n{report}")


def test_an_interrupt_is_answered_after_a_restart_of_everything():
    with World() as world:
        folder = write_texts(world)
        coordinator = world.coordinator()
        worker = world.worker(DIGEST, "words=10")
        expect(start_job(world).wait() == 3, "it did not ask")
        coordinator.kill()
        worker.kill()

        effects = world.start_effects()
        world.coordinator()
        world.worker(DIGEST, f"words=10 log={effects.path}")
        state = world.ask("state", "digest")
        expect("Publish" in json.dumps(state), f"no question in {state}")
        report = approve(world)
        expect(report == REPORT.format(folder=folder), f"not so:\n{report}")
        nodes = [line["node"] for line in effects.drain()]
        expect(nodes == ["approve", "publish"], f"ran {nodes}")


def test_a_coordinator_killed_in_mid_superstep_keeps_what_was_done():
    with World() as world:
        folder = write_texts(world)
        effects = world.start_effects()
        arg = f"words=10 log={effects.path} hold=measure/long:{world.folder}"
        coordinator = world.coordinator()
        worker = world.worker(DIGEST, arg)
        job = start_job(world)
        effects.until(lambda lines: any(l["name"] == "long" for l in lines))
        wait_durable(world, 1)
        coordinator.kill()
        worker.kill()

        world.coordinator()
        world.worker(DIGEST, arg)
        world.path("release").touch()
        expect(job.wait() == 3, f"it did not ask:\n{job.text()}")
        report = approve(world)
        expect(report == REPORT.format(folder=folder), f"not so:\n{report}")
        names = [l["name"] for l in effects.drain() if l["node"] == "measure"]
        expect(names.count("short") == 1, "what was done ran again")
        expect(names.count("long") == 2, f"long ran {names.count('long')}x")


def wait_durable(world, count):
    """Until so many tasks of the superstep have their writes in the journal."""
    while True:
        state = world.ask("state", "digest")
        done = [task for task in state["tasks"] if task["result"]]
        if len(done) >= count:
            return


if __name__ == "__main__":
    main(globals())
