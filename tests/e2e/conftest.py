from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.command import Service, Spades, spades

__all__ = ["service", "spades"]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service that runs: gunicorn with two workers over an embedded PostgreSQL."""
    with TemporaryDirectory(prefix="spades-e2e-") as directory:
        Path(directory).chmod(0o711)
        served = Spades(Path(directory) / "data", {"SPADES_WORKERS": "2"}).serve()
        yield served
        served.stop(2)
        assert "Traceback" not in served.log.read_text()
