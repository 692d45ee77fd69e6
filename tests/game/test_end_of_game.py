"""When a game is over, and who has won."""

from dataclasses import replace
from typing import Any

import pytest

from spades.game.scoring import Outcome, outcome
from spades.game.seats import Side
from tests.support.rules import score, with_standings
from tests.support.tables import TableOf


def end(
    ruleset: str, points: dict[str, int], hands: int = 3, **options: Any
) -> tuple[Side | None, str] | None:
    game = with_standings(
        TableOf(ruleset, options).game, {side: (total, 0) for side, total in points.items()}
    )
    found: Outcome | None = outcome(replace(game, hands_scored=hands))
    return (found.winner, found.reason) if found else None


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_the_first_side_at_500_wins(ruleset: str) -> None:
    """C-13, T-15, P-15, V-09."""
    first, second = ("N", "S") if ruleset == "two-player" else ("NS", "EW")
    assert end(ruleset, {first: 499, second: 0}) is None
    assert end(ruleset, {first: 500, second: 0}) == (first, "target_reached")
    assert end(ruleset, {first: 120, second: 503}) == (second, "target_reached")


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_both_at_500_the_higher_wins_and_a_tie_plays_on(ruleset: str) -> None:
    """T-15, P-15, A-10, A-14, B-14: a tie is nobody's win."""
    first, second = ("N", "S") if ruleset == "two-player" else ("NS", "EW")
    assert end(ruleset, {first: 510, second: 530}) == (second, "target_reached")
    assert end(ruleset, {first: 530, second: 510}) == (first, "target_reached")
    assert end(ruleset, {first: 520, second: 520}) is None


def test_a_side_that_falls_below_500_again_after_a_tie_plays_on() -> None:
    """A-49, A-10."""
    assert end("partnership", {"NS": 480, "EW": 490}) is None


def test_the_total_ends_the_game_and_not_the_hand() -> None:
    """B-06: 480 and 61 more make 541."""
    scored = score(
        "pairs", {"N": 3, "S": 3, "E": 3, "W": 3}, {"N": 7, "E": 6}, before={"NS": (480, 0)}
    )
    assert (scored["NS"].hand_points, scored["NS"].points) == (61, 541)
    assert end("pairs", {"NS": scored["NS"].points, "EW": 0}) == ("NS", "target_reached")


def test_the_bag_penalty_comes_before_the_target_is_looked_at() -> None:
    """A-07: at 495 with nine bags, five bid and six taken make 446, and the game goes on."""
    hand = score("two-player", {"N": 5, "S": 3}, {"N": 6, "S": 7}, before={"N": (495, 9)})["N"]
    assert (hand.hand_points, hand.points) == (51 - 100, 446)
    assert end("two-player", {"N": hand.points, "S": 0}) is None


def test_a_pair_at_minus_200_loses() -> None:
    """V-09, A-11: the floor itself loses."""
    assert end("pairs", {"NS": -199, "EW": 0}) is None
    assert end("pairs", {"NS": -200, "EW": 0}) == ("EW", "floor_reached")
    assert end("pairs", {"NS": 40, "EW": -310}) == ("NS", "floor_reached")


def test_both_pairs_below_the_floor_the_higher_wins_and_a_tie_plays_on() -> None:
    """A-12, B-14."""
    assert end("pairs", {"NS": -210, "EW": -240}) == ("NS", "floor_reached")
    assert end("pairs", {"NS": -240, "EW": -210}) == ("EW", "floor_reached")
    assert end("pairs", {"NS": -210, "EW": -210}) is None


def test_the_target_comes_before_the_floor() -> None:
    """A-13."""
    assert end("pairs", {"NS": 505, "EW": -260}) == ("NS", "target_reached")


@pytest.mark.parametrize("ruleset", ["two-player", "partnership"])
def test_without_a_floor_a_side_far_below_plays_on(ruleset: str) -> None:
    """A-15, B-07."""
    first, second = ("N", "S") if ruleset == "two-player" else ("NS", "EW")
    assert end(ruleset, {first: -9000, second: -200}) is None
    assert end(ruleset, {first: -120, second: 0}, lose_at=-100) == (second, "floor_reached")
    assert end("pairs", {"NS": -900, "EW": 0}, lose_at=None) is None


def test_the_last_hand_allowed_gives_the_game_to_the_higher_total() -> None:
    """A-15, B-13, B-14: a tie is a draw."""
    assert end("pairs", {"NS": 20, "EW": -20}, hands=4, max_hands=5) is None
    assert end("pairs", {"NS": 20, "EW": -20}, hands=5, max_hands=5) == ("NS", "max_hands")
    assert end("pairs", {"NS": -30, "EW": -20}, hands=5, max_hands=5) == ("EW", "max_hands")
    assert end("pairs", {"NS": 20, "EW": 20}, hands=5, max_hands=5) == (None, "max_hands")
    assert end("pairs", {"NS": 520, "EW": 520}, hands=5, max_hands=5) == (None, "max_hands")
    assert end("pairs", {"NS": 520, "EW": 10}, hands=5, max_hands=5) == ("NS", "target_reached")


def test_the_target_is_what_the_option_says() -> None:
    assert end("pairs", {"NS": 250, "EW": 0}, target=250) == ("NS", "target_reached")
    assert end("pairs", {"NS": 249, "EW": 0}, target=250) is None
