"""Both verifiers as a person runs them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cheats import CHEATS
from tests.support.damage import garbage
from tests.support.exports import finished
from tests.support.statements import JWKS, STRANGER, office, signed_result
from tests.support.verifiers import needs_node, run_javascript

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def spades_verify(*words: str, folder: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "spades.cli", "verify", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


COMMANDS = [
    pytest.param(spades_verify, id="python"),
    pytest.param(run_javascript, id="javascript", marks=needs_node),
]
both = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game.ndjson").write_bytes(office().export(0))
    (tmp_path / "jwks.json").write_text(json.dumps(JWKS))
    result = office().result(0)
    (tmp_path / "result.json").write_text(json.dumps(signed_result(result)))
    (tmp_path / "forged.json").write_text(json.dumps(signed_result(result, STRANGER)))
    cheat = next(cheat for cheat in CHEATS if cheat.name == "a_revoke")
    (tmp_path / "revoke.ndjson").write_bytes(cheat.careful(finished("partnership", 2)))
    return tmp_path


@both
def test_nothing_wrong_ends_with_0(command: Command, folder: Path) -> None:
    ran = command("game.ndjson", "result.json", "--jwks", "jwks.json", folder=str(folder))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "game.ndjson" in ran.stdout


@both
def test_a_finding_ends_with_1_and_names_file_event_and_check(
    command: Command, folder: Path
) -> None:
    ran = command("revoke.ndjson", folder=str(folder))
    assert (ran.returncode, ran.stderr) == (1, "")
    (line,) = [line for line in ran.stdout.splitlines() if ": event " in line]
    assert line.startswith("revoke.ndjson: event ")
    assert ": actions: " in line


@both
def test_in_json_all_is_one_object(command: Command, folder: Path) -> None:
    ran = command("game.ndjson", "forged.json", "--jwks", "jwks.json", "--json", folder=str(folder))
    told = json.loads(ran.stdout)
    assert ran.returncode == 1
    assert not told["ok"]
    assert [(f["file"], f["check"]) for f in told["findings"]] == [("forged.json", "signature")]
    assert {file["file"] for file in told["files"]} >= {"game.ndjson"}


@both
def test_a_key_set_that_is_none_is_not_taken_for_one(command: Command, folder: Path) -> None:
    (folder / "keys.json").write_text("[]")
    ran = command("result.json", "--jwks", "keys.json", folder=str(folder))
    assert ran.returncode in (1, 2)
    assert "Traceback" not in ran.stderr


@both
def test_a_file_that_is_not_there_and_no_file_end_with_2(command: Command, folder: Path) -> None:
    assert command("nowhere.ndjson", folder=str(folder)).returncode == 2
    assert command(folder=str(folder)).returncode == 2


@pytest.mark.slow
@both
def test_garbage_ends_with_1_and_findings_and_no_trace(command: Command, tmp_path: Path) -> None:
    names = []
    for name, data in garbage(finished("pairs")):
        (tmp_path / name).write_bytes(data)
        names.append(name)
    ran = command(*names, "--json", folder=str(tmp_path))
    assert (ran.returncode, ran.stderr) == (1, "")
    assert {finding["file"] for finding in json.loads(ran.stdout)["findings"]} == set(names)
