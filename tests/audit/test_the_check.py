"""The independent check finds each way in which whoever serves a log could cheat.

Each log is tampered with and its chain made good again, so that only the right part of the
check can find it.
"""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from spades.audit.log import commit, genesis, link, salt
from spades.game.audience import SPECTATOR, seated
from spades.game.commands import Chair, CreateGame, PlayerKind
from spades.game.rulesets import RULESETS, resolve_options
from spades.game.seats import Seat
from spades.store import Profile
from spades.tables import Opening, Table
from tests.support.house import House, chosen
from tests.support.verify import DECK, PUBLIC, verify

Events = list[dict[str, Any]]
Cheat = Callable[[Events], None]


def played(ruleset: str, seed: int = 7) -> Table:
    """A game of two hands with a claimed seat, a drawn dealer, and every Double Nil offered bid."""
    house, chance, rules = House(seed=seed), Random(seed), RULESETS[ruleset]
    chairs = dict.fromkeys(rules.seats, Chair(PlayerKind.HUMAN))
    chairs[Seat.S] = Chair(PlayerKind.OPEN)
    options = resolve_options(rules, {"max_hands": 2, "target": 10000, "lose_at": None})
    table = house.tables.create(Opening(CreateGame(rules, options, chairs))).table
    table = house.tables.claim(table.ledger.game_id, Seat.S, Profile("Lin"), "lin-03")
    while table.game.result is None:
        seat = table.game.to_act[-1]
        body = chosen(table.view(seated(seat)), chance)
        if table.game.phase == "blind":
            body["type"] = "bid_double_nil" if seat in "NS" else "look"
        table = house.act(table, seat.value, **body).table
    return house.another_process().whole(table.ledger.game_id)


TABLES = {ruleset: played(ruleset) for ruleset in RULESETS}


def log_of(ruleset: str) -> tuple[str, Events]:
    ledger = TABLES[ruleset].ledger
    return ledger.game_id, deepcopy(ledger.served(SPECTATOR, 0))


def made_good(game_id: str, events: Events) -> Events:
    """The events with their versions and chain calculated again."""
    head, mended = genesis(game_id), []
    for version, event in enumerate(events, 1):
        public = commitments({**{key: event[key] for key in PUBLIC}, "version": version})
        head = link(head, public)
        mended.append({**event, "version": version, "hash": head})
    return mended


def commitments(value: Any) -> Any:
    if isinstance(value, dict):
        if "commit" in value:
            return {"commit": value["commit"]}
        return {key: commitments(inner) for key, inner in value.items()}
    return value


def hand_seeds(events: Events) -> list[str]:
    return [event["data"]["hand_seed"] for event in events if event["type"] == "hand_scored"]


def first(events: Events, *types: str) -> dict[str, Any]:
    return next(event for event in events if event["type"] in types)


def sealed_anew(events: Events, event: dict[str, Any], pointer: str, value: Any) -> None:
    """Puts another value into a leaf of the first hand, with a commitment that fits it."""
    key = salt(hand_seeds(events)[0], event["version"], pointer)
    level = event
    for name in pointer.split("/")[1:-1]:
        level = level[name]
    level[pointer.split("/")[-1]] = {"commit": commit(key, value), "salt": key, "value": value}


def found(ruleset: str, cheat: Cheat) -> list[str]:
    game_id, events = log_of(ruleset)
    cheat(events)
    return verify(game_id, made_good(game_id, events))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_log_as_it_is_has_nothing_wrong(ruleset: str) -> None:
    game_id, events = log_of(ruleset)
    assert verify(game_id, events) == []
    assert verify(game_id, made_good(game_id, events)) == []
    types = {event["type"] for event in events}
    assert {"seat_taken", "hand_scored", "game_finished"} <= types
    assert not events[0]["data"]["dealer_fixed"]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_event_can_be_changed_taken_out_or_moved(ruleset: str) -> None:
    game_id, events = log_of(ruleset)
    for place in range(0, len(events), 3):
        later = [*events[:place], {**events[place], "actor": "clock"}, *events[place + 1 :]]
        fewer = [*events[:place], *events[place + 1 :]]
        assert verify(game_id, later) == [f"event {place + 1}: the chain is broken"]
        assert verify(game_id, fewer) != []
    assert verify("01940000-0000-7000-8000-000000000009", events) != []


def test_a_log_that_is_cut_short_or_not_opened_is_not_that_of_a_finished_game() -> None:
    game_id, events = log_of("partnership")
    for part in ([], events[:-1], events[1:]):
        assert "the log is not that of a whole game" in verify(game_id, part)
    ledger = TABLES["partnership"].ledger
    hidden = [{**event, "data": commitments(event["data"])} for event in events]
    assert any("not opened" in finding for finding in verify(ledger.game_id, hidden))


def other_game_seed(events: Events) -> None:
    events[-1]["data"]["game_seed"] = "17" * 32


def other_hand_seed(events: Events) -> None:
    first(events, "hand_scored")["data"]["hand_seed"] = "17" * 32


def other_commitment(events: Events) -> None:
    first(events, "hand_started")["data"]["hand_commit"] = "17" * 32


def other_client_seed(events: Events) -> None:
    first(events, "seat_taken")["data"]["client_seed"] = "lin-04"


def other_first_dealer(events: Events) -> None:
    data = events[0]["data"]
    data["dealer"] = next(seat for seat in data["seats"] if seat != data["dealer"])


def same_dealer_again(events: Events) -> None:
    started = [event["data"] for event in events if event["type"] == "hand_started"]
    started[1]["dealer"] = started[0]["dealer"]


def a_hand_left_out(events: Events) -> None:
    start = next(place for place, event in enumerate(events) if event["type"] == "hand_started")
    end = next(place for place, event in enumerate(events) if event["type"] == "hand_scored")
    del events[start : end + 1]


def a_score_left_out(events: Events) -> None:
    events.remove(first(events, "hand_scored"))


def times_that_go_back(events: Events) -> None:
    events[-1]["at"] = "2026-11-29T00:00:00.000Z"


def an_end_before_the_end(events: Events) -> None:
    events.insert(5, events[-1])


def a_value_not_committed_to(events: Events) -> None:
    leaf = hidden_values(events)[0]
    leaf["value"] = leaf["value"][::-1]


def another_salt(events: Events) -> None:
    leaf = hidden_values(events)[0]
    leaf["salt"] = "17" * 32
    leaf["commit"] = commit(leaf["salt"], leaf["value"])


def hidden_values(events: Events) -> list[dict[str, Any]]:
    data = first(events, "hand_started")["data"]
    return [data["stock"]] if "stock" in data else list(data["holdings"].values())


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize(
    ("cheat", "finding"),
    [
        (other_game_seed, "the game seed is not the one committed to"),
        (other_hand_seed, "the hand's seed is not the game's"),
        (other_commitment, "the hand seed is not the one committed to"),
        (other_first_dealer, "the first dealer was not drawn"),
        (same_dealer_again, "the deal did not move on"),
        (a_hand_left_out, "a hand was left out"),
        (a_score_left_out, "a score was left out"),
        (times_that_go_back, "times go back"),
        (an_end_before_the_end, "the game goes on after its end"),
        (a_value_not_committed_to, "the opening does not match"),
        (another_salt, "the salt is not the hand's"),
    ],
)
def test_a_cheat_is_named(ruleset: str, cheat: Cheat, finding: str) -> None:
    assert any(finding in told for told in found(ruleset, cheat))


@pytest.mark.parametrize(
    ("ruleset", "finding"),
    [
        ("two-player", "the stock is not the shuffle"),
        ("partnership", "was not dealt its cards"),
        ("pairs", "was not dealt its cards"),
    ],
)
def test_another_client_seed_would_have_dealt_other_cards(ruleset: str, finding: str) -> None:
    assert any(finding in told for told in found(ruleset, other_client_seed))


def test_cards_dealt_to_another_seat_are_found() -> None:
    def swapped(events: Events) -> None:
        start = first(events, "hand_started")
        held = {seat: leaf["value"] for seat, leaf in start["data"]["holdings"].items()}
        sealed_anew(events, start, "/data/holdings/N", held["E"])
        sealed_anew(events, start, "/data/holdings/E", held["N"])

    assert found("pairs", swapped) == [
        "hand 1: N was not dealt its cards",
        "hand 1: E was not dealt its cards",
    ]


def test_another_card_under_the_one_kept_is_found() -> None:
    def exchanged(events: Events) -> None:
        turn = first(events, "card_kept", "card_refused")
        away = "discarded" if "discarded" in turn["data"] else "refused"
        kept, gone = turn["data"]["kept"]["value"], turn["data"][away]["value"]
        sealed_anew(events, turn, "/data/kept", gone)
        sealed_anew(events, turn, f"/data/{away}", kept)

    (finding,) = found("two-player", exchanged)
    assert "drew other cards" in finding


def test_replacements_that_were_chosen_are_found() -> None:
    def stacked(events: Events) -> None:
        exchange = next(e for e in events if e["type"] == "cards_exchanged" and e["data"]["count"])
        drawn = exchange["data"]["drawn"]["value"]
        better = next(card for card in reversed(DECK) if card not in drawn)
        sealed_anew(events, exchange, "/data/drawn", [better, *drawn[1:]])

    assert found("two-player", stacked) == ["hand 1: the replacements were not drawn"]
