"""The `spades` command as a person runs it: in a process of its own.

A folder of tests takes the fixture by importing it in its conftest.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests

from spades.config import SETTINGS

COMMAND = (sys.executable, "-m", "spades.cli")
SAID = "Spades is served on"


@dataclass
class Spades:
    """Runs commands on one data directory."""

    data_dir: Path
    settings: dict[str, str] = field(default_factory=dict)
    served: list["Service"] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        names = {setting.name for setting in SETTINGS}
        others = {name: value for name, value in os.environ.items() if name not in names}
        own = {"SPADES_DATA_DIR": str(self.data_dir), "SPADES_PORT": "0", "SPADES_WORKERS": "1"}
        return {**others, **own, **self.settings}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words],
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def serve(self) -> "Service":
        path = self.data_dir.parent / f"serve-{len(self.served)}.log"
        with path.open("w+") as log:
            process = subprocess.Popen(
                [*COMMAND, "serve"],
                env=self.environment(),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if line.startswith(SAID):
                    self.served.append(Service(process, line.split()[-1].removesuffix("/v1"), path))
                    return self.served[-1]
            process.stdout.close()
            process.wait()
            log.seek(0)
            pytest.fail(f"It does not serve: {''.join(said)}{log.read()}")

    @property
    def postgres(self) -> int:
        data = self.data_dir / "postgres" / "cluster" / "data"
        return int((data / "postmaster.pid").read_text().split()[0])


@dataclass
class Service:
    """A running `spades serve`."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    def readiness(self) -> int | None:
        with suppress(requests.RequestException):
            return requests.get(f"{self.url}/readyz", timeout=10).status_code
        return None

    def stop(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        return self.process.wait(60), self.rest()

    def rest(self) -> str:
        assert self.process.stdout is not None
        with self.process.stdout as said:
            return said.read()

    def children(self) -> dict[int, str]:
        """The pids of the direct children with their command lines."""
        found = {}
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.process.pid:
                    words = (entry / "cmdline").read_text().replace("\0", " ")
                    found[int(entry.name)] = words
        return found


@pytest.fixture
def spades() -> Iterator[Spades]:
    with tempfile.TemporaryDirectory(prefix="spades-test-") as directory:
        Path(directory).chmod(0o711)
        command = Spades(Path(directory) / "data")
        yield command
        for service in command.served:
            if service.process.poll() is None:
                service.stop(2)
            elif service.process.stdout is not None:
                service.process.stdout.close()


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
