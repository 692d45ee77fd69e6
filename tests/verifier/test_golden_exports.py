"""What any version exported is verified and served again to the same bytes, for ever."""

import json
from pathlib import Path
from typing import Any

import pytest

from spades.audit.exports import export_of
from spades.audit.ledger import GAME_SEED, ledger_of
from spades.audit.log import JsonObject, Record
from spades.game.audience import SPECTATOR
from spades.game.rulesets import RULESETS
from tests.golden.exports import __main__ as generator
from tests.support.exports import PUBLIC, Event, closed, leaves_of, read
from tests.support.verifiers import (
    needs_node,
    told_in_javascript,
    told_in_python,
)

VERSIONS = sorted(Path(generator.__file__).parent.glob("[0-9]*"))
FINISHED = [path for folder in VERSIONS for path in sorted(folder.glob("*-finished-*.ndjson"))]

in_each_version = pytest.mark.parametrize("folder", VERSIONS, ids=lambda path: path.name)


def files_in(folder: Path) -> tuple[dict[str, bytes], Any]:
    """The files of a version, and its keys."""
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return files, json.loads(files.pop("jwks.json"))


@in_each_version
def test_a_version_left_each_kind_of_file(folder: Path) -> None:
    files, _ = files_in(folder)
    for ruleset in RULESETS:
        for kind in ("finished-spectator", "running-spectator", "running-S"):
            assert f"{ruleset}-{kind}.ndjson" in files
    logs = [read(data) for name, data in files.items() if name.endswith(".ndjson")]
    events = [event for log in logs for event in log.events]
    assert "token_reissued" in {event["type"] for event in events}
    assert "bot" in {event["actor"] for event in events}
    assert {"result.json", "consistency.json"} <= set(files)


@in_each_version
def test_everything_that_a_version_wrote_passes(folder: Path) -> None:
    files, jwks = files_in(folder)
    told = told_in_python(files, jwks)
    assert told["findings"] == []
    finished = [file for file in told["files"] if "-finished-" in file["file"]]
    assert {verdict for file in finished for verdict in file["checks"].values()} == {"passed"}


@needs_node
@in_each_version
def test_everything_that_a_version_wrote_passes_in_javascript(folder: Path) -> None:
    files, jwks = files_in(folder)
    assert told_in_javascript(files, jwks)["findings"] == []


@pytest.mark.parametrize("path", FINISHED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_finished_game_is_served_again_from_its_records_byte_for_byte(path: Path) -> None:
    export = path.read_bytes()
    log = read(export)
    seed = log.events[-1]["data"]["game_seed"]
    first, *others = (record_of(event) for event in log.events)
    opening = Record(first.public, {**first.secret, GAME_SEED: seed}, first.hash)
    ledger = ledger_of(log.header["game_id"], (opening, *others))
    assert export_of(ledger, SPECTATOR) == export


def record_of(event: Event) -> Record:
    """An event's record as the store would hold it."""
    secret: JsonObject = {
        pointer: {"salt": leaf["salt"], "value": leaf["value"]}
        for pointer, leaf in leaves_of(event)
    }
    return Record(closed({key: event[key] for key in PUBLIC}), secret, event["hash"])


def test_golden_exports_are_never_made_again() -> None:
    before = {path: path.stat().st_mtime_ns for folder in VERSIONS for path in folder.iterdir()}
    assert generator.FOLDER in VERSIONS
    with pytest.raises(SystemExit, match="never made again"):
        generator.main()
    assert {path: path.stat().st_mtime_ns for path in before} == before
