"""Whole games with known decks, legal cards, trick winners, scores and ends."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from spades.game.cards import cards
from spades.game.events import GameFinished, HandScored, TrickTaken
from spades.game.legal import legal_plays
from spades.game.seats import Seat
from tests.support.tables import TableOf

GAMES = sorted((Path(__file__).parents[1] / "cases" / "games").glob("*.json"))


def table_for(record: dict[str, Any]) -> TableOf:
    drawn = {}
    for hand in record["hands"]:
        before = 0
        for step in hand["steps"]:
            if "drawn" in step:
                drawn[hand["number"], before] = cards(step["drawn"])
                before += len(step["drawn"])
    decks = [hand["deck"] for hand in record["hands"]]
    return TableOf(record["ruleset"], record["options"], record["dealer"], decks, drawn)


def play_hand(table: TableOf, hand: dict[str, Any]) -> list[Any]:
    happened: list[Any] = []
    game = table.game
    assert game.hand is not None
    assert (game.hand.number, game.hand.dealer) == (hand["number"], hand["dealer"])
    for step in hand["steps"]:
        assert step["seat"] in table.game.to_act
        if "legal_cards" in step:
            check_legal_cards(table, step)
        happened += table.act(step["seat"], **step["action"])
    return happened


def check_legal_cards(table: TableOf, step: dict[str, Any]) -> None:
    game = table.game
    assert game.hand is not None
    assert game.to_act == (Seat(step["seat"]),)
    assert sorted(legal_plays(game.hand, game.options, Seat(step["seat"]))) == step["legal_cards"]


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_reference_game_is_played_as_recorded(path: Path) -> None:
    record = json.loads(path.read_text())
    table = table_for(record)
    for hand in record["hands"]:
        happened = play_hand(table, hand)
        tricks = [
            {"leader": e.leader, "cards": list(e.cards), "winner": e.seat}
            for e in happened
            if isinstance(e, TrickTaken)
        ]
        assert tricks == hand["tricks"]
        scored = next(e for e in happened if isinstance(e, HandScored))
        assert {
            "bids": scored.bids,
            "double_nil": list(scored.double_nil),
            "tricks": scored.tricks,
            "sides": {side: asdict(parts) for side, parts in scored.sides.items()},
        } == hand["result"]
    end = table.events[-1]
    assert isinstance(end, GameFinished)
    final = {
        "winner": end.winner,
        "points": end.points,
        "bags": end.bags,
        "hands": end.hands,
    }
    assert final == record["final"]
