"""A hostile peer, as a process of its own: hostile.py KIND ENDPOINT [KEYS]

    stranger   connections with keys that nobody allowed, one after the other
    poser      a client that says it is a worker, as fast as it can
    junk       messages that are none, as fast as it can
    half       connections that say nothing
    huge       a frame of 1 GB

It says "begun" when it has begun, a line when it is refused for the first time,
and goes on until it is killed. All of it comes from the address 127.0.0.2.
"""

import ctypes
import pathlib
import select
import socket
import sys
import time

DEALER, LINGER, RECONNECT_IVL, ROUTING_ID, SNDHWM = 5, 17, 18, 5, 23
PUBLICKEY, SECRETKEY, SERVERKEY, DONTWAIT = 48, 49, 50, 1
# An Envelope of protocol 1 with a Hello: a name and a capacity.
HELLO = bytes.fromhex("0801120a0a06686f7374696c2801")
SOCKETS = 8
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
    fields = dict(line.split(" ", 1) for line in path.read_text().splitlines()
                  if line and not line.startswith("#"))
    return fields["public"].encode(), fields["secret"].encode()


def stranger(endpoint, keys):
    zmq = Zmq()
    server = (keys / "coordinator.pub").read_text().strip().encode()
    say("begun")
    while True:
        made = [zmq.socket() for _ in range(SOCKETS)]
        for one in made:
            zmq.keys(one, server, *zmq.pair())
            zmq.connect(one, endpoint)
            zmq.send(one, HELLO)
        time.sleep(0.2)
        for one in made:
            zmq.close(one)


def flood(endpoint, keys, data):
    zmq = Zmq()
    made = zmq.socket()
    if keys:
        server = (keys / "coordinator.pub").read_text().strip().encode()
        public, secret = key_of(keys / "client.key")
        zmq.keys(made, server, public, secret)
        zmq.set(made, ROUTING_ID, public[:16] + b"hostile")
    zmq.connect(made, endpoint)
    say("begun")
    while True:
        if not zmq.send(made, data):
            time.sleep(0.001)


def connect(endpoint):
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    made = socket.socket()
    made.bind((HERE, 0))
    made.connect((host, int(port)))
    return made


def is_closed(made):
    try:
        return select.select([made], [], [], 0)[0] and not made.recv(4096)
    except ConnectionError:
        return True


def half(endpoint, _):
    made, refused = [], False
    say("begun")
    while True:
        try:
            made.append(connect(endpoint))
        except OSError:
            time.sleep(0.01)
        open_ones = [one for one in made if not is_closed(one)]
        for one in set(made) - set(open_ones):
            one.close()
        if len(open_ones) < len(made) and not refused:
            refused = True
            say("refused")
        made = open_ones
        if refused:
            time.sleep(0.01)


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
    if kind == "poser":
        flood(endpoint, keys, HELLO)
    elif kind == "junk":
        flood(endpoint, keys, b"GET / HTTP/1.1")
    else:
        {"stranger": stranger, "half": half, "huge": huge}[kind](
            endpoint, keys)


if __name__ == "__main__":
    main()
