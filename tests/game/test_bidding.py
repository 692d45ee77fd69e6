"""Bids: who, when, from what to what."""

from typing import Any

import pytest

from spades.errors import BidOutOfRange, DoubleNilNotOffered, NilNotOffered, NotYourTurn, WrongPhase
from spades.game.audience import SPECTATOR, seated
from spades.game.position import Phase
from spades.game.seats import Seat
from spades.game.views import legal_actions, observe
from tests.support.rules import bidding_table, deck_for, given, hand_of, refused
from tests.support.tables import TableOf


def offered(table: TableOf, seat: str) -> list[int]:
    return [action["tricks"] for action in legal_actions(table.game, Seat(seat))]


@pytest.mark.parametrize("ruleset", ["partnership", "pairs"])
def test_the_dealers_left_bids_first_and_the_others_clockwise(ruleset: str) -> None:
    """P-01, P-03, V-04, A-38, A-55."""
    table = bidding_table(ruleset)
    for seat in "ESWN":
        assert table.game.to_act == (Seat(seat),)
        table.act(seat, type="bid", tricks=3)
    assert table.game.to_act == (Seat.E,)


@pytest.mark.parametrize("ruleset", ["partnership", "pairs"])
def test_any_number_from_nil_to_thirteen_is_legal(ruleset: str) -> None:
    """P-04, V-03, A-18: nil is the number zero."""
    table = bidding_table(ruleset)
    assert offered(table, "E") == list(range(14))
    for tricks in (-1, 14, 2**53):
        error = refused(table, BidOutOfRange, "E", type="bid", tricks=tricks)
        assert (error.facts["min"], error.facts["max"]) == (0, 13)


def test_bids_need_not_rise_and_come_once() -> None:
    """C-12: one round, no pass, any order of numbers."""
    table = bidding_table()
    for seat, tricks in zip("ESWN", (5, 2, 2, 0), strict=True):
        table.act(seat, type="bid", tricks=tricks)
    assert table.game.phase is Phase.PLAY
    refused(table, WrongPhase, "E", type="bid", tricks=3)


def test_a_bid_out_of_turn_is_refused() -> None:
    refused(bidding_table(), NotYourTurn, "S", type="bid", tricks=3)


def test_a_bid_is_seen_by_all_at_once() -> None:
    """A-39."""
    table = bidding_table()
    table.act("E", type="bid", tricks=4)
    for viewer in (SPECTATOR, seated(Seat.S)):
        bid = observe(table.game, viewer)["seats"][1]["bid"]
        assert bid == {"tricks": 4, "nil": False, "double_nil": False}


def test_partners_bids_make_the_contract() -> None:
    """P-04: 4, 3, 2, 2 clockwise make six and five; unknown until both have bid."""
    table = bidding_table()
    for seat, tricks in zip("ESW", (4, 3, 2), strict=True):
        table.act(seat, type="bid", tricks=tricks)
    sides = observe(table.game, SPECTATOR)["sides"]
    assert [side["contract"] for side in sides] == [None, 6]
    table.act("N", type="bid", tricks=2)
    sides = observe(table.game, SPECTATOR)["sides"]
    assert [side["contract"] for side in sides] == [5, 6]


def test_there_is_no_minimum_unless_the_option_asks_for_one() -> None:
    """A-17, A-47: and no misdeal either, however poor the hand."""
    table = bidding_table(E="2C 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 7D 2H")
    assert 1 in offered(table, "E")


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_a_contract_is_not_known_before_all_of_its_side_have_bid(ruleset: str) -> None:
    """B-39: a bid that is not there yet is null, and breaks nothing."""
    table = TableOf(ruleset, {"double_nil": None})
    while table.game.phase is not Phase.PLAY:
        hand = hand_of(table.game)
        view = observe(table.game, SPECTATOR)
        bids = {seat["seat"]: seat["bid"] for seat in view["seats"]}
        assert {seat for seat, bid in bids.items() if bid} == set(hand.bids)
        for side in view["sides"]:
            known = all(bids[seat] for seat in side["side"])
            assert (side["contract"] is not None) == known
        seat = table.game.to_act[0]
        table.act(seat, **legal_actions(table.game, seat)[-1])


def test_without_nil_bids_start_at_one() -> None:
    table = bidding_table("pairs", {"nil": None})
    assert offered(table, "E") == list(range(1, 14))
    refused(table, NilNotOffered, "E", type="bid", tricks=0)
    error = refused(table, BidOutOfRange, "E", type="bid", tricks=14)
    assert error.facts["min"] == 1


@pytest.mark.parametrize(
    ("first", "legal"),
    [
        (1, [0, *range(4, 14)]),
        (3, [0, *range(2, 14)]),
        (5, list(range(14))),
        (0, [0, *range(5, 14)]),
    ],
)
def test_a_minimum_binds_the_last_of_a_side(first: int, legal: list[int]) -> None:
    """B-24: the partner's number and hers must reach it; nil stays allowed."""
    table = bidding_table("pairs", {"min_side_bid": 5})
    table.act("E", type="bid", tricks=first)
    assert offered(table, "S") == list(range(14))
    table.act("S", type="bid", tricks=1)
    assert offered(table, "W") == legal
    if legal[1] > 1:
        error = refused(table, BidOutOfRange, "W", type="bid", tricks=legal[1] - 1)
        assert error.facts["min"] == legal[1]


def test_a_partners_double_nil_counts_nothing_towards_the_minimum() -> None:
    table = TableOf("partnership", {"min_side_bid": 4}, decks=[deck_for({})])
    for seat, kind in zip("ESWN", ("look", "look", "bid_double_nil", "look"), strict=True):
        table.act(seat, type=kind)
    assert offered(table, "E") == [0, *range(4, 14)]


def test_a_minimum_binds_the_own_number_of_a_player_alone() -> None:
    table = drafted({"min_side_bid": 3, "double_nil": None})
    assert offered(table, "S") == [0, *range(3, 14)]
    table.act("S", type="bid", tricks=0)
    assert offered(table, "N") == [0, *range(3, 14)]


def drafted(options: dict[str, Any] | None = None) -> TableOf:
    table = TableOf("two-player", options)
    while table.game.phase is Phase.BLIND:
        table.act(table.game.to_act[0], type="look")
    while table.game.phase is Phase.DRAFT:
        table.act(table.game.to_act[0], type="keep")
    return table


def test_the_second_player_bids_and_leads_first() -> None:
    """T-04, T-05, T-10: Megan bids eight, Drew six."""
    table = drafted()
    assert offered(table, "S") == list(range(14))
    table.act("S", type="bid", tricks=8)
    table.act("N", type="bid", tricks=6)
    assert {s: b.tricks for s, b in hand_of(table.game).bids.items()} == {"S": 8, "N": 6}
    assert table.game.to_act == (Seat.S,)


def test_without_nil_a_minimum_leaves_only_numbers() -> None:
    table = drafted({"min_side_bid": 3, "double_nil": None, "nil": None})
    assert offered(table, "S") == list(range(3, 14))
    refused(table, NilNotOffered, "S", type="bid", tricks=0)


def test_without_nil_a_double_nil_may_still_be_bid() -> None:
    """The two options do not depend on each other."""
    table = TableOf("partnership", {"nil": None})
    for seat, kind in zip("ESWN", ("look", "bid_double_nil", "look", "look"), strict=True):
        table.act(seat, type=kind)
    assert table.game.to_act == (Seat.E,)
    assert offered(table, "E") == list(range(1, 14))


@pytest.mark.parametrize("least", [1, 7, 13])
def test_the_highest_minimum_still_leaves_a_bid(least: int) -> None:
    """B-24: also when the partner is at Nil."""
    table = bidding_table("pairs", {"min_side_bid": least, "nil": None})
    table.act("E", type="bid", tricks=1)
    table.act("S", type="bid", tricks=1)
    assert offered(table, "W") == list(range(max(1, least - 1), 14))
    at_nil = bidding_table("pairs", {"min_side_bid": least})
    at_nil.act("E", type="bid", tricks=0)
    at_nil.act("S", type="bid", tricks=0)
    assert offered(at_nil, "W") == [0, *range(least, 14)]


@pytest.mark.parametrize("kind", ["bid", "bid_double_nil", "look"])
def test_an_answer_or_bid_sent_twice_counts_once(kind: str) -> None:
    """B-32: as with cards, the second is refused and nothing changes."""
    table = TableOf("partnership") if kind != "bid" else bidding_table()
    body: dict[str, Any] = {"type": kind, **({"tricks": 3} if kind == "bid" else {})}
    table.act("E", **body)
    given(table).when("E", **body).refused(NotYourTurn)


def test_double_nil_is_not_offered_in_pairs() -> None:
    """V-03: in no phase."""
    refused(bidding_table("pairs"), DoubleNilNotOffered, "E", type="bid_double_nil")
    refused(bidding_table("pairs"), DoubleNilNotOffered, "N", type="bid_double_nil")
