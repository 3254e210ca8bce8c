"""What must hold in deploy/kubernetes: check(items, overlay) fails where it does not.

No schema knows these things: that one object finds another, that a setting is one
of its program, that a file is where a setting says, that a pod may do nothing.
"""

import base64
import functools
import re
import subprocess

from harness import BIN, ROOT, Failure, expect
from kustomize import containers_of, pods_of

PROGRAMS = {"coordinator": "superstep-coordinator",
            "worker": "superstep-worker", "console": None}
# Nobody, from inside or outside, gets more rights than compose gives them.
HARDENED = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]}}
PROBES = {"startupProbe": "/live", "livenessProbe": "/live",
          "readinessProbe": "/ready"}
COMPONENT = "app.kubernetes.io/component"
VERSIONS = {
    "Namespace": "v1", "Service": "v1", "Secret": "v1",
    "Deployment": "apps/v1", "StatefulSet": "apps/v1",
    "PodDisruptionBudget": "policy/v1",
    "ServiceMonitor": "monitoring.coreos.com/v1",
    "PrometheusRule": "monitoring.coreos.com/v1",
    "ScaledObject": "keda.sh/v1alpha1"}
# Who reads which files, by the component.
FILES = {
    "coordinator": {"store", "coordinator.key", "allowed"},
    "worker": {"worker.key", "coordinator.pub"},
    "console": {"operator.key", "coordinator.pub"}}
SECRETS_AT = "/run/secrets"  # the programs know that others set the rights there


@functools.cache
def help_of(program):
    return subprocess.run([BIN / program, "--help"], check=True, text=True,
                          capture_output=True).stdout


@functools.cache
def settings_of(program):
    """The variables that a program reads; None: the client."""
    client = {"SUPERSTEP_COORDINATOR", "SUPERSTEP_KEYS"}
    if program is None:
        return client
    names = re.findall(r"^ +(?:-\w, )?--([\w-]+)", help_of(program), re.M)
    found = {"SUPERSTEP_" + name.upper().replace("-", "_") for name in names}
    found |= {name + "_FILE" for name in found}
    return found | client if "SUPERSTEP_CONNECT" in found else found


@functools.cache
def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def user_of_the_image():
    return int(re.search(r"useradd --uid (\d+)",
                         text_of("deploy/Dockerfile"))[1])


def is_part(part, whole):
    return part.items() <= whole.items()


def component(item):
    return item["metadata"]["labels"].get(COMPONENT)


class Manifests:
    def __init__(self, items, others=()):
        """`others`: of the overlay beside which this one is applied."""
        self.items = items
        self.there = [*items, *others]

    def of(self, *kinds, there=False):
        return [item for item in (self.there if there else self.items)
                if item["kind"] in kinds]

    def one(self, kind, name):
        found = [item for item in self.of(kind, there=True)
                 if item["metadata"]["name"] == name]
        expect(len(found) == 1, f"there is no {kind} {name}")
        return found[0]

    def workloads(self, there=False):
        return self.of("Deployment", "StatefulSet", there=there)

    def ours(self):
        return [item for item in self.workloads()
                if component(item) in PROGRAMS]

    def selected(self, selector):
        """The workloads whose pods have these labels."""
        return [item for item in self.workloads(there=True) if is_part(
            selector, pods_of(item)["metadata"]["labels"])]

    # ---------------------------------------------------------- names

    def address(self, host, port):
        """The pods that a name leads to, as (workload, number), if they listen
        at the port."""
        pod, _, service = host.rpartition(".svc")[0].rpartition(".") \
            if host.endswith(".svc") else (host, "", "")
        parts = pod.split(".")
        if host.endswith(".svc"):
            expect(service == self.namespace(),
                   f"{host}: the namespace is {self.namespace()}")
        item = self.one("Service", parts[-1])
        (workload,) = self.selected(item["spec"]["selector"])
        places = [place for place in item["spec"]["ports"]
                  if place["port"] == port]
        expect(len(places) == 1, f"{host}: no service has port {port}")
        ports = {place["name"]: place["containerPort"]
                 for place in containers_of(workload)[0]["ports"]}
        expect(ports.get(places[0]["targetPort"]) == port,
               f"{host}:{port} leads to {ports}")
        if len(parts) == 1:
            return workload, None
        expect(workload["spec"].get("serviceName") == parts[-1]
               and workload["kind"] == "StatefulSet",
               f"{host}: pods have no names there")
        name, _, number = parts[0].rpartition("-")
        expect(name == workload["metadata"]["name"]
               and int(number) < workload["spec"]["replicas"],
               f"{host}: there is no such pod")
        return workload, int(number)

    def namespace(self):
        found = {item["metadata"].get("namespace") for item in self.items
                 if item["kind"] != "Namespace"}
        expect(len(found) == 1, f"namespaces: {found}")
        return found.pop()

    # ---------------------------------------------------------- kinds

    def check_all(self, wanted):
        names = {f"{item['kind']} {item['metadata']['name']}"
                 for item in self.items}
        expect(names == wanted, f"there are {names}, wanted {wanted}")
        for item in self.of("Secret"):
            expect(item["type"] == "Opaque", "a Secret of another type")
        for item in self.items:
            expect(VERSIONS.get(item["kind"]) == item["apiVersion"],
                   f"{item['kind']} is of {item['apiVersion']}")
        for item in self.of("Namespace"):
            expect(item["metadata"]["name"] == self.namespace(),
                   "there is another namespace")
            expect(item["metadata"]["labels"] == {
                "pod-security.kubernetes.io/enforce": "restricted"},
                "the namespace lets in pods with rights")
        for item in self.workloads():
            self.check_workload(item)
        for item in self.ours():
            self.check_ours(item)
        for item in self.workloads():
            if item not in self.ours():
                self.check_database(item)
        for item in self.of("Service"):
            self.check_service(item)
        for item in self.of("PodDisruptionBudget"):
            (workload,) = self.selected(
                item["spec"]["selector"]["matchLabels"])
            self.check_labels(item, workload,
                              item["spec"]["selector"]["matchLabels"])
            expect(item["spec"]["maxUnavailable"] in (1, "25%"),
                   "a node is drained without a look at the others")
        for item in self.of("ServiceMonitor"):
            self.check_monitor(item)
        for item in self.of("PrometheusRule"):
            expect(item["metadata"]["labels"] == {
                "app.kubernetes.io/name": "superstep"} and item["spec"],
                "the rules' labels")
        for item in self.of("ScaledObject"):
            self.check_scaler(item)

    def check_labels(self, item, workload, selector=None):
        """Those of its pods, all of them; so are those that it looks for."""
        labels = pods_of(workload)["metadata"]["labels"]
        expect(item["metadata"]["labels"] == labels
               and selector in (None, labels),
               f"{item['kind']} {item['metadata']['name']}: other labels")

    def check_workload(self, item):
        name = item["metadata"]["name"]
        spec, pod = item["spec"], pods_of(item)["spec"]
        chosen = spec["selector"]["matchLabels"]
        self.check_labels(item, item, chosen)
        found = [other["metadata"]["name"] for other in self.selected(chosen)]
        expect(found == [name], f"{name} takes the pods of {found}")
        expect(spec.get("replicas", 1) >= 1, f"{name}: no pods")
        expect(pod["automountServiceAccountToken"] is False
               and pod["enableServiceLinks"] is False,
               f"{name}: Kubernetes puts more into it than we ask for")
        user = pod["securityContext"]["runAsUser"]
        expect(pod["securityContext"] == {
            "runAsNonRoot": True, "runAsUser": user, "runAsGroup": user,
            "fsGroup": user, "seccompProfile": {"type": "RuntimeDefault"}},
            f"{name}: {pod['securityContext']}")
        (container,) = pod["containers"]
        expect(container["securityContext"] == HARDENED,
               f"{name}: {container['securityContext']}")
        expect(container["name"] == chosen.get(COMPONENT, name),
               f"{name}: its container is called {container['name']}")
        asked = container["resources"]
        expect(set(asked["requests"]) == {"cpu", "memory"}
               and set(asked["limits"]) == {"memory"}, f"{name}: {asked}")
        self.check_volumes(name, item, container)
        for spread in pod.get("topologySpreadConstraints", []):
            expect(spread == {
                "maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": chosen}}, f"{name}: {spread}")

    def check_volumes(self, name, item, container):
        volumes = {volume["name"]: volume
                   for volume in pods_of(item)["spec"]["volumes"]}
        volumes |= {claim["metadata"]["name"]: claim for claim in
                    item["spec"].get("volumeClaimTemplates", [])}
        mounted = {mount["name"]: mount["mountPath"]
                   for mount in container["volumeMounts"]}
        expect(set(volumes) == set(mounted), f"{name}: {set(volumes)} are "
               f"there, {set(mounted)} are mounted")
        expect(mounted.get("tmp") == "/tmp", f"{name}: no /tmp")
        for volume in pods_of(item)["spec"]["volumes"]:
            expect(volume["name"] == "secrets" or "emptyDir" in volume,
                   f"{name}: {volume}")
        secret = volumes["secrets"]["secret"]
        expect(secret["defaultMode"] == 0o440
               and mounted["secrets"] == SECRETS_AT
               and container["volumeMounts"][0].get("readOnly") is True,
               f"{name}: {secret} at {mounted['secrets']}")
        files = set(self.one("Secret", secret["secretName"])["data"])
        named = {line["value"].rpartition("/")[2]
                 for line in container["env"] if line["name"].endswith("_FILE")
                 and line["value"].startswith(SECRETS_AT + "/")}
        wanted = FILES.get(container["name"], named)
        expect(files == wanted and named <= files,
               f"{name}: the secret has {files}, wanted are {wanted}")

    # ---------------------------------------------------------- ours

    def check_ours(self, item):
        name = item["metadata"]["name"]
        what = component(item)
        pod = pods_of(item)["spec"]
        container = pod["containers"][0]
        expect(pod["securityContext"]["runAsUser"] == user_of_the_image(),
               f"{name}: the image has another user")
        expect(container["imagePullPolicy"] == "IfNotPresent",
               f"{name}: images that are here are not used")
        self.check_environment(name, what, container)
        if what == "console":
            expect(container["command"] == ["sleep", "infinity"],
                   f"{name}: {container['command']}")
            expect(pod["terminationGracePeriodSeconds"] == 1, f"{name}: waits")
            return
        expect("command" not in container and "args" not in container,
               f"{name}: not what the image runs")
        expect(pod.get("topologySpreadConstraints"), f"{name}: on one node")
        for probe, page in PROBES.items():
            expect(container[probe]["httpGet"] ==
                   {"path": page, "port": "metrics"}, f"{name}: {probe}")
            expect(page in help_of(PROGRAMS[what]), f"{page} is not served")
        expect(container["startupProbe"]["failureThreshold"] *
               container["startupProbe"]["periodSeconds"] >= 60,
               f"{name}: no time to start")
        budgets = [budget for budget in self.of("PodDisruptionBudget")
                   if item in self.selected(
                       budget["spec"]["selector"]["matchLabels"])]
        expect(len(budgets) == 1, f"{name}: {len(budgets)} budgets")
        self.check_stop(name, what, item)

    def check_stop(self, name, what, item):
        grace = pods_of(item)["spec"]["terminationGracePeriodSeconds"]
        if what == "worker":
            unit = text_of("deploy/systemd/superstep-worker@.service")
            expect(grace == int(re.search(r"^TimeoutStopSec=(\d+)", unit,
                                          re.M)[1]), f"{name}: {grace} s")
            expect(item["kind"] == "Deployment" and item["spec"]["strategy"] ==
                   {"type": "RollingUpdate", "rollingUpdate":
                    {"maxSurge": "25%", "maxUnavailable": 0}},
                   f"{name}: an update takes workers away first")
            return
        drain_ms = int(re.search(r"running tasks \((\d+)",
                                 help_of(PROGRAMS[what]))[1])
        expect(grace * 1000 >= 2 * drain_ms, f"{name}: killed in its drain")
        expect(item["kind"] == "StatefulSet" and
               item["spec"]["updateStrategy"] == {"type": "RollingUpdate"} and
               item["spec"]["podManagementPolicy"] == "Parallel" and
               item["spec"]["replicas"] >= 2,
               f"{name}: one is gone, and nobody takes over")

    def check_database(self, item):
        """Of the image postgres, whose first start reads these variables."""
        container = containers_of(item)[0]
        expect(re.fullmatch(r"postgres:1[3-7]", container["image"]),
               f"{container['image']} has other variables and folders")
        values = {line["name"]: line["value"] for line in container["env"]}
        claim = item["spec"]["volumeClaimTemplates"][0]
        (data, run) = [mount["mountPath"] for mount in
                       container["volumeMounts"]
                       if mount["name"] in (claim["metadata"]["name"], "run")]
        expect(values == {
            "POSTGRES_USER": "superstep", "POSTGRES_DB": "superstep",
            "POSTGRES_PASSWORD_FILE": f"{SECRETS_AT}/postgres_password",
            "PGDATA": f"{data}/pgdata"} and run == "/var/run/postgresql"
            and data == "/var/lib/postgresql/data", f"{values} {data} {run}")
        expect(claim["spec"]["accessModes"] == ["ReadWriteOnce"]
               and claim["spec"]["resources"]["requests"]["storage"],
               "nothing is kept")
        for probe in ("startupProbe", "readinessProbe"):
            expect(container[probe]["exec"]["command"] == [
                "pg_isready", "-q", "-h", "127.0.0.1", "-d", "superstep", "-U",
                "superstep"], f"{probe}: {container[probe]}")

    def check_environment(self, name, what, container):
        known = settings_of(PROGRAMS[what])
        own = {"SUPERSTEP_NAME": "metadata.name",
               "POD_NAMESPACE": "metadata.namespace"}
        values = {}
        for line in container["env"]:
            variable = line["name"]
            expect(variable in known or variable in own,
                   f"{name}: {variable} is not a setting of {PROGRAMS[what]}")
            expect(variable not in values, f"{name}: {variable} comes twice")
            if "valueFrom" in line:
                path = line["valueFrom"]["fieldRef"]["fieldPath"]
                expect(own.get(variable) == path, f"{name}: {variable}: {path}")
                values[variable] = {"metadata.name": f"{name}-0",
                                    "metadata.namespace": self.namespace()
                                    }[path]
                continue
            for used in re.findall(r"\$\((\w+)\)", line["value"]):
                expect(used in values, f"{name}: {variable} comes before {used}")
            values[variable] = re.sub(r"\$\((\w+)\)", lambda found:
                                      values[found[1]], line["value"])
        wanted = {"coordinator": {"NAME", "LISTEN", "ADVERTISE", "METRICS",
                                  "STORE_FILE", "KEYS", "LOG_JSON"},
                  "worker": {"NAME", "COORDINATOR", "KEYS", "METRICS",
                             "CAPACITY", "LOG_JSON"},
                  "console": {"COORDINATOR", "KEYS"}}[what]
        missing = {f"SUPERSTEP_{word}" for word in wanted} - set(values)
        expect(not missing, f"{name}: {missing} not set")
        self.check_values(name, what, container, values)

    def check_values(self, name, what, container, values):
        expect(values["SUPERSTEP_KEYS"] == SECRETS_AT, f"{name}: keys")
        if what != "console":
            ports = {port["name"]: port["containerPort"]
                     for port in container["ports"]}
            expect(values["SUPERSTEP_METRICS"] ==
                   f"0.0.0.0:{ports.get('metrics')}", f"{name}: metrics")
            expect(values["SUPERSTEP_LOG_JSON"] == "1", f"{name}: its log")
        if what == "worker":
            expect(values["SUPERSTEP_CAPACITY"].isdigit(), f"{name}: capacity")
        if what == "coordinator":
            expect(values["SUPERSTEP_LISTEN"] ==
                   f"tcp://0.0.0.0:{ports.get('superstep')}", f"{name}: listen")
            expect(set(ports) == {"superstep", "metrics"}, f"{name}: {ports}")
            host, port = self.endpoint(values["SUPERSTEP_ADVERTISE"])
            workload, number = self.address(host, port)
            expect(workload["metadata"]["name"] == name and number == 0
                   and host.endswith(f".{self.namespace()}.svc"),
                   f"{name} is not found as {host}")
            return
        places = [self.address(*self.endpoint(one)) for one in
                  values["SUPERSTEP_COORDINATOR"].split(",")]
        expect([number for _, number in places] == [0, 1] and all(
            component(workload) == "coordinator" for workload, _ in places),
            f"{name} does not find two coordinators")

    def endpoint(self, text):
        found = re.fullmatch(r"tcp://([\w.-]+):(\d+)", text)
        expect(found, f"{text} is not an endpoint")
        return found[1], int(found[2])

    # ---------------------------------------------------------- others

    def check_service(self, item):
        spec = item["spec"]
        name = item["metadata"]["name"]
        workloads = self.selected(spec["selector"])
        expect(len(workloads) == 1, f"{name} leads to {len(workloads)}")
        self.check_labels(item, workloads[0], spec["selector"])
        expect(spec["clusterIP"] == "None", f"{name}: pods have no names")
        ports = {port["name"]: port["containerPort"]
                 for port in containers_of(workloads[0])[0]["ports"]}
        found = {port["name"]: port["port"] for port in spec["ports"]}
        expect(ports == found and all(
            port["targetPort"] == port["name"] for port in spec["ports"]),
            f"{name}: {spec['ports']}")
        expect(component(item) is None
               or spec["publishNotReadyAddresses"] is True,
               f"{name}: who leaves is not found")
        expect(workloads[0]["kind"] == "Deployment" or
               workloads[0]["spec"]["serviceName"] == name,
               f"{name}: its pods are not called by it")

    def check_monitor(self, item):
        spec = item["spec"]
        ours = {spec["jobLabel"]: "superstep"}
        expect(item["metadata"]["labels"] == ours ==
               spec["selector"]["matchLabels"], f"{ours} are watched")
        found = [service for service in self.of("Service") if is_part(
            spec["selector"]["matchLabels"], service["metadata"]["labels"])]
        expect({component(service) for service in found} ==
               {"coordinator", "worker"}, "not all are watched")
        (endpoint,) = spec["endpoints"]
        expect(endpoint["path"] == "/metrics", f"{endpoint}")
        for service in found:
            expect(endpoint["port"] in [port["name"] for port in
                                        service["spec"]["ports"]],
                   f"{service['metadata']['name']} has no {endpoint['port']}")

    def check_scaler(self, item):
        spec = item["spec"]
        (target,) = [work for work in self.workloads() if
                     work["metadata"]["name"] == spec["scaleTargetRef"]["name"]]
        self.check_labels(item, target)
        expect("replicas" not in target["spec"],
               "an apply takes the number of workers back")
        expect(1 <= spec["minReplicaCount"] < spec["maxReplicaCount"],
               "its bounds")
        calm = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
        expect(calm["scaleDown"]["stabilizationWindowSeconds"] >= 60,
               "it sends workers away at once")
        (trigger,) = spec["triggers"]
        told = trigger["metadata"]
        expect(trigger["type"] == "prometheus" and re.fullmatch(
            r"http://[\w-]+\.[\w-]+\.svc:\d+", told["serverAddress"])
            and told["ignoreNullValues"] == "false", f"{trigger}")
        (capacity,) = [line["value"] for line in containers_of(target)[0]["env"]
                       if line["name"] == "SUPERSTEP_CAPACITY"]
        expect(told["threshold"] == capacity, "a worker takes another number")
        here = re.escape(f'{{namespace="{self.namespace()}"}}')
        expect(re.fullmatch(
            rf"sum\(superstep_tasks_ready{here}\) "
            rf"- \(sum\(superstep_limit_waiting{here}\) or vector\(0\)\) "
            rf"\+ sum\(superstep_tasks_running{here}\)", told["query"]),
            f"what is counted: {told['query']}")


def check(items, wanted, others=()):
    """Raises a Failure that says what is wrong. `wanted`: the objects' kinds and
    names."""
    try:
        Manifests(items, others).check_all(wanted)
    except (KeyError, TypeError, ValueError, AttributeError,
            IndexError) as error:
        raise Failure(f"something is missing: {error!r}") from error


def file_of(item, name):
    """A file of a Secret."""
    return base64.b64decode(item["data"][name])
