"""Pods of deploy/kubernetes as processes of this machine.

Each pod has an address of its own below 127.0.0.0/8. Its environment, its files
and its probes are those of its manifest; names of services are looked up as a
cluster's DNS does; images are this build's programs.
"""

import os
import random
import re
import signal
import time
import urllib.error
import urllib.request

from harness import BIN, DEADLINE_S, Failure, expect
from kustomize import containers_of, pods_of
from manifests import Manifests, file_of, text_of


def environment_of_the_tests():
    """What a process of ours needs anywhere: a path, and a sanitizer's options."""
    return {name: value for name, value in os.environ.items()
            if name == "PATH" or name.endswith("SAN_OPTIONS")}


def environment_of_the_image(stage):
    """What ENV sets in a stage of the Dockerfile."""
    text = re.search(rf"^FROM \S+ AS {stage}$(.*?)(?=^FROM |\Z)",
                     text_of("deploy/Dockerfile"), re.M | re.S)[1]
    return dict(word.split("=", 1) for line in re.findall(
        r"^ENV (.+)$", text, re.M) for word in line.split())


class Pod:
    def __init__(self, node, item, name, address):
        self.node, self.item, self.name = node, item, name
        self.address = address
        self.spec = pods_of(item)["spec"]
        self.container = containers_of(item)[0]
        self.process = None

    def folder(self, volume):
        """What is mounted of a volume; a Secret's files are in it."""
        place = self.node.world.path(f"{self.name}-{volume['name']}")
        if not place.exists():
            place.mkdir()
            if "secret" in volume:
                secret = self.node.manifests.one(
                    "Secret", volume["secret"]["secretName"])
                for name in secret["data"]:
                    (place / name).write_bytes(file_of(secret, name))
                    (place / name).chmod(0o400)
        return str(place)

    def value(self, line, values):
        if "valueFrom" in line:
            return {"metadata.name": self.name,
                    "metadata.namespace": self.node.manifests.namespace()
                    }[line["valueFrom"]["fieldRef"]["fieldPath"]]
        text = re.sub(r"\$\((\w+)\)", lambda found: values[found[1]],
                      line["value"])
        text = re.sub(r"(tcp://)([\w.-]+):(\d+)", lambda found: found[1] +
                      self.node.look_up(self, found[2], int(found[3])), text)
        for mount in self.container["volumeMounts"]:
            volume = next(one for one in self.spec["volumes"]
                          if one["name"] == mount["name"])
            if line["value"].startswith(mount["mountPath"]):
                text = self.folder(volume) + text[len(mount["mountPath"]):]
        return text.replace("0.0.0.0", self.address)

    def environment(self):
        values = {}
        for line in self.container["env"]:
            values[line["name"]] = self.value(line, values)
        return values

    def launch(self):
        """The process of its container."""
        stage = self.container["name"]
        return self.node.world.start(
            self.name, BIN / f"superstep-{stage}",
            environment={**environment_of_the_tests(),
                         **environment_of_the_image(stage),
                         **self.environment(), **self.node.more.get(stage, {})})

    def start(self):
        self.process = self.launch()
        self.wait("startupProbe", 200)
        self.wait("readinessProbe", 200)
        expect("no setting" not in self.process.text()
               and "Did you mean" not in self.process.text(),
               self.process.text())

    def probe(self, kind):
        """The answer's status; 0: there is none."""
        asked = self.container[kind]["httpGet"]
        (port,) = [port["containerPort"] for port in self.container["ports"]
                   if port["name"] == asked["port"]]
        try:
            with urllib.request.urlopen(
                    f"http://{self.address}:{port}{asked['path']}",
                    timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def wait(self, kind, status):
        end = time.monotonic() + DEADLINE_S
        while self.probe(kind) != status:
            if time.monotonic() > end or not self.process.is_running():
                raise Failure(f"{self.name}: {kind} is not {status}:\n"
                              f"{self.process.text()}")
            time.sleep(0.05)

    def evict(self):
        """Asked to go, as when its node is drained."""
        self.process.kill(signal.SIGTERM)

    def end(self):
        """It ends by itself within the time that it has."""
        status = self.process.wait(min(
            DEADLINE_S, self.spec["terminationGracePeriodSeconds"]))
        expect(status == 0, f"{self.name} ended with {status}:\n"
               f"{self.process.text()}")


class Node:
    """`more`: what each container has besides, by its name."""
    of = Pod

    def __init__(self, world, items, more):
        self.world = world
        self.manifests = Manifests(items)
        self.more = more
        self.net = f"127.{random.randint(1, 254)}.{random.randint(1, 254)}"
        self.pods = {}

    def pods_of(self, kind, name):
        """As many as its replicas, in their order, not yet started."""
        item = self.manifests.one(kind, name)
        found = []
        for number in range(item["spec"]["replicas"]):
            pod = self.of(self, item, f"{name}-{number}",
                          f"{self.net}.{len(self.pods) + 1}")
            self.pods[pod.name] = pod
            found.append(pod)
        return found

    def look_up(self, asker, host, port):
        if host == "0.0.0.0":
            return f"{asker.address}:{port}"
        workload, number = self.manifests.address(host, port)
        pod = self.pods[f"{workload['metadata']['name']}-{number}"]
        return f"{pod.address}:{port}"
