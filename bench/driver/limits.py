"""What PostgreSQL, libzmq and the machine give with nothing of ours around it."""

import re

from harness import BIN
from place import line_of
from postgres import missing, programs
from shapes import Side

CLIENTS = (8, 32, 128)
SECONDS = (3, 1)
ROWS_A_COMMIT = 100
BODY = 250

TABLE = """
CREATE TABLE rival (thread text COLLATE "C", seq bigint, kind smallint,
    format smallint, run uuid, checkpoint uuid, parent uuid, wall bigint,
    checksum bigint, body bytea, PRIMARY KEY (thread, seq))
"""


def insert(rows):
    """A script: rows of other threads, one commit."""
    values = ", ".join(
        f"('thread-' || :client_id || '-{i}', :n, 2, 1, :a, :a, :a, "
        f"1700000000000000, 1234567890123456789, '{'b' * BODY}')"
        for i in range(rows))
    return ("\\set n :n + 1\n"
            "INSERT INTO rival VALUES "
            + values.replace(":a", "'1f0a5c1e-0000-6000-8000-000000000001'")
            + ";\n")


def pgbench(place, rows, clients):
    """(rows a second, ms a commit)"""
    server = place.postgres()
    with place.database() as name:
        server.sql(TABLE, name)
        server.sql("CHECKPOINT", name)
        script = server.folder / "rival.sql"
        script.write_text(insert(rows))
        text = server.tool(
            "pgbench", "-n", "-M", "prepared", "-c", clients, "-j",
            min(clients, 2), "-T", place.size(*SECONDS), "-D", "n=0", "-f",
            script, "-h", server.folder, "-U", "superstep", name).stdout
    rate = re.search(r"^tps = ([\d.]+)", text, re.M)
    latency = re.search(r"^latency average = ([\d.]+)", text, re.M)
    if not rate or not latency:
        raise RuntimeError(f"pgbench with {clients} clients ended nothing in "
                           "its time")
    return float(rate[1]) * rows, float(latency[1])


def one_commit(place, _):
    return pgbench(place, 1, 1)[1] * 1e3


def best_rate(rows):
    def measure(place, _):
        return max(pgbench(place, rows, clients)[0]
                   for clients in (CLIENTS if rows == 1 else (2, 4)))
    return measure


def libzmq(what, count, figure):
    def measure(place, _):
        return figure(line_of(BIN / "bench-limits", what,
                              place.size(*count))["seconds"])
    return measure


def copy(megabytes):
    """memcpy of what the nodes of a run update."""
    def measure(place, _):
        size = place.size(int(megabytes * 1e6), 1000)
        return line_of(BIN / "bench-limits", "copy", size)["seconds"] * 1e6
    return [limit(f"memcpy of the {megabytes} MB that are updated", measure)]


def no_pgbench(_):
    if missing():
        return missing()
    return None if (programs() / "pgbench").exists() else "no pgbench"


def limit(name, measure, absent=lambda place: None):
    return Side(name, "limit", measure, absent, 2)


COMMIT = [limit("pgbench, a row and a commit", one_commit, no_pgbench)]
ROWS = [
    limit("pgbench, rows one a commit", best_rate(1), no_pgbench),
    limit(f"pgbench, rows {ROWS_A_COMMIT} a commit", best_rate(ROWS_A_COMMIT),
          no_pgbench)]
ROUND_TRIP = [limit("libzmq, there and back", libzmq(
    "latency", (5000, 100), lambda seconds: seconds * 1e6))]
MESSAGES = [limit("libzmq, messages one way", libzmq(
    "throughput", (200000, 1000), lambda seconds: 1 / seconds))]
