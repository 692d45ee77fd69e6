"""Stored events of every type are read, and sealed again to the same bytes, for ever."""

import json
from pathlib import Path
from typing import Any

import pytest

from spades.audit.log import Record, opened, seal
from spades.errors import DamagedLog
from spades.game.events import READERS as EVENT_TYPES
from spades.game.events import read_event

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "events").glob("*.json"))

CAN_BE_MISSED = {"policy", "holdings", "stock", "count", "kind"}


def golden(path: Path) -> tuple[dict[str, Any], Record]:
    told = json.loads(path.read_text("utf-8"))
    return told, Record(told["public"], told["secret"], told["hash"])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_event_is_read_and_sealed_again_to_the_same_record(path: Path) -> None:
    told, record = golden(path)
    event = read_event(record.public, opened(record))
    frame = {key: value for key, value in record.public.items() if key != "data"}
    assert (event.type, event.seat, event.actor) == (
        frame["type"],
        frame["seat"],
        frame["actor"],
    )
    assert seal(told["previous"], frame, event.data(), told["hand_seed"]) == record


def test_every_type_has_a_golden_event() -> None:
    assert {golden(path)[1].type for path in GOLDEN} == set(EVENT_TYPES)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_an_event_of_an_unknown_schema_or_shape_is_a_damaged_log(path: Path) -> None:
    _, record = golden(path)
    with pytest.raises(DamagedLog):
        read_event({**record.public, "schema": 99}, opened(record))
    data = opened(record)
    for key in data.keys() - CAN_BE_MISSED:
        damaged = {name: value for name, value in data.items() if name != key}
        with pytest.raises(DamagedLog):
            read_event(record.public, damaged)


def test_an_unknown_type_is_a_damaged_log() -> None:
    with pytest.raises(DamagedLog):
        read_event({"version": 1, "type": "joker_played", "schema": 1}, {})
