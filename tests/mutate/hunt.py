"""hunt - each fault is planted, and its tests are asked until one fails.

Faults whose tests are the same come together: what these need is built once,
and they are asked once whether they are right without a fault.
"""

import collections
import hashlib
import json
import threading
import time

from patch import PatchError
from yard import ROOT, source_files

# What may change without any test judging otherwise.
NO_JUDGE = ("docs/", "tests/mutate/", "README.md")


def source_hash():
    """Of all that a build and its tests are made of."""
    digest = hashlib.sha256()
    for name in sorted(source_files()):
        if not name.startswith(NO_JUDGE):
            content = (ROOT / name).read_bytes()
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


class Caught:
    """What was caught, by source and patch: a hunt that was cut off goes
    on."""

    def __init__(self, folder, is_read):
        self.path = folder / f"caught-{source_hash()}.json"
        self.lock = threading.Lock()
        self.all = {}
        if is_read and self.path.is_file():
            self.all = json.loads(self.path.read_text())

    def key(self, patch):
        digest = hashlib.sha256(patch.text.encode()).hexdigest()
        return f"{patch.name} {digest[:16]}"

    def find(self, patch):
        """(test, reason), or None."""
        return self.all.get(self.key(patch))

    def add(self, patch, test, words):
        with self.lock:
            self.all[self.key(patch)] = (test, words)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            beside = self.path.with_suffix(".new")
            beside.write_text(json.dumps(self.all, indent=0))
            beside.replace(self.path)


class Hunt:
    def __init__(self, yards, caught, named_only, within=None):
        self.yards = yards
        self.caught = caught
        self.named_only = named_only
        self.within = within  # seconds; None: no end
        self.begin = time.monotonic()
        self.lock = threading.Lock()
        self.planted = 0
        self.left_out = 0
        self.sound = {}  # test -> whether it passes without a fault
        self.survived = 0

    def run(self, patches):
        """How many survived."""
        left = []
        for patch in patches:
            found = self.caught.find(patch)
            if found:
                self.tell(patch, 0, *found)
            else:
                left.append(patch)
        groups = collections.deque(group_by_tests(left))
        hands = [threading.Thread(target=self.work, args=(yard, groups))
                 for yard in self.yards]
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
        # A hand that ended by an error of ours left its group unjudged.
        return self.survived + sum(len(group) for group in groups)

    def work(self, yard, groups):
        is_ready = False
        while True:
            with self.lock:
                if not groups:
                    return
                group = groups.popleft()
                self.survived += len(group)  # until they are caught
            if not is_ready:
                yard.prepare()
                is_ready = True
            for name in yard.tests.named(group[0].tests):
                if self.has_time():
                    self.is_sound(yard, name)
            for patch in group:
                if self.may_plant():
                    self.judge(yard, patch)

    def has_time(self):
        return (self.within is None or not self.planted or
                time.monotonic() - self.begin < self.within)

    def may_plant(self):
        """Whether there is time for one more; else it is left out."""
        with self.lock:
            if self.has_time():
                self.planted += 1
                return True
            self.survived -= 1
            self.left_out += 1
            return False

    def judge(self, yard, patch):
        begin = time.monotonic()
        try:
            test, words = self.catch(yard, patch)
        except PatchError as error:
            test, words = None, str(error)
        if test:
            self.caught.add(patch, test, words)
            with self.lock:
                self.survived -= 1
        self.tell(patch, time.monotonic() - begin, test, words)

    def tell(self, patch, seconds, test, words):
        how = f"{test}: {words}" if test else words
        with self.lock:
            print(f"{patch.name:30} {seconds:4.0f} s  {how}", flush=True)

    def is_sound(self, yard, name):
        """Asked in a copy without any fault."""
        with self.lock:
            known = self.sound.get(name)
        if known is not None:
            return known
        failure = yard.ask(name)
        with self.lock:
            self.sound[name] = not failure
            if failure:
                print(f"mutate: {name} fails without any fault: {failure}",
                      flush=True)
        return not failure

    def catch(self, yard, patch):
        """(test, reason) that caught it, or (None, what was tried)."""
        names = yard.tests.asked(patch.tests)
        if self.named_only and patch.tests:
            names = yard.tests.named(patch.tests)
        before = patch.apply(yard.tree)
        try:
            for name in names:
                failure = yard.build(yard.tests.needs(name))
                if failure:
                    return None, f"it does not build: {failure}"
                failure = yard.tests.run(name)
                if not failure or self.sound.get(name) is False:
                    continue
                if name in self.sound:
                    return name, failure
                restore(before)
                if self.is_sound(yard, name):
                    return name, failure
                patch.apply(yard.tree)
        finally:
            restore(before)
        return None, "SURVIVED " + (", ".join(names) if len(names) < 6
                                    else f"{len(names)} tests")


def group_by_tests(patches):
    """Those with the same tests together, the largest group first: at the
    end no yard is left with much."""
    groups = collections.defaultdict(list)
    for patch in patches:
        groups[tuple(patch.tests)].append(patch)
    return sorted(groups.values(), key=len, reverse=True)


def restore(before):
    for path, text in before.items():
        path.write_text(text)
