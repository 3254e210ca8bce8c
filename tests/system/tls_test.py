#!/usr/bin/env python3
"""A PostgreSQL that takes TLS only, and a role with few rights
(deploy/postgres-role.sql): coordinators do their work all the same, what is
wrong is said, and no password shows."""

import random
import shutil
import socket
import subprocess
import sys

import harness
import postgres
from harness import BIN, LIB, ROOT, World, expect

HELLO = LIB / "libhello.so"
ROLE = ROOT / "deploy/postgres-role.sql"
PASSWORD = "pa55-of-the-test"


# Below those that the system gives to whoever asks for any port: between our
# look and the server's start nobody takes one of these by chance.
PORTS = range(20000, 30000)


def free_port():
    while True:
        port = random.choice(PORTS)
        with socket.socket() as made:
            try:
                made.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Server(postgres.Postgres):
    """A server with a certificate that it made itself."""

    def __init__(self):
        self.port = free_port()
        super().__init__(settings=[
            f"port={self.port}", "listen_addresses=127.0.0.1", "ssl=on",
            "ssl_cert_file=server.crt", "ssl_key_file=server.key",
            "password_encryption=scram-sha-256"])

    def start(self):
        if self.count == 0:
            self.certify(self.data / "server")
            self.certify(self.folder / "other")
            certificate = self.folder / "root.crt"
            shutil.copy(self.data / "server.crt", certificate)
            certificate.chmod(0o644)
            (self.data / "pg_hba.conf").write_text(
                "local all all trust\n"
                "hostssl all all 127.0.0.1/32 scram-sha-256\n")
        super().start()

    def certify(self, path):
        done = subprocess.run(
            ["openssl", "req", "-new", "-x509", "-days", "2", "-nodes",
             "-newkey", "rsa:2048", "-keyout", f"{path}.key", "-out",
             f"{path}.crt", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost"],
            capture_output=True, text=True, preexec_fn=postgres._drop_root)
        expect(done.returncode == 0, done.stderr)

    def psql(self, *words, stdin=None, check=True):
        return self.tool("psql", "-X", "-q", "-A", "-t", "-h", self.folder,
                         "-p", self.port, "-d", "postgres", *words,
                         stdin=stdin, check=check)

    def make_role(self):
        self.psql("-U", "superstep", "-v", "role=app", "-v", "schema=graphs",
                  "-v", f"password={PASSWORD}", stdin=ROLE.read_text())

    def dsn(self, password=PASSWORD, root="root.crt", mode="verify-full"):
        # By its name: libpq before 15 looks for no address in a certificate.
        return (f"postgres://app:{password}@localhost:{self.port}/postgres"
                f"?schema=graphs&sslmode={mode}"
                f"&sslrootcert={self.folder / root}")


def test_a_coordinator_works_over_tls_with_few_rights():
    with Server() as server, World() as world:
        server.make_role()
        server.make_role()  # again does no harm
        coordinator = world.coordinator("--store", server.dsn())
        world.worker(HELLO)
        done = world.ask("run", "hello", "--thread", "t", "--input",
                         '{"name": "Ada"}')
        expect(done["status"] == "done", str(done))
        sessions = server.psql(
            "-U", "superstep", "-c",
            "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity "
            "USING (pid) WHERE usename = 'app'").stdout.strip()
        expect(sessions == "t", f"sessions with TLS: {sessions!r}")
        world.do("prune", "t")
        world.do("delete", "t")
        expect(coordinator.stop() == 0, coordinator.text())
        expect(PASSWORD not in coordinator.text(), coordinator.text())


def test_the_role_can_do_nothing_else():
    with Server() as server:
        server.make_role()
        server.psql("-U", "superstep", "-c",
                    "CREATE TABLE public.other (x int)")
        for sql in ("CREATE SCHEMA more", "CREATE TABLE public.more (x int)",
                    "CREATE TEMP TABLE more (x int)", "CREATE ROLE more",
                    "SELECT * FROM public.other", "CREATE DATABASE more",
                    "COPY (SELECT 1) TO PROGRAM 'true'",
                    "SELECT pg_read_file('/etc/passwd')"):
            done = server.psql("-U", "app", "-c", sql, check=False)
            expect(done.returncode != 0, f"{sql}: it may")
            expect("denied" in done.stderr or "must be" in done.stderr,
                   f"{sql}: {done.stderr}")
        server.psql("-U", "app", "-c", "CREATE TABLE graphs.own (x int)")


def cannot_start(world, dsn, *words):
    coordinator = world.start(
        "coordinator", BIN / "superstep-coordinator", "--listen",
        harness.ANY_PORT, "--verbose", "--store", dsn)
    expect(coordinator.wait() == 1, coordinator.text())
    for word in words:
        expect(word in coordinator.text(), coordinator.text())
    expect(PASSWORD not in coordinator.text(), coordinator.text())


def test_what_is_wrong_is_said_and_no_password_shows():
    with Server() as server, World() as world:
        server.make_role()
        cannot_start(world, server.dsn(root="other.crt"), "certificate")
        cannot_start(world, server.dsn(mode="disable", root="none"),
                     "pg_hba.conf")
        cannot_start(world, server.dsn(password=PASSWORD + "x"),
                     "password authentication failed")
        cannot_start(world, server.dsn() + "&no_such_option=1", "URL")
        cannot_start(world, f"postgres://app:{PASSWORD}@[127.0.0.1/x", "URL")
        cannot_start(world, f"postgres://app:{PASSWORD}%zz@127.0.0.1/x")
        cannot_start(world, f"postgres://app:{PASSWORD}@127.0.0.1:0/x")
        cannot_start(world, f"postgresq://app:{PASSWORD}@127.0.0.1:0/x")


if __name__ == "__main__":
    why = postgres.missing()
    if why is None and not shutil.which("openssl"):
        why = "openssl is not installed"
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    harness.main(globals())
