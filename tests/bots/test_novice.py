"""The novice: never illegal, never a cheat, always the same from the same view and seed."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from spades.bots import POLICIES
from spades.bots.novice import Novice, estimate
from spades.errors import BidOutOfRange
from spades.game import observe
from spades.game.audience import seated
from spades.game.cards import CARDS, cards
from spades.game.dealing import SeededDealer
from spades.game.position import Game
from spades.game.seats import Seat
from tests.support.house import House, chosen

NOVICE = Novice()


class Cheat(Novice):
    version = "cheat/1"

    def decide(self, view: dict[str, Any], seed: int) -> dict[str, Any]:
        return {"type": "bid", "tricks": 99}


def positions(ruleset: str, games: int, options: dict[str, Any]) -> list[tuple[Game, Seat]]:
    """Every position with its seat to act, over some games played at random."""
    found = []
    for seed in range(games):
        house, chance = House(seed=seed), Random(seed)
        table = house.open(ruleset, {"max_hands": 1, **options})
        while table.game.result is None:
            seat = chance.choice(table.game.to_act)
            found.append((table.game, seat))
            body = chosen(table.view(seated(seat)), chance)
            table = house.act(table, seat.value, **body).table
    return found


@pytest.mark.parametrize(
    ("ruleset", "options"),
    [
        ("two-player", {}),
        ("two-player", {"min_side_bid": 5, "nil": None}),
        ("partnership", {"min_side_bid": 13}),
        ("partnership", {"exchange_cards": 13, "lead_spades": "anytime"}),
        ("pairs", {"bag_limit": None}),
    ],
)
def test_the_novice_always_answers_with_a_legal_action(
    ruleset: str, options: dict[str, Any]
) -> None:
    """B-20, B-21, B-22, B-24: one legal card or bid, and own cards to swap, are enough."""
    chance = Random(11)
    for game, seat in positions(ruleset, 6, options):
        view = observe(game, seated(seat))
        action = NOVICE.decide(view, chance.getrandbits(64))
        if action["type"] == "exchange":
            choice = view["legal_actions"][0]["choose"]
            assert choice["min"] <= len(set(action["cards"])) == len(action["cards"])
            assert len(action["cards"]) <= choice["max"]
            assert set(action["cards"]) <= set(choice["from"])
        else:
            assert action in view["legal_actions"]


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_the_novice_decides_the_same_whatever_it_cannot_see(ruleset: str) -> None:
    chance = Random(12)
    for game, seat in positions(ruleset, 4, {}):
        seed = chance.getrandbits(64)
        swapped = _others_swapped(game, seat)
        told = NOVICE.decide(observe(game, seated(seat)), seed)
        assert NOVICE.decide(observe(swapped, seated(seat)), seed) == told


def _others_swapped(game: Game, seat: Seat) -> Game:
    """The same game with the other holdings, or the stock not yet seen, turned round."""
    hand = game.hand
    assert hand is not None
    others = [other for other in game.seats if other is not seat]
    pool = [card for other in others for card in hand.holdings[other]][::-1]
    held = dict(hand.holdings)
    for other in others:
        count = len(held[other])
        held[other], pool = tuple(pool[:count]), pool[count:]
    shown = 2 * len(hand.draft) + 1
    stock = hand.stock and hand.stock[:shown] + hand.stock[: shown - 1 : -1]
    return replace(game, hand=replace(hand, holdings=held, stock=stock))


def test_aces_kings_and_long_spades_are_counted() -> None:
    """B-27, V-12: gaps count, and so does each spade from the fourth on."""
    assert estimate(cards(["AS", "KS", "QS"])) == 3
    assert estimate(cards(["AS", "QS", "JS"])) < 3
    assert estimate(cards(["2S", "3S", "4S", "5S"])) > estimate(cards(["2S", "3S", "4S"]))
    assert estimate(cards(["KD"])) < estimate(cards(["KD", "2D"]))


def test_the_novice_takes_the_trick_as_cheaply_as_it_can_when_last() -> None:
    view = _trick_view([("W", "TD"), ("N", "3D"), ("E", "4D")], ["AD", "JD", "2D"])
    assert NOVICE.decide(view, seed=1)["card"] == "JD"


def test_the_novice_leaves_the_trick_to_its_partner() -> None:
    view = _trick_view([("N", "TD"), ("E", "3D")], ["AD", "JD", "2D"])
    assert NOVICE.decide(view, seed=1)["card"] == "2D"


def _trick_view(plays: list[tuple[str, str]], playable: list[str]) -> dict[str, Any]:
    """What the south sees of a trick that the first to play is winning."""
    return {
        "phase": "play",
        "viewer": {"seat": "S", "partner": "N"},
        "seats": [{"seat": seat} for seat in "NESW"],
        "trick": {
            "winning": plays[0][0],
            "plays": [{"seat": seat, "card": CARDS[card]} for seat, card in plays],
        },
        "legal_actions": [{"type": "play", "card": card} for card in playable],
    }


def test_bots_answer_in_the_append_of_the_move_before_them_and_say_who_they_are() -> None:
    """V-01, A-53."""
    house = House()
    table = house.open("pairs", E="bot", S="bot", W="bot")
    acted = house.act(table, "N", type="bid", tricks=3)
    assert acted.table.game.to_act == (Seat.N,)
    bots = [event for event in acted.events if event["actor"] == "bot"]
    assert {event["data"]["policy"] for event in bots} == {"novice/1"}
    assert "policy" not in acted.events[0]["data"]


def test_bots_answer_the_blind_question_at_once_in_bidding_order() -> None:
    table = House().open("partnership", E="bot", S="bot", W="bot")
    events = table.ledger.served(seated(Seat.N), 0)
    assert [(e["type"], e["seat"]) for e in events[2:]] == [
        ("cards_looked_at", "E"),
        ("cards_looked_at", "S"),
        ("cards_looked_at", "W"),
    ]


def test_a_bot_that_breaks_a_rule_is_a_fault_of_ours_and_changes_nothing() -> None:
    house = House(policies={"novice": Cheat()})
    table = house.open("pairs", S="bot")
    version = table.game.version
    with pytest.raises(RuntimeError, match="cheat/1") as fault:
        house.act(table, "E", type="bid", tricks=3)
    assert isinstance(fault.value.__cause__, BidOutOfRange)
    assert house.tables.table(table.ledger.game_id).game.version == version


def test_a_bots_chance_follows_from_its_place_in_the_hand_and_not_from_the_version() -> None:
    house = House()
    table = house.open("pairs")
    game, later = table.game, replace(table.game, version=table.game.version + 40)
    dealer, other = SeededDealer("a game", "ab" * 32), SeededDealer("a game", "cd" * 32)
    seed = dealer.bot_seed(Seat.E, *game.place)
    assert dealer.bot_seed(Seat.E, *later.place) == seed
    moved = house.act(table, "E", type="bid", tricks=3).table.game
    others = {
        dealer.bot_seed(Seat.S, *game.place),
        other.bot_seed(Seat.E, *game.place),
        dealer.bot_seed(Seat.E, *moved.place),
    }
    assert len(others | {seed}) == 4


def test_every_level_has_its_policy() -> None:
    assert {level: policy.version for level, policy in POLICIES.items()} == {"novice": "novice/1"}
