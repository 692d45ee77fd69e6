"""Logs in an older schema are read, played on, served and verified; what is hashed stays.

The older schemas are invented: `bid_made` once said `amount`, and before that `bid`.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from spades.audit.exports import export_of
from spades.audit.ledger import Ledger, ledger_of
from spades.audit.log import Record, genesis, link
from spades.errors import DamagedLog
from spades.game.audience import SPECTATOR, seated
from spades.game.events import SCHEMAS, UPCASTERS, BidMade, read_event
from spades.game.seats import Seat
from tests.support.exports import played, read
from tests.support.verifiers import in_python

Renaming = Callable[[dict[str, Any]], dict[str, Any]]


def renamed(old: str, new: str) -> Renaming:
    """What gives a member of an event's data another name."""
    return lambda data: {new if key == old else key: value for key, value in data.items()}


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the `bid_made` of today the third of its schemas."""
    monkeypatch.setitem(SCHEMAS, BidMade.type, 3)
    monkeypatch.setitem(UPCASTERS, (BidMade.type, 1), renamed("bid", "amount"))
    monkeypatch.setitem(UPCASTERS, (BidMade.type, 2), renamed("amount", "tricks"))


def older(ledger: Ledger, schema: int, name: str) -> tuple[Record, ...]:
    """A game's records as they would have been written when bids had another member."""
    return tuple(chained(ledger.game_id, (in_schema(s.record, schema, name) for s in ledger.steps)))


def in_schema(record: Record, schema: int, name: str) -> dict[str, Any]:
    told = {"public": record.public, "secret": record.secret}
    if record.type != BidMade.type:
        return told
    data = renamed("tricks", name)(record.public["data"])
    return {**told, "public": {**record.public, "schema": schema, "data": data}}


def chained(game_id: str, records: Iterator[dict[str, Any]]) -> Iterator[Record]:
    head = genesis(game_id)
    for record in records:
        head = link(head, record["public"])
        yield Record(record["public"], record["secret"], head)


GAME = played("pairs", bots="E", max_hands=2)
SCHEMAS_AND_MEMBERS = [(1, "bid"), (2, "amount"), (3, "tricks")]


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(("schema", "name"), SCHEMAS_AND_MEMBERS)
def test_an_old_log_is_read_to_the_same_game(schema: int, name: str) -> None:
    records = older(GAME.ledger, schema, name)
    old = ledger_of(GAME.ledger.game_id, records)
    assert [step.event for step in old.steps] == [step.event for step in GAME.ledger.steps]
    assert old.game == GAME.ledger.game


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(("schema", "name"), SCHEMAS_AND_MEMBERS)
def test_an_old_log_is_served_as_it_was_written_and_hashed(schema: int, name: str) -> None:
    records = older(GAME.ledger, schema, name)
    served = ledger_of(GAME.ledger.game_id, records).served(SPECTATOR, 0)
    bids = [event for event in served if event["type"] == BidMade.type]
    assert {event["schema"] for event in bids} == {schema}
    assert all(name in event["data"] for event in bids)
    assert [event["hash"] for event in served] == [record.hash for record in records]


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(("schema", "name"), SCHEMAS_AND_MEMBERS)
def test_the_export_of_an_old_log_passes_every_check(schema: int, name: str) -> None:
    old = ledger_of(GAME.ledger.game_id, older(GAME.ledger, schema, name))
    for viewer in (SPECTATOR, seated(Seat.N)):
        assert in_python(export_of(old, viewer)) == []


@pytest.mark.usefixtures("known")
def test_an_old_log_tampered_with_is_found_as_any_other() -> None:
    old = ledger_of(GAME.ledger.game_id, older(GAME.ledger, 2, "amount"))
    log = read(export_of(old, SPECTATOR))
    log.first(BidMade.type)["data"]["amount"] += 1
    assert "chain" in {finding.check for finding in in_python(log.lines())}


@pytest.mark.usefixtures("known")
def test_an_old_game_goes_on_in_the_schema_of_today() -> None:
    begun = played("pairs", stop=2, max_hands=1).ledger
    bids = [step.event for step in played("pairs", stop=4).ledger.steps]
    later = [event for event in bids if isinstance(event, BidMade)][2:]
    old = ledger_of(begun.game_id, older(begun, 1, "bid"))
    after = old.written(later, begun.steps[-1].record.public["at"])
    schemas = [s.record.schema for s in after.steps if s.record.type == BidMade.type]
    assert schemas == [1, 1, 3, 3]
    assert in_python(export_of(after, SPECTATOR)) == []


@pytest.mark.usefixtures("known")
def test_old_data_are_brought_up_step_by_step() -> None:
    frame = {"version": 9, "type": BidMade.type, "seat": "N", "actor": "seat"}
    events = [
        read_event({**frame, "schema": schema}, {name: 4}) for schema, name in SCHEMAS_AND_MEMBERS
    ]
    assert events == list(itertools.repeat(BidMade(Seat.N, tricks=4), 3))


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("schema", [0, 4, 99])
def test_a_schema_that_nothing_leads_from_is_a_damaged_log_and_a_finding(schema: int) -> None:
    records = older(GAME.ledger, schema, "tricks")
    with pytest.raises(DamagedLog):
        ledger_of(GAME.ledger.game_id, records)
    log = read(export_of(GAME.ledger, SPECTATOR))
    log.first(BidMade.type)["schema"] = schema
    assert "format" in {finding.check for finding in in_python(log.lines())}


@pytest.mark.usefixtures("known")
def test_data_that_are_not_those_of_their_schema_are_a_damaged_log_and_a_finding() -> None:
    records = older(GAME.ledger, 1, "wager")
    with pytest.raises(DamagedLog):
        ledger_of(GAME.ledger.game_id, records)
    log = read(export_of(GAME.ledger, SPECTATOR))
    bid = log.first(BidMade.type)
    bid["schema"], bid["data"]["wager"] = 1, bid["data"].pop("tricks")
    assert "format" in {finding.check for finding in in_python(log.lines())}


def test_without_upcasters_an_old_log_is_a_damaged_log_and_a_finding() -> None:
    old = older(GAME.ledger, 0, "amount")
    with pytest.raises(DamagedLog):
        ledger_of(GAME.ledger.game_id, old)
