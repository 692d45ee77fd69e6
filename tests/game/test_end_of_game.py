"""When a game is over, and who has won."""

from dataclasses import replace
from typing import Any

import pytest

from spades.game.events import CardPlayed, Event, GameFinished, HandStarted
from spades.game.position import Phase
from spades.game.scoring import Outcome, outcome
from spades.game.seats import Seat, Side
from spades.game.views import legal_actions
from tests.support.rules import play_out, score, stock_for, with_standings
from tests.support.tables import TableOf

NORTH = "AC 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
SOUTH = "2C AH 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD"


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


def last_card(table: TableOf, points: dict[str, tuple[int, int]]) -> list[Event]:
    """Everybody bids thirteen on top of these totals; returns what the last card brings."""
    table.game = with_standings(table.game, points)
    happened = play_out(table, 13)
    last = max(place for place, event in enumerate(happened) if isinstance(event, CardPlayed))
    return happened[last:]


def test_the_last_card_brings_the_trick_the_score_and_the_end() -> None:
    """C-13, B-06: four bids of thirteen lose 260 on either side; 800 and 770 stay above 500."""
    table = TableOf("partnership", {"double_nil": None})
    happened = last_card(table, {"NS": (770, 0), "EW": (800, 0)})
    assert [event.type for event in happened] == [
        "card_played",
        "trick_taken",
        "hand_scored",
        "game_finished",
    ]
    end = happened[-1]
    assert isinstance(end, GameFinished)
    assert (end.winner, end.reason, end.hands) == (Side.EW, "target_reached", 1)
    assert end.points == {Side.NS: 510, Side.EW: 540}


@pytest.mark.parametrize("ruleset", ["partnership", "pairs"])
@pytest.mark.parametrize("before", [760, -60])
def test_after_a_tie_the_next_seat_deals_another_hand(ruleset: str, before: int) -> None:
    """P-15, A-10, A-12, A-14: both sides end at 500, or both below the floor."""
    table = TableOf(ruleset, {"double_nil": None, "lose_at": -200})
    started = last_card(table, {"NS": (before, 0), "EW": (before, 0)})[-1]
    assert {standing.points for standing in table.game.standings.values()} == {before - 260}
    assert isinstance(started, HandStarted)
    assert (started.number, started.dealer) == (2, Seat.E)


def test_two_players_who_tie_play_another_hand() -> None:
    """T-15, T-14, A-10: both bid Nil and both fail, from 640 down to 540."""
    table = TableOf("two-player", {"double_nil": None}, decks=[stock_for(NORTH, SOUTH)])
    table.game = with_standings(table.game, {"N": (640, 0), "S": (640, 0)})
    while table.game.phase is Phase.DRAFT:
        table.act(table.game.to_act[0], type="keep")
    started = play_out(table, 0)[-1]
    assert {standing.points for standing in table.game.standings.values()} == {540}
    assert isinstance(started, HandStarted)
    assert (started.number, started.dealer) == (2, Seat.S)


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_players_who_always_overbid_come_to_an_end(ruleset: str) -> None:
    """B-13, A-15, A-48: at the most hands allowed, for no hand can bring the target nearer."""
    table = TableOf(ruleset, {"double_nil": None, "lose_at": None, "max_hands": 12})
    while table.game.result is None:
        play_out(table, 13)
    assert (table.game.result.reason, table.game.result.hands) == ("max_hands", 12)
    assert max(table.game.result.points.values()) < 0


def test_pairs_that_overbid_unevenly_end_at_the_floor() -> None:
    """B-13, V-09: east and west bid less and lose less."""
    table = TableOf("pairs")
    while table.game.result is None:
        seat = table.game.to_act[0]
        body = legal_actions(table.game, seat)[-1]
        if body["type"] == "bid" and seat in "EW":
            body["tricks"] = 7
        table.act(seat, **body)
    assert (table.game.result.winner, table.game.result.reason) == (Side.EW, "floor_reached")
    assert table.game.result.points[Side.NS] <= -200


def test_the_target_is_what_the_option_says() -> None:
    assert end("pairs", {"NS": 250, "EW": 0}, target=250) == ("NS", "target_reached")
    assert end("pairs", {"NS": 249, "EW": 0}, target=250) is None
