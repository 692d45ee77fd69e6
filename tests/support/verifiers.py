"""Both verifiers: the service's in this process, and the one in JavaScript by its command."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from spades.audit.verifier import verified
from spades.bots import VERSIONS

SCRIPT = Path(__file__).parents[2] / "docs" / "verifier" / "verify.mjs"
NODE = shutil.which("node")
BETWEEN_FILES = {"exports", "agreement", "seeds"}

needs_node = pytest.mark.skipif(NODE is None, reason="needs Node for the verifier in JavaScript")


class Found(NamedTuple):
    """A finding, as far as both verifiers tell it alike."""

    check: str
    version: int | None
    pointer: str
    detail: str


def in_python(data: bytes) -> list[Found]:
    """What the service's verifier finds in one file."""
    return [_found(told) for told in told_in_python({"file": data})["findings"]]


def told_in_python(files: Mapping[str, bytes], jwks: Any = None) -> dict[str, Any]:
    """All that the service's verifier tells of files."""
    return verified(files, jwks, VERSIONS).as_json()


def in_javascript(files: Mapping[str, bytes]) -> dict[str, list[Found]]:
    """What the verifier in JavaScript finds in each of many files that have nothing to do with
    one another."""
    told = told_in_javascript(files)
    found: dict[str, list[Found]] = {name: [] for name in files}
    for finding in told["findings"]:
        if finding["check"] not in BETWEEN_FILES:
            found[finding["file"]].append(_found(finding))
    return found


def told_in_javascript(files: Mapping[str, bytes], jwks: Any = None) -> dict[str, Any]:
    """All that the verifier in JavaScript tells of files."""
    with tempfile.TemporaryDirectory() as directory:
        for name, data in files.items():
            Path(directory, name).write_bytes(data)
        words = [*files, "--json"]
        if jwks is not None:
            Path(directory, "jwks.json").write_text(json.dumps(jwks))
            words += ["--jwks", "jwks.json"]
        ran = run_javascript(*words, folder=directory)
    assert ran.returncode in (0, 1), ran.stderr
    assert ran.stderr == ""
    told: dict[str, Any] = json.loads(ran.stdout)
    assert told["ok"] is (ran.returncode == 0)
    return told


def run_javascript(*words: str, folder: str) -> subprocess.CompletedProcess[str]:
    """Runs the verifier in JavaScript as a person would."""
    return subprocess.run(
        [str(NODE), str(SCRIPT), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def _found(told: Mapping[str, Any]) -> Found:
    return Found(told["check"], told["version"], told["pointer"] or "", told["detail"])
