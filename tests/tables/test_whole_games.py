"""Whole games in memory: they end, replay to the same state, and can be verified."""

from dataclasses import replace
from random import Random

import pytest

from spades.game import fold
from spades.game.audience import SPECTATOR, seated
from spades.game.seats import Seat
from spades.store import MemoryStore, Profile
from spades.tables import Table
from tests.support.house import House, chosen
from tests.support.rules import hand_of
from tests.support.verify import verify

SEATINGS: list[dict[str, str]] = [{}, {"S": "bot"}, {"S": "open"}]


def played(house: House, ruleset: str, kinds: dict[str, str], chance: Random) -> Table:
    table = house.open(ruleset, {"max_hands": 2}, **kinds)
    for seat in table.game.open_seats:
        table = house.tables.claim(table.ledger.game_id, seat, Profile("Lin"), "lin ♠")
    while table.game.result is None:
        seat = chance.choice(table.game.to_act)
        body = chosen(table.view(seated(seat)), chance)
        table = house.act(table, seat.value, **body).table
    return house.another_process().whole(table.ledger.game_id)


@pytest.mark.parametrize("kinds", SEATINGS, ids=str)
@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_a_game_ends_replays_and_verifies(ruleset: str, kinds: dict[str, str]) -> None:
    table = played(House(seed=21), ruleset, kinds, Random(22))
    assert fold(step.event for step in table.ledger.steps) == table.game
    assert table.game.hands_scored <= 2
    assert verify(table.ledger.game_id, table.ledger.served(SPECTATOR, 0)) == []


def test_the_check_finds_what_was_tampered_with() -> None:
    table = played(House(seed=31), "two-player", {}, Random(32))
    game_id = table.ledger.game_id
    for place in range(len(table.ledger.steps)):
        events = table.ledger.served(SPECTATOR, 0)
        events[place] = {**events[place], "at": "2026-11-30T12:00:00.999Z"}
        assert verify(game_id, events) != []
    events = table.ledger.served(SPECTATOR, 0)
    stock = events[1]["data"]["stock"]
    stock["value"] = [*stock["value"][1:], stock["value"][0]]
    assert any("stock" in finding for finding in verify(game_id, events))
    assert verify("01940000-0000-7000-8000-000000000009", table.ledger.served(SPECTATOR, 0)) != []
    assert verify(game_id, table.ledger.served(seated(table.game.seats[0]), 0)[:-1]) != []


def test_what_was_tampered_with_does_not_outlive_its_repair() -> None:
    """A process that read a changed log does not go on from it once the log is mended."""
    house = House()
    table = house.open("pairs")
    for seat in "ESW":
        table = house.act(table, seat, type="bid", tricks=3).table
    store, game_id = house.store, table.ledger.game_id
    assert isinstance(store, MemoryStore)
    records = store._games[game_id].records
    place = next(n for n, record in enumerate(records) if record.type == "bid_made")
    true = records[place]
    data = {**true.public["data"], "tricks": 12}
    records[place] = replace(true, public={**true.public, "data": data})
    other = house.another_process()
    seat = Seat(true.public["seat"])
    assert hand_of(other.table(game_id).game).bids[seat].tricks == 12
    records[place] = true
    assert hand_of(other.table(game_id).game).bids[seat].tricks == 3
