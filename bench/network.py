"""A network of one's own: loopback where only this process and those that it
starts are, so that connections can be counted, and where it can be said which
processor does the kernel's work on what arrives.

On the loopback that work is otherwise done by who sends, in the middle of its
send(): an attacker would pay for what its victim's kernel has to do.
"""

import ctypes
import fcntl
import os
import pathlib
import socket
import struct
import tempfile

CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
MS_REC, MS_PRIVATE, MNT_DETACH = 0x4000, 0x40000, 2
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
STEERING = "class/net/lo/queues/rx-0/rps_cpus"


class Network:
    """Ask for it before anything is started. Only root can have it; others stay
    in the machine's network, where nothing is steered."""

    def __init__(self):
        self.steering = None
        self.libc = ctypes.CDLL(None, use_errno=True)
        if self.libc.unshare(CLONE_NEWNET | CLONE_NEWNS) == 0:
            self._bring_up()
            self._find_steering()

    def _bring_up(self):
        with socket.socket() as one:
            fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))

    def _find_steering(self):
        """/sys shows the network of whoever mounted it: ours, for a moment."""
        self.libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None)
        place = tempfile.mkdtemp(prefix="superstep-sys-")
        if self.libc.mount(b"sysfs", place.encode(), b"sysfs", 0, None) == 0:
            try:
                self.steering = os.open(f"{place}/{STEERING}", os.O_RDWR)
            except OSError:
                pass
            self.libc.umount2(place.encode(), MNT_DETACH)
        os.rmdir(place)

    def steer(self, processor):
        """What arrives is worked on there; None: where it was sent. False: it
        cannot be said."""
        if self.steering is None:
            return False
        mask = 0 if processor is None else 1 << processor
        groups = [f"{mask >> at & 0xffffffff:08x}"
                  for at in range(32 * (mask.bit_length() // 32), -1, -32)]
        os.pwrite(self.steering, ",".join(groups).encode(), 0)
        return True

    def connections(self):
        """How many were begun so far."""
        names, numbers = [
            line.split()
            for line in pathlib.Path("/proc/net/snmp").read_text().splitlines()
            if line.startswith("Tcp:")]
        return int(numbers[names.index("ActiveOpens")])
