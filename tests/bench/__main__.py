"""Measures moves over HTTP beside their ceiling, in one run, and prints one table."""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spades.store.embedded import Embedded
from tests.bench.folding import events_per_second

GAMES = 16
WORKERS = os.environ.get("SPADES_WORKERS", "2")
SECONDS = float(os.environ.get("BENCH_SECONDS", "8"))
ROUNDS = 3
KINDS = ("ceiling", "two-player", "pairs")


def free_port() -> int:
    """Returns a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, **environment: str) -> Iterator[None]:
    """Runs a server for as long as the block lasts."""
    process = subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(process, port)
        yield
    finally:
        process.terminate()
        process.wait(60)


def wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    """Waits until a server answers anything at all."""
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None:
                sys.exit(f"the server ended with code {process.returncode}")
            time.sleep(0.1)
    sys.exit("the server does not answer")


def measure(kind: str, port: int, seconds: float = SECONDS) -> dict[str, Any]:
    """Lets the clients loose on a server for a while and returns what they saw."""
    command = ["-m", "tests.bench.load", kind, str(port), str(GAMES), str(seconds)]
    done = subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def rounds(service: int, ceiling: int) -> dict[str, list[dict[str, Any]]]:
    """Measures everything in turn, several times over, so that drift hits all alike."""
    ports = {kind: ceiling if kind == "ceiling" else service for kind in KINDS}
    for kind, port in ports.items():
        measure(kind, port, seconds=1)
    seen: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for _ in range(ROUNDS):
        for kind, port in ports.items():
            seen[kind].append(measure(kind, port))
    return seen


def row(name: str, seen: list[dict[str, Any]], top: float) -> str:
    """Returns one line of the table."""
    rate = statistics.median(len(one["ms"]) / one["seconds"] for one in seen)
    ms = sorted(ms for one in seen for ms in one["ms"])
    p50, p95, p99 = (ms[int(len(ms) * share)] for share in (0.50, 0.95, 0.99))
    moves = sum(len(one["ms"]) for one in seen)
    events = sum(one["events"] for one in seen) / moves
    size = sum(one["bytes"] for one in seen) / moves / 1000
    return (
        f"| {name} | {rate:.0f} | {rate / top:.2f} | {p50:.1f} | {p95:.1f} | {p99:.1f} "
        f"| {events:.1f} | {size:.1f} |"
    )


def table(seen: dict[str, list[dict[str, Any]]]) -> str:
    """Returns the results as a Markdown table, rates beside the ceiling's."""
    top = statistics.median(len(one["ms"]) / one["seconds"] for one in seen["ceiling"])
    names = {
        "ceiling": "ceiling: one append, constant bytes",
        "two-player": "`two-player`, one person, one bot",
        "pairs": "`pairs`, one person, three bots",
    }
    head = (
        "| what | moves/s | of the ceiling | p50 ms | p95 ms | p99 ms | events/move | kB/answer |"
    )
    rule = "|---|---|---|---|---|---|---|---|"
    return "\n".join([head, rule, *(row(names[kind], seen[kind], top) for kind in KINDS)])


def main() -> None:
    """Runs the whole measurement."""
    service, ceiling = free_port(), free_port()
    with tempfile.TemporaryDirectory(prefix="spades-bench-", dir="/var/tmp") as place:
        Path(place).chmod(0o711)
        settings = {
            "SPADES_DATA_DIR": place,
            "SPADES_PORT": str(service),
            "SPADES_WORKERS": WORKERS,
            "SPADES_LOG_LEVEL": "warning",
        }
        url = Embedded(Path(place) / "postgres").url
        constant = ["-m", "gunicorn", "-k", "gevent", "--no-control-socket", "-w", WORKERS]
        constant += ["-b", f"127.0.0.1:{ceiling}", "tests.bench.ceiling:app"]
        with (
            running(["-m", "spades.cli", "serve"], service, **settings),
            running(constant, ceiling, DATABASE_URL=url()),
        ):
            seen = rounds(service, ceiling)
    print(f"{GAMES} games at once, {WORKERS} workers, {os.cpu_count()} cores shared with the")
    print(
        f"clients and PostgreSQL, {ROUNDS} rounds of {SECONDS:.0f} s each, medians and all moves.\n"
    )
    print(table(seen))
    folded, read = events_per_second()
    print(
        f"\nEvents folded a second: {folded:.0f}; read from their records and folded: {read:.0f}."
    )


if __name__ == "__main__":
    main()
