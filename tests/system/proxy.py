"""Between a client and a PostgreSQL: cuts a session in the middle of a commit, or
holds it there.

It listens on a socket in a folder of its own and reads the protocol just so far
that it knows a Sync (the client asks for the commit of what it sent) and a
ReadyForQuery (the server has done it).
"""

import pathlib
import shutil
import socket
import struct
import tempfile
import threading

NAME = ".s.PGSQL.5432"
SYNC = ord("S")
READY = ord("Z")


class Messages:
    """Splits a stream of the protocol; `has_types`: but for its first one."""

    def __init__(self, has_types):
        self.rest = b""
        self.is_first = not has_types

    def take(self, data):
        """[(type, bytes)] of what is whole; the type of the first is 0."""
        self.rest += data
        whole = []
        while True:
            head = 0 if self.is_first else 1
            if len(self.rest) < head + 4:
                return whole
            size = head + struct.unpack_from("!I", self.rest, head)[0]
            if len(self.rest) < size:
                return whole
            kind = 0 if self.is_first else self.rest[0]
            whole.append((kind, self.rest[:size]))
            self.rest = self.rest[size:]
            self.is_first = False


class Session:
    def __init__(self, proxy, client, server):
        self.proxy = proxy
        self.client = client
        self.server = server
        self.swallows = False
        self.threads = [threading.Thread(target=self._up),
                        threading.Thread(target=self._down)]
        for thread in self.threads:
            thread.start()

    def cut(self):
        for end in (self.client, self.server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _up(self):
        messages = Messages(has_types=False)
        asked = b""
        try:
            while data := self.client.recv(65536):
                for kind, text in messages.take(data):
                    asked += text
                    if kind == SYNC:
                        how = self.proxy.judge(asked)
                        asked = b""
                        if how == "before":
                            return
                        self.swallows = self.swallows or how == "after"
                    self.server.sendall(text)
        except OSError:
            pass
        finally:
            self.cut()

    def _down(self):
        messages = Messages(has_types=True)
        try:
            while data := self.server.recv(65536):
                kinds = [kind for kind, _ in messages.take(data)]
                if not self.swallows:
                    self.client.sendall(data)
                elif READY in kinds:
                    return
        except OSError:
            pass
        finally:
            if self.swallows:
                self.proxy.is_done.set()
            self.cut()


class Proxy:
    """Leaving it ends it. `server_folder` holds the server's socket."""

    def __init__(self, server_folder):
        self.target = str(pathlib.Path(server_folder) / NAME)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="superstep-px-"))
        self.lock = threading.Lock()
        self.how = None
        self.left = 0
        self.marker = b""
        self.cuts = 0
        self.is_held = threading.Event()
        self.is_released = threading.Event()
        self.is_done = threading.Event()
        self.sessions = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / NAME))
        self.listener.listen(64)
        self.thread = threading.Thread(target=self._accept)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.release("before")
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        for session in self.sessions:
            session.cut()
            for thread in session.threads:
                thread.join()
            session.client.close()
            session.server.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def cut(self, how, count):
        """Cut at the `count`th commit from now: "before" it was asked for, or
        "after" it was made, with its answer."""
        with self.lock:
            self.how = how
            self.left = count
            self.marker = b""

    def hold(self, marker, count):
        """Hold the `count`th commit from now of what has `marker` in it, before
        it is asked for: is_held is set then, and release() decides."""
        for event in (self.is_held, self.is_released, self.is_done):
            event.clear()
        with self.lock:
            self.how = "hold"
            self.left = count
            self.marker = marker

    def release(self, how):
        """The commit that is held: "before", "after", as in cut(). is_done is
        set when the server has done it, or is gone."""
        with self.lock:
            self.how = how
        self.is_released.set()

    def judge(self, asked):
        """What becomes of the commit of what was asked."""
        with self.lock:
            if not self.how or self.marker not in asked:
                return None
            self.left -= 1
            if self.left != 0:
                return None
            if self.how != "hold":
                self.cuts += 1
                return self.how
        self.is_held.set()
        self.is_released.wait()
        return self.how

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.target)
            except OSError:
                client.close()
                server.close()
                continue
            self.sessions.append(Session(self, client, server))
