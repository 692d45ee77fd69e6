"""Becomes another program, as another user, that ends when its parent does.

Run as a script: `launch.py UID GID PARENT PROGRAM ARGUMENTS...`. A process of its own because
the death signal is forgotten when the user changes, so it must be asked for after that.
"""

import os
import signal
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def main(uid: int, gid: int, parent: int, command: list[str]) -> None:
    """Drops to the user, ties its life to the parent's where the OS can, runs the command."""
    prctl = _prctl()
    if os.geteuid() != uid:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    os.umask(0o077)
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:
            sys.exit("The parent ended before its child began.")
    os.execv(command[0], command)


def _prctl() -> Callable[[int, int], int] | None:
    """Loads what is needed of the OS while this user can still read it."""
    if sys.platform != "linux":
        return None
    import ctypes

    call: Callable[[int, int], int] = ctypes.CDLL(None).prctl
    return call


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
