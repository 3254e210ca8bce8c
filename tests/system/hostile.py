"""A hostile peer, as a process of its own: hostile.py KIND ENDPOINT [KEYS]

    stranger   connections with keys that nobody allowed, one after the other
    poser      a client that says it is a worker, as fast as it can, by several
               connections, and by new ones before it can be hung up on
    liar       the same by one connection, which comes back when it is hung up on
    thief      a client that sends under another one's identity
    junk       messages that are none, as fast as it can
    half       connections that say nothing
    huge       a frame of 1 GB
    hoard      many frames that are allowed, and never ended
    deaf       asks for the state of the thread "large" and reads no answer

It says "begun" when it has begun, a line when it is refused for the first time,
and goes on until it is killed. All of it comes from the address 127.0.0.2.
"""

import ctypes
import os
import pathlib
import resource
import select
import socket
import sys
import time

from key_file import halves

DEALER, LINGER, RECONNECT_IVL, ROUTING_ID, SNDHWM = 5, 17, 18, 5, 23
RCVBUF, RCVHWM = 12, 24
PUBLICKEY, SECRETKEY, SERVERKEY, DONTWAIT = 48, 49, 50, 1
# An Envelope of protocol 1 with a Hello: a name and a capacity.
HELLO = bytes.fromhex("0801120a0a06686f7374696c2801")
# One with an Ask: number 1, op "state", body {"thread":"large"}.
ASK = (b"\x08\x01\x62\x1f\x08\x01\x12\x05state\x1a\x14\x12\x12"
       b'{"thread":"large"}')
SOCKETS = 8
RENEW_S = 0.005 # a new connection so often: as many as are let in
HERE = "127.0.0.2"


def say(line):
    print(line, flush=True)


class Zmq:
    """As much of libzmq as one needs to be a nuisance."""

    def __init__(self):
        self.library = ctypes.CDLL("libzmq.so.5")
        self.library.zmq_ctx_new.restype = ctypes.c_void_p
        self.library.zmq_socket.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.library.zmq_ctx_new())

    def socket(self):
        made = ctypes.c_void_p(self.library.zmq_socket(self.context, DEALER))
        while not made.value: # those that were closed still count for a moment
            time.sleep(0.01)
            made.value = self.library.zmq_socket(self.context, DEALER)
        self.set(made, LINGER, 0)
        self.set(made, RECONNECT_IVL, 1)
        self.set(made, SNDHWM, 100)
        return made

    def set(self, made, option, value):
        if isinstance(value, int):
            value = value.to_bytes(4, "little")
        if self.library.zmq_setsockopt(made, option, value, len(value)) != 0:
            sys.exit(f"hostile: option {option} is refused")

    def keys(self, made, server, public, secret):
        self.set(made, SERVERKEY, server)
        self.set(made, PUBLICKEY, public)
        self.set(made, SECRETKEY, secret)

    def pair(self):
        public, secret = (ctypes.create_string_buffer(41) for _ in range(2))
        self.library.zmq_curve_keypair(public, secret)
        return public.raw[:40], secret.raw[:40]

    def connect(self, made, endpoint):
        there = endpoint.removeprefix("tcp://")
        self.library.zmq_connect(made, f"tcp://{HERE}:0;{there}".encode())

    def send(self, made, data):
        return self.library.zmq_send(made, data, len(data), DONTWAIT) >= 0

    def close(self, made):
        self.library.zmq_close(made)


def key_of(path):
    found = halves(path)
    return found["public"].encode(), found["secret"].encode()


def server_of(keys):
    return halves(keys / "coordinator.pub")["public"].encode()


def storm(zmq, new_one):
    """Always SOCKETS of them, all sending, and the oldest gives way to a new
    one."""
    made = [new_one() for _ in range(SOCKETS)]
    renew_at = time.monotonic()
    say("begun")
    while True:
        sent = [zmq.send(one, HELLO) for one in made]
        if time.monotonic() >= renew_at:
            renew_at += RENEW_S
            zmq.close(made.pop(0))
            made.append(new_one())
        elif not any(sent):
            time.sleep(0.001)


def stranger(endpoint, keys):
    zmq, server = Zmq(), server_of(keys)

    def new_one():
        made = zmq.socket()
        zmq.keys(made, server, *zmq.pair())
        zmq.connect(made, endpoint)
        return made

    storm(zmq, new_one)


def client_of(zmq, endpoint, keys, identity):
    made = zmq.socket()
    public, secret = key_of(keys / "client.key")
    zmq.keys(made, server_of(keys), public, secret)
    zmq.set(made, ROUTING_ID, identity or public[:16] + os.urandom(8))
    zmq.connect(made, endpoint)
    return made


def poser(endpoint, keys):
    zmq = Zmq()
    storm(zmq, lambda: client_of(zmq, endpoint, keys, None))


def liar(endpoint, keys):
    zmq = Zmq()
    flood(zmq, client_of(zmq, endpoint, keys, None), HELLO)


def thief(endpoint, keys):
    zmq = Zmq()
    flood(zmq, client_of(zmq, endpoint, keys, b"m" * 32), HELLO)


def flood(zmq, made, data):
    say("begun")
    while True:
        if not zmq.send(made, data):
            time.sleep(0.001)


def deaf(endpoint, _):
    """Once: libzmq does not notice that it was hung up on while it has no room
    to read."""
    zmq = Zmq()
    made = zmq.socket()
    zmq.set(made, RCVHWM, 1)
    zmq.set(made, RCVBUF, 4096)
    zmq.connect(made, endpoint)
    say("begun")
    while True:
        zmq.send(made, ASK)
        time.sleep(0.02) # what it asks for takes time: the others get some


def junk(endpoint, _):
    zmq = Zmq()
    made = zmq.socket()
    zmq.connect(made, endpoint)
    flood(zmq, made, b"GET / HTTP/1.1")


def connect(endpoint, waits=True):
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    made = socket.socket()
    made.bind((HERE, 0))
    made.setblocking(waits)
    if waits:
        made.connect((host, int(port)))
    else:
        made.connect_ex((host, int(port)))
    return made


def half(endpoint, _):
    """As fast as it can: keeps what is accepted, and gives up the oldest of what
    is not."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    room = min(files // 2 - 64, 2000)
    asked, there, refused = {}, {}, False
    watch = select.epoll()
    say("begun")
    while True:
        try:
            if len(asked) >= room:
                asked.pop(next(iter(asked))).close()
            if len(there) < room:
                one = connect(endpoint, waits=False)
                asked[one.fileno()] = one
                watch.register(one, select.EPOLLOUT | select.EPOLLRDHUP |
                               select.EPOLLET)
        except OSError:
            time.sleep(0.01)
        for fd, event in watch.poll(0):
            one = asked.pop(fd, None) or there.pop(fd)
            if event == select.EPOLLOUT:
                there[fd] = one
                continue
            one.close()
            if not refused:
                refused = True
                say("refused")


def frame_of_a_gigabyte(endpoint):
    """What was taken of it until somebody hung up."""
    with connect(endpoint) as made:
        made.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" +
                     b"NULL".ljust(20, b"\0") + bytes(32))
        ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
        made.sendall(b"\x04" + bytes([len(ready)]) + ready)
        sent = 0
        try:
            made.sendall(b"\x02" + (1 << 30).to_bytes(8, "big"))
            while sent < 1 << 30:
                sent += made.send(bytes(1 << 16))
        except ConnectionError:
            pass
        return sent


def hoard(endpoint, _):
    made = []
    say("begun")
    while True:
        one = connect(endpoint)
        try:
            one.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" +
                        b"NULL".ljust(20, b"\0") + bytes(32))
            one.sendall(b"\x02" + (40 << 20).to_bytes(8, "big"))
            one.sendall(bytes(30 << 20))
        except OSError:
            say("refused")
        made = made[-100:] + [one]


def huge(endpoint, _):
    say("begun")
    is_said = False
    while True:
        try:
            sent = frame_of_a_gigabyte(endpoint)
        except OSError:
            sent = 0
        if sent < 1 << 30 and not is_said:
            is_said = True
            say(f"refused after {sent} bytes")
        time.sleep(0.01)


def main():
    kind, endpoint = sys.argv[1:3]
    keys = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    {"stranger": stranger, "poser": poser, "liar": liar, "thief": thief,
     "junk": junk, "half": half, "huge": huge, "hoard": hoard,
     "deaf": deaf}[kind](endpoint, keys)


if __name__ == "__main__":
    main()
