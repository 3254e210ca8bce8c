"""The part of kustomize that deploy/kubernetes uses, for machines without it.

build(FOLDER) gives the objects of a folder. A word that is not known here is a
failure: a misspelt one must not be passed over, as the test compares this with
kustomize itself only where that is.
"""

import base64
import json
import os
import pathlib
import sys

from harness import Failure, expect

DEBIAN_PYTHON = "/usr/bin/python3"

try:
    import yaml
except ImportError:
    # The package python3-yaml is for Debian's own Python.
    if (os.path.realpath(sys.executable) == os.path.realpath(DEBIAN_PYTHON)
            or not os.path.exists(DEBIAN_PYTHON)):
        print("*** SKIPPED: there is no yaml for Python: apt-get install "
              "python3-yaml ***")
        sys.exit(77)
    os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])

KINDS = {"Kustomization": "kustomize.config.k8s.io/v1beta1",
         "Component": "kustomize.config.k8s.io/v1alpha1"}
WORDS = {"apiVersion", "kind", "namespace", "nameSuffix", "resources",
         "components", "generatorOptions", "secretGenerator", "images",
         "labels", "patches"}
# No namespace holds these.
OF_THE_CLUSTER = {"Namespace"}


def read(path):
    """The objects of a file; what an alias names there is no part of two."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(json.dumps(item))
                for item in yaml.safe_load_all(file) if item]


def only(what, place, *words):
    wrong = set(what) - set(words)
    expect(not wrong, f"{place}: not known here: {', '.join(sorted(wrong))}")


def secret(spec, folder):
    only(spec, folder, "name", "files")
    data = {}
    for line in spec["files"]:
        name, _, path = line.rpartition("=")
        path = pathlib.PurePath(path)
        expect(".." not in path.parts and not path.is_absolute(),
               f"{folder}: {path} is not in the folder: kustomize refuses it")
        data[name or path.name] = base64.b64encode(
            (folder / path).read_bytes()).decode()
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": spec["name"]}, "data": data}


def pods_of(item):
    """The template of an object's pods, or None."""
    return item.get("spec", {}).get("template")


def containers_of(item):
    return pods_of(item)["spec"]["containers"] if pods_of(item) else []


def label(item, pairs):
    """In all places that hold labels or look for them."""
    spec = item.get("spec", {})
    places = [item["metadata"].setdefault("labels", {})]
    if item["kind"] == "Service":
        places.append(spec["selector"])
    elif "selector" in spec:
        places.append(spec["selector"]["matchLabels"])
    if pods_of(item):
        places.append(pods_of(item)["metadata"]["labels"])
        places += [spread["labelSelector"]["matchLabels"] for spread in
                   pods_of(item)["spec"].get("topologySpreadConstraints", [])]
    for place in places:
        place.update(pairs)


def patch(items, one, folder):
    only(one, folder, "target", "patch")
    only(one["target"], folder, "kind", "name")
    found = [item for item in items if item["kind"] == one["target"]["kind"]
             and item["metadata"]["name"] == one["target"]["name"]]
    expect(found, f"{folder}: nothing is patched: {one['target']}")
    for item in found:
        for step in yaml.safe_load(one["patch"]):
            only(step, folder, "op", "path")
            expect(step["op"] == "remove", f"{folder}: {step}")
            *way, last = step["path"].strip("/").split("/")
            place = item
            for word in way:
                place = place[word]
            del place[last]


def put_image(items, one, folder):
    only(one, folder, "name", "newName", "newTag")
    found = [container for item in items for container in containers_of(item)
             if container["image"].split(":")[0] == one["name"]]
    expect(found, f"{folder}: no container has the image {one['name']}")
    for container in found:
        container["image"] = f"{one['newName']}:{one['newTag']}"


def named(items, suffix):
    """With the suffix, where they are and where others name them."""
    names = {(item["kind"], item["metadata"]["name"]) for item in items}
    for item in items:
        item["metadata"]["name"] += suffix
        spec = item.get("spec", {})
        if ("Service", spec.get("serviceName")) in names:
            spec["serviceName"] += suffix
        for volume in pods_of(item)["spec"]["volumes"] if pods_of(item) else []:
            of = volume.get("secret")
            if of and ("Secret", of["secretName"]) in names:
                of["secretName"] += suffix


def add(items, path):
    if path.is_dir():
        return apply(items, path)
    return items + read(path)


def apply(items, folder):
    """What the folder makes of the objects so far: as a component does. The
    objects of a kustomization are its own."""
    (text,) = read(folder / "kustomization.yaml")
    only(text, folder, *WORDS)
    expect(KINDS.get(text["kind"]) == text["apiVersion"],
           f"{folder}: {text['kind']} {text['apiVersion']}")
    options = text.get("generatorOptions", {})
    only(options, folder, "disableNameSuffixHash")
    expect("secretGenerator" not in text or options["disableNameSuffixHash"],
           f"{folder}: names with a hash are not known here")
    is_component = text["kind"] == "Component"
    own = items if is_component else []
    for path in text.get("resources", []):
        own = add(own, folder / path)
    own = own + [secret(one, folder)
                 for one in text.get("secretGenerator", [])]
    for path in text.get("components", []):
        own = apply(own, folder / path)
    for one in text.get("patches", []):
        patch(own, one, folder)
    for one in text.get("images", []):
        put_image(own, one, folder)
    for one in text.get("labels", []):
        only(one, folder, "pairs", "includeSelectors")
        expect(one["includeSelectors"] is True, f"{folder}: {one}")
        for item in own:
            label(item, one["pairs"])
    named(own, text.get("nameSuffix", ""))
    for item in own:
        if "namespace" in text and item["kind"] not in OF_THE_CLUSTER:
            item["metadata"]["namespace"] = text["namespace"]
    return own if is_component else items + own


def build(folder):
    items = apply([], pathlib.Path(folder).resolve())
    seen = set()
    for item in items:
        key = (item["kind"], item["metadata"]["name"])
        if key in seen:
            raise Failure(f"{folder}: {key} is there twice")
        seen.add(key)
    return items
