"""What a killed server or supervisor leaves behind, and how it is cleared away."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spades.errors import DatabaseUnavailable

HAS_PROC = Path("/proc/self/cwd").is_symlink()
# Politely first: a fast shutdown, then an immediate one, which recovery makes good.
MEASURES = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))


def clear(data: Path) -> None:
    """Ends every server process that still uses the data directory and drops its stale pid file.

    Call it only while holding the supervisor's lock.
    """
    for number, patience in MEASURES:
        for pid in server_processes(data):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if _gone_within(patience, data):
            break
    else:
        raise DatabaseUnavailable(f"An old PostgreSQL still uses {data} and can't be stopped.")
    (data / "postmaster.pid").unlink(missing_ok=True)


def server_processes(data: Path) -> list[int]:
    """Returns the processes of a server, or of one whose head has died, on this directory."""
    if HAS_PROC:
        return [pid for pid in _all_pids() if _is_server_in(pid, data)]
    return [pid for pid in _pid_file(data) if _command(pid).count(str(data))]


def _gone_within(seconds: float, data: Path) -> bool:
    end = time.monotonic() + seconds
    while server_processes(data):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _all_pids() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def _is_server_in(pid: int, data: Path) -> bool:
    process = Path("/proc", str(pid))
    try:
        if (process / "cwd").readlink() != data:
            return False
        return (process / "exe").readlink().name.removesuffix(" (deleted)") == "postgres"
    except OSError:
        return False


def _pid_file(data: Path) -> list[int]:
    try:
        return [int((data / "postmaster.pid").read_text().split("\n", 1)[0])]
    except (OSError, ValueError):
        return []


def _command(pid: int) -> str:
    ps = ["ps", "-o", "command=", "-p", str(pid)]
    return subprocess.run(ps, capture_output=True, text=True, check=False).stdout
