"""The shell sessions of the pages work as printed, against a service that runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Spades

ROOT = Path(__file__).parents[2]
COMMANDS = Path(sys.executable).parent
PRINTED = "http://127.0.0.1:8000"


def session(page: str) -> str:
    text = (ROOT / page).read_text()
    return "\n".join(re.findall(r"<!-- session -->\n```sh\n(.*?)```", text, flags=re.DOTALL))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ("README.md", ["Idempotent-Replayed: true", '"hand_seed"', '"type": "hand_started"']),
        ("docs/quickstart.md", ["blind [", "'card':", '"ruleset": "partnership"']),
        (
            "docs/audit.md",
            [
                "Nothing is wrong.",
                "Signature Verified Successfully",
                "bots passed",
                "divergences: []",
            ],
        ),
    ],
)
def test_a_printed_session_works(
    page: str, seen: list[str], spades: Spades, tmp_path: Path
) -> None:
    service = spades.serve()
    script = session(page).replace(PRINTED, service.url)
    assert script
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**spades.environment(), "PATH": f"{COMMANDS}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for text in seen:
        assert text in done.stdout
