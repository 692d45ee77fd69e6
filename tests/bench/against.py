"""Measures moves over HTTP beside those of an earlier commit, in one run.

`python -m tests.bench.against COMMIT` serves both, each on a database of its own, and measures
them in turn. The packages are those of this checkout.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.__main__ import ROUNDS, SECONDS, WORKERS, free_port, measure, running

RULESETS = ("two-player", "pairs")


@contextmanager
def checked_out(commit: str, place: Path) -> Iterator[Path]:
    """Gives a work tree of a commit."""
    tree = place / "tree"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, commit], check=True)
    try:
        yield tree
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", tree], check=True)


@contextmanager
def serving(source: Path, data: Path) -> Iterator[int]:
    """Serves the package of a source tree and gives the port."""
    port = free_port()
    settings = {
        "PYTHONPATH": str(source),
        "SPADES_DATA_DIR": str(data),
        "SPADES_PORT": str(port),
        "SPADES_WORKERS": WORKERS,
        "SPADES_LOG_LEVEL": "warning",
    }
    with running(["-m", "spades.cli", "serve"], port, **settings):
        yield port


def rate(seen: list[dict[str, Any]]) -> float:
    """Returns the median moves a second."""
    return float(statistics.median(len(one["ms"]) / one["seconds"] for one in seen))


def main(commit: str) -> None:
    """Runs the comparison and prints a line for each ruleset."""
    with tempfile.TemporaryDirectory(prefix="spades-bench-", dir="/var/tmp") as name:
        place = Path(name)
        place.chmod(0o711)
        with (
            checked_out(commit, place) as tree,
            serving(tree / "service", place / "before") as before,
            serving(Path("service").absolute(), place / "now") as now,
        ):
            seen = {ruleset: compared(ruleset, before, now) for ruleset in RULESETS}
    print(f"Medians of {2 * ROUNDS} rounds of {SECONDS:.0f} s, {os.cpu_count()} cores.")
    print("| what | moves/s before | moves/s now | now : before |")
    print("|---|---|---|---|")
    for ruleset, (old, new) in seen.items():
        print(f"| `{ruleset}` | {rate(old):.0f} | {rate(new):.0f} | {rate(new) / rate(old):.2f} |")


def compared(
    ruleset: str, before: int, now: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Measures one ruleset on both in turn, each first as often, so that drift hits both alike."""
    seen: dict[int, list[dict[str, Any]]] = {before: [], now: []}
    for port in seen:
        measure(ruleset, port, seconds=1)
    for round_ in range(2 * ROUNDS):
        for port in (before, now) if round_ % 2 else (now, before):
            seen[port].append(measure(ruleset, port))
    return seen[before], seen[now]


if __name__ == "__main__":
    main(sys.argv[1])
