"""The two-player draft: keep the first card of two, or take the second unseen."""

from spades.errors import NotYourTurn, WrongPhase
from spades.game.audience import SPECTATOR, seated
from spades.game.cards import Card, cards
from spades.game.events import CardKept, CardRefused
from spades.game.position import Phase
from spades.game.seats import Seat
from spades.game.views import observe
from tests.support.rules import hand_of, refused, stock_of
from tests.support.tables import TableOf


def drafting(first: str = "AS 2C KD 3C QH 4C", dealer: str = "N") -> TableOf:
    table = TableOf("two-player", {"double_nil": None}, dealer, [stock_of(first)])
    assert table.game.phase is Phase.DRAFT
    return table


def test_nothing_is_dealt_and_the_dealer_draws_first() -> None:
    """T-01, T-14: in two-player the dealer is who draws first."""
    table = drafting(dealer="S")
    assert hand_of(table.game).holdings == {"N": (), "S": ()}
    assert table.game.to_act == (Seat.S,)


def test_a_kept_card_goes_to_the_hand_and_the_next_away_unseen() -> None:
    """T-02, A-32."""
    table = drafting()
    (event,) = table.act("N", type="keep")
    assert event == CardKept(Seat.N, turn=1, kept=Card("AS"), discarded=Card("2C"))
    view = observe(table.game, seated(Seat.N))
    assert [held["card"] for held in view["hand"]] == ["AS"]
    assert "2C" not in str(view)


def test_a_refused_card_goes_away_and_the_next_must_be_kept() -> None:
    """T-02, A-33, A-34: only the drawer has seen what she refused."""
    table = drafting()
    (event,) = table.act("N", type="refuse")
    assert event == CardRefused(Seat.N, turn=1, refused=Card("AS"), kept=Card("2C"))
    own, other = (observe(table.game, seated(seat)) for seat in (Seat.N, Seat.S))
    assert (own["refused"], [held["card"] for held in own["hand"]]) == (["AS"], ["2C"])
    assert "AS" not in str(other)
    assert "2C" not in str(other)


def test_only_the_drawer_sees_the_card_and_nobody_the_one_under_it() -> None:
    """A-34, B-29."""
    table = drafting()
    own, other, outside = (
        observe(table.game, viewer) for viewer in (seated(Seat.N), seated(Seat.S), SPECTATOR)
    )
    assert own["draft"] == {"card": "AS", "turn": 1, "stock": 51, "choices": []}
    assert other["draft"]["card"] is None
    assert outside["draft"]["card"] is None
    assert "2C" not in str((own, other, outside))


def test_the_choice_is_seen_by_the_other_but_not_the_card() -> None:
    """A-35."""
    table = drafting()
    table.act("N", type="keep")
    table.act("S", type="refuse")
    draft = observe(table.game, seated(Seat.S))["draft"]
    assert draft == {
        "card": None,
        "turn": 3,
        "stock": 47,
        "choices": [{"seat": "N", "kept": True}, {"seat": "S", "kept": False}],
    }


def test_turns_alternate_until_both_hold_thirteen() -> None:
    """T-03: 26 turns of two cards; 26 discards are set aside."""
    table = drafting()
    for turn in range(26):
        assert table.game.to_act == (Seat.N if turn % 2 == 0 else Seat.S,)
        table.act(table.game.to_act[0], type="keep" if turn % 3 else "refuse")
    hand = hand_of(table.game)
    assert {seat: len(held) for seat, held in hand.holdings.items()} == {"N": 13, "S": 13}
    assert len(hand.discards) == 26
    assert table.game.phase is Phase.BIDDING
    refused(table, WrongPhase, "S", type="keep")


def test_the_drawer_alone_may_choose() -> None:
    refused(drafting(), NotYourTurn, "S", type="keep")


def test_discards_lie_in_the_order_they_were_made() -> None:
    """T-03, A-28."""
    table = drafting("AS 2C KD 3C QH 4C")
    for kind in ("keep", "refuse", "keep"):
        table.act(table.game.to_act[0], type=kind)
    assert hand_of(table.game).discards == cards(["2C", "KD", "4C"])
