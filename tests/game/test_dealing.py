"""`spades/deal/v1` against its vectors (A-28, A-29, A-36, A-37, B-38)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spades.game.cards import FRESH_DECK, cards, in_deck_order
from spades.game.dealing import SeededDealer, below
from spades.game.rulesets import RULESETS
from spades.game.seats import FOUR, Seat, clockwise_from, left_of

VECTORS = json.loads((Path(__file__).parents[1] / "cases" / "deal-v1.json").read_text())
GAMES = VECTORS["games"]
HANDS = [(game, hand) for game in GAMES for hand in game["hands"]]
REDRAWS = [(game, hand) for game, hand in HANDS if "exchange_example" in hand]


def dealer_of(game: dict[str, Any]) -> SeededDealer:
    return SeededDealer(game["game_id"], game["game_seed"])


def client_seeds(game: dict[str, Any]) -> dict[Seat, str | None]:
    return {seat: game["client_seeds"].get(seat) for seat in RULESETS[game["ruleset"]].seats}


@pytest.mark.parametrize("case", VECTORS["below"])
def test_an_even_choice_refuses_words_that_would_favour_some(case: dict[str, Any]) -> None:
    words = iter(case["words"])
    assert below(words, case["n"]) == case["value"]
    assert len(case["words"]) - len(list(words)) == case["words_used"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["ruleset"])
def test_the_game_seed_is_committed_to_and_chooses_the_first_dealer(game: dict[str, Any]) -> None:
    dealer = dealer_of(game)
    assert dealer.game_commit == game["game_commit"]
    assert dealer.first_dealer(RULESETS[game["ruleset"]].seats) == game["dealer"]


@pytest.mark.parametrize(("game", "hand"), HANDS)
def test_each_hand_is_dealt_from_its_seed(game: dict[str, Any], hand: dict[str, Any]) -> None:
    deal = dealer_of(game).deal(hand["number"], client_seeds(game))
    assert deal.hand_seed == hand["hand_seed"]
    assert deal.hand_commit == hand["hand_commit"]
    assert list(deal.deck) == hand.get("deck", list(deal.deck))
    for seat, holding in hand.get("holdings", {}).items():
        if game["ruleset"] != "two-player":
            order = clockwise_from(FOUR, left_of(FOUR, Seat(hand["dealer"])))
            assert list(deal.deck[order.index(Seat(seat)) :: 4]) == holding


@pytest.mark.parametrize(("game", "hand"), REDRAWS)
def test_replacements_go_on_with_the_same_stream(
    game: dict[str, Any], hand: dict[str, Any]
) -> None:
    example = hand["exchange_example"]
    pool, drawn_before = cards(example["discards"]), 0
    for turn in example["turns"]:
        drawn = dealer_of(game).draw(
            hand["number"], client_seeds(game), drawn_before, pool, len(turn["thrown"])
        )
        assert list(drawn) == turn["drawn"]
        left = tuple(card for card in pool if card not in drawn)
        pool = left + in_deck_order(cards(turn["thrown"]))
        drawn_before += len(drawn)
    assert list(pool) == example["discards_after"]


def test_shuffles_put_each_card_in_each_place_about_equally_often() -> None:
    dealer = SeededDealer("01940000-0000-7000-8000-000000000001", "ab" * 32)
    nobody: dict[Seat, str | None] = dict.fromkeys(FOUR)
    decks = [dealer.deal(number, nobody).deck for number in range(1, 2601)]
    for place in (0, 1, 25, 50, 51):
        seen = Counter(deck[place] for deck in decks)
        chi_squared = sum((seen[card] - 50) ** 2 / 50 for card in FRESH_DECK)
        assert chi_squared < 100  # 51 degrees of freedom: more than this once in 20,000
