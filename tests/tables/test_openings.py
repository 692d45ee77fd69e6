"""Which leaves a viewer gets opened, in place and by the events that widen its sight."""

from random import Random
from typing import Any

import pytest

from spades.game.audience import SPECTATOR, Viewer, seated
from spades.game.seats import Seat
from spades.tables import Table
from tests.support.house import House, chosen

Served = list[dict[str, Any]]


def served(table: Table, viewer: Viewer) -> Served:
    return table.ledger.served(viewer, 0)


def opened_by(events: Served, kind: str, seat: str | None = None) -> list[str]:
    return [
        opening["pointer"]
        for event in events
        if event["type"] == kind and seat in (None, event["seat"])
        for opening in event.get("opens", ())
    ]


def swap_ready(house: House) -> Table:
    """A hand in which the north bid Double Nil and both partners owe three cards."""
    table = house.open("partnership", E="bot", W="bot")
    table = house.act(table, "N", type="bid_double_nil").table
    table = house.act(table, "S", type="look").table
    return house.act(table, "S", type="bid", tricks=4).table


def test_a_look_opens_the_own_holding_and_nobody_elses() -> None:
    house = House()
    table = house.open("partnership", E="bot", W="bot")
    before = served(table, seated(Seat.S))[1]
    assert all("value" not in leaf for leaf in before["data"]["holdings"].values())
    table = house.act(table, "S", type="look").table
    events = served(table, seated(Seat.S))
    assert opened_by(events, "cards_looked_at", "S") == ["/data/holdings/S"]
    opened = [s for s, leaf in events[1]["data"]["holdings"].items() if "value" in leaf]
    assert opened == ["S"]
    assert opened_by(served(table, SPECTATOR), "cards_looked_at") == []


def test_a_hand_without_a_question_opens_each_holding_in_place_for_its_seat() -> None:
    table = House().open("pairs")
    start = served(table, seated(Seat.E))[1]
    opened = [s for s, leaf in start["data"]["holdings"].items() if "value" in leaf]
    assert opened == ["E"]
    assert "opens" not in start


def test_the_second_swap_opens_the_first_to_the_one_who_gave_second() -> None:
    house = House()
    table = swap_ready(house)
    assert table.view(seated(Seat.N))["exchange"]["owed_by"] == ["S", "N"]
    given = {
        seat: table.view(seated(Seat(seat)))["legal_actions"][0]["choose"]["from"][:3]
        for seat in "NS"
    }
    table = house.act(table, "N", type="exchange", cards=given["N"]).table
    assert "value" not in served(table, seated(Seat.S))[-1]["data"]["given"]
    table = house.act(table, "S", type="exchange", cards=given["S"]).table
    south, north = served(table, seated(Seat.S)), served(table, seated(Seat.N))
    assert opened_by(south, "cards_exchanged", "S") == ["/data/given"]
    assert opened_by(north, "cards_exchanged", "S") == []
    last = next(e for e in north if e["type"] == "cards_exchanged" and e["seat"] == "S")
    assert sorted(last["data"]["given"]["value"]) == sorted(given["S"])
    assert table.view(seated(Seat.N))["received"] == given["S"]
    for viewer in (SPECTATOR, seated(Seat.E)):
        assert opened_by(served(table, viewer), "cards_exchanged") == []


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_the_score_opens_all_of_the_hand_that_a_viewer_had_not_seen(ruleset: str) -> None:
    house, chance = House(), Random(3)
    table = house.open(ruleset, {"max_hands": 1}, S="bot")
    while table.game.result is None:
        seat = table.game.to_act[0]
        body = chosen(table.view(seated(seat)), chance)
        table = house.act(table, seat.value, **body).table
    whole = house.tables.whole(table.ledger.game_id)
    for viewer in (SPECTATOR, *map(seated, table.game.seats)):
        events = served(whole, viewer)
        hidden = [
            (step.record.version, pointer)
            for step in whole.ledger.steps
            for pointer, _ in step.leaves()
        ]
        seen = [
            (opening["version"], opening["pointer"])
            for event in events
            for opening in event.get("opens", ())
        ]
        assert len(seen) == len(set(seen))
        if viewer == SPECTATOR:
            assert sorted(seen) == sorted(hidden)
        assert all("value" in leaf for e in events for leaf in _leaves(e["data"]))


def _leaves(data: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [value for value in data.values() if isinstance(value, dict)]
    own = [value for value in inner if "commit" in value]
    return own + [leaf for value in inner if "commit" not in value for leaf in _leaves(value)]


@pytest.mark.parametrize("ruleset", ["two-player", "partnership"])
def test_what_an_event_opens_is_the_same_at_once_and_later(ruleset: str) -> None:
    house, chance = House(), Random(5)
    table = house.open(ruleset, {"max_hands": 2})
    at_once: dict[tuple[str, int], Any] = {}
    while table.game.result is None:
        seat = table.game.to_act[-1]
        body = chosen(table.view(seated(seat)), chance)
        acted = house.act(table, seat.value, **body)
        table = acted.table
        for event in acted.events:
            at_once[seat.value, event["version"]] = event.get("opens")
    whole = house.tables.whole(table.ledger.game_id)
    for seat in table.game.seats:
        for event in served(whole, seated(seat)):
            key = (seat.value, event["version"])
            if key in at_once:
                assert event.get("opens") == at_once[key]
