"""Who may see which hidden value of the log, and from when: the table of `docs/log-format.md`."""

import pytest

from spades.game import Game
from spades.game.audience import EVERYBODY, NOBODY, SPECTATOR, Leaf, audience, leaf_at
from spades.game.position import Phase
from spades.game.seats import FOUR, Seat
from tests.support.rules import deck_for, hand_of, play_out
from tests.support.tables import TableOf


def seen_by(game: Game, pointer: str, seat: str | None = None) -> str:
    """The seats that may see a leaf of the hand on the table, `*` if everybody may."""
    assert game.hand is not None
    seers = audience(game, leaf_at(game.hand.number, pointer, Seat(seat) if seat else None))
    if seers == EVERYBODY:
        return "*"
    assert SPECTATOR.seat not in seers
    return "".join(name for name in FOUR if name in seers)


def holdings(game: Game) -> list[str]:
    return [seen_by(game, f"/data/holdings/{seat}") for seat in FOUR]


def test_a_holding_is_its_seats_own_once_that_seat_has_answered() -> None:
    """A-20, B-29: by a look or by a Double Nil, and nobody else's answer counts."""
    table = TableOf("partnership", decks=[deck_for({})])
    assert holdings(table.game) == ["", "", "", ""]
    table.act("W", type="look")
    assert holdings(table.game) == ["", "", "", "W"]
    table.act("N", type="bid_double_nil")
    assert holdings(table.game) == ["N", "", "", "W"]


@pytest.mark.parametrize(
    ("ruleset", "options"), [("pairs", {}), ("partnership", {"double_nil_deficit": 100})]
)
def test_a_seat_that_is_not_asked_sees_its_holding_from_the_deal(
    ruleset: str, options: dict[str, int]
) -> None:
    """A-21, V-03."""
    assert holdings(TableOf(ruleset, options).game) == ["N", "E", "S", "W"]


def test_cards_given_are_the_givers_until_both_partners_have_given() -> None:
    """A-24: then they are both partners', and never the opponents'."""
    table = TableOf("partnership", decks=[deck_for({})])
    for seat in table.game.to_act:
        table.act(seat, type="bid_double_nil" if seat == "N" else "look")
    while table.game.phase is Phase.BIDDING:
        table.act(table.game.to_act[0], type="bid", tricks=3)
    for name, seers in (("S", ["S", "N"]), ("N", ["NS", "NS"])):
        table.act(name, type="exchange", cards=list(hand_of(table.game).holdings[Seat(name)][:3]))
        assert [seen_by(table.game, "/data/given", giver) for giver in "SN"] == seers
        assert holdings(table.game) == ["N", "E", "S", "W"]


def test_of_a_draft_each_sees_her_own_and_nobody_what_nobody_looked_at() -> None:
    """A-31, A-32, A-33, A-34, B-29: nor does anybody see the stock."""
    table = TableOf("two-player")
    for seat in "NS":
        table.act(seat, type="bid_double_nil")
    while table.game.phase is Phase.DRAFT:
        table.act(table.game.to_act[0], type="keep")
    assert seen_by(table.game, "/data/stock") == ""
    for seat in "NS":
        for name in ("kept", "refused", "thrown", "drawn"):
            assert seen_by(table.game, f"/data/{name}", seat) == seat
        assert seen_by(table.game, "/data/discarded", seat) == ""


@pytest.mark.parametrize(("ruleset", "hands"), [("two-player", 1), ("pairs", 1), ("pairs", 2)])
def test_a_scored_hand_is_everybodys_and_the_next_is_not(ruleset: str, hands: int) -> None:
    """A-32, A-33: all leaves of the hand; at the end of the game of every hand."""
    table = TableOf(ruleset, {"max_hands": hands, "double_nil": None})
    names = ("stock", "discarded", "kept", "refused", "thrown", "drawn", "given", "holdings")
    leaves = [Leaf(1, name, seat) for name in names for seat in (*table.game.seats, None)]
    assert not any(audience(table.game, leaf) == EVERYBODY for leaf in leaves)
    play_out(table)
    assert all(audience(table.game, leaf) == EVERYBODY for leaf in leaves)
    if table.game.result is None:
        assert audience(table.game, Leaf(2, "holdings", Seat.N)) == {Seat.N}
        assert audience(table.game, Leaf(2, "discarded", Seat.N)) == NOBODY
