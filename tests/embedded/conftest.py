"""Directories for embedded servers that every user of this machine can reach."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HOLD = Path(__file__).with_name("hold.py")

Holder = subprocess.Popen[str]


@pytest.fixture
def directory() -> Iterator[Path]:
    """A directory for one server, short enough for its socket and open to its user."""
    with tempfile.TemporaryDirectory(prefix="spades-test-") as path:
        Path(path).chmod(0o711)
        yield Path(path) / "postgres"


@pytest.fixture
def hold(directory: Path) -> Iterator[Callable[[], Holder]]:
    """Starts supervisors in processes of their own, which end with the test."""
    holders: list[Holder] = []

    def start() -> Holder:
        holders.append(
            subprocess.Popen(
                [sys.executable, HOLD, directory],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return holders[-1]

    yield start
    for holder in holders:
        holder.communicate("")


@pytest.fixture
def as_root() -> None:
    """Only root can test this."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")


@pytest.fixture
def everybodys_python() -> str:
    """A Python like this one that any user may run."""
    for name in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if shutil.which(name) and _is_for_everybody(name):
            return name
    pytest.skip("no Python here that other users may run")


def _is_for_everybody(python: str) -> bool:
    ask = "import sys; print(sys.version_info[:2])"
    try:
        said = subprocess.run(
            [python, "-c", ask],
            user=65534,
            group=65534,
            capture_output=True,
            text=True,
            check=False,
        )
    except PermissionError:
        return False
    return said.stdout.strip() == str(sys.version_info[:2])
