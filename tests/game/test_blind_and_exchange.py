"""Double Nil: bid unseen, then cards swapped with the partner or drawn anew."""

from typing import Any

import pytest

from spades.errors import (
    CardNotHeld,
    DoubleNilNotOffered,
    ExchangeCount,
    ExchangeDuplicate,
    NotYourTurn,
    WrongPhase,
)
from spades.game.audience import SPECTATOR, seated
from spades.game.cards import Card, in_deck_order
from spades.game.entitlement import asked_for_double_nil
from spades.game.events import CardsReplaced
from spades.game.position import Phase
from spades.game.seats import Seat
from spades.game.views import legal_actions, observe
from tests.support.rules import deck_for, hand_of, refused, with_standings
from tests.support.tables import TableOf


def partnership(answers: str = "", options: dict[str, Any] | None = None) -> TableOf:
    """A table of partners; letters of N, E, S, W in `answers` bid Double Nil, the rest look."""
    table = TableOf("partnership", options, decks=[deck_for({})])
    for seat in table.game.to_act:
        table.act(seat, type="bid_double_nil" if seat in answers else "look")
    return table


def bid_out(table: TableOf, tricks: int = 3) -> TableOf:
    while table.game.phase is Phase.BIDDING:
        table.act(table.game.to_act[0], type="bid", tricks=tricks)
    return table


def two_player(*blind: str, options: dict[str, Any] | None = None) -> TableOf:
    """A two-player table at the exchange, if any of these seats bid Double Nil."""
    table = TableOf("two-player", options)
    for seat in "NS":
        table.act(seat, type="bid_double_nil" if seat in blind else "look")
    while table.game.phase is Phase.DRAFT:
        table.act(table.game.to_act[0], type="keep")
    return bid_out(table)


def held(table: TableOf, seat: str) -> tuple[Card, ...]:
    return hand_of(table.game).holdings[Seat(seat)]


def swap(table: TableOf, seat: str, *chosen: str) -> None:
    table.act(seat, type="exchange", cards=list(chosen))


def test_all_answer_before_anybody_sees_a_card_in_any_order() -> None:
    """P-08, A-20."""
    table = TableOf("partnership", decks=[deck_for({})])
    assert table.game.phase == "blind"
    for seat in "WNSE":
        view = observe(table.game, seated(Seat(seat)))
        assert (view["hand"], view["hand_withheld"]) == (None, "blind_choice")
        table.act(seat, type="look")
        assert len(observe(table.game, seated(Seat(seat)))["hand"]) == 13
    assert table.game.phase == "bidding"


def test_a_two_player_double_nil_is_bid_before_the_first_card_is_drawn() -> None:
    """T-07, A-19, A-22: both answer before the draft; the bidder then drafts as ever."""
    table = TableOf("two-player")
    assert table.game.phase is Phase.BLIND
    refused(table, WrongPhase, "N", type="keep")
    table.act("S", type="bid_double_nil")
    assert observe(table.game, seated(Seat.S))["draft"] is None
    table.act("N", type="look")
    table.act("N", type="keep")
    assert observe(table.game, seated(Seat.S))["draft"]["card"] is not None


def test_an_answer_is_given_once() -> None:
    table = TableOf("partnership", decks=[deck_for({})])
    table.act("N", type="look")
    refused(table, NotYourTurn, "N", type="look")
    refused(table, NotYourTurn, "N", type="bid_double_nil")


def test_a_double_nil_is_seen_by_all_at_once_and_skips_the_bidding() -> None:
    """A-20, A-39: numbers are bid by the others, the dealer's left first."""
    table = partnership("E")
    bid = observe(table.game, SPECTATOR)["seats"][1]["bid"]
    assert bid == {"tricks": 0, "nil": False, "double_nil": True}
    assert table.game.to_act == (Seat.S,)
    bid_out(table)
    assert [e.seat for e in table.events if e.type == "bid_made"] == list("SWN")


def test_the_swap_comes_after_the_bids_and_before_the_first_lead() -> None:
    """A-23, P-08."""
    table = partnership("N")
    refused(table, WrongPhase, "N", type="exchange", cards=list(held(table, "N")[:3]))
    bid_out(table)
    assert table.game.phase is Phase.EXCHANGE
    assert set(table.game.to_act) == {"N", "S"}
    refused(table, WrongPhase, "E", type="play", card=held(table, "E")[0])


def test_partners_swap_three_cards_without_seeing_the_others_first() -> None:
    """P-08, A-24, A-27: both choose from the cards dealt to them; both must."""
    table = bid_out(partnership("N"))
    north, south = held(table, "N"), held(table, "S")
    swap(table, "S", *south[:3])
    view = observe(table.game, seated(Seat.N))
    assert view["received"] is None
    assert not {str(card) for card in south[:3]} & {c["card"] for c in view["hand"]}
    refused(table, CardNotHeld, "N", type="exchange", cards=[*north[:2], south[0]])
    swap(table, "N", *north[:3])
    assert set(held(table, "N")) == {*north[3:], *south[:3]}
    assert set(held(table, "S")) == {*south[3:], *north[:3]}
    assert table.game.phase is Phase.PLAY
    assert set(observe(table.game, seated(Seat.N))["received"]) == set(south[:3])


def test_exactly_three_different_cards_of_ones_own_are_swapped() -> None:
    """A-25, B-18, B-20."""
    table = bid_out(partnership("N"))
    own = held(table, "N")
    for count in (0, 2, 4, 13):
        error = refused(table, ExchangeCount, "N", type="exchange", cards=list(own[:count]))
        assert (error.facts["min"], error.facts["max"]) == (3, 3)
    refused(table, ExchangeDuplicate, "N", type="exchange", cards=[own[0], own[0], own[1]])
    refused(table, CardNotHeld, "N", type="exchange", cards=[*own[:2], held(table, "E")[0]])
    swap(table, "N", *own[:3])
    refused(table, NotYourTurn, "N", type="exchange", cards=list(own[3:6]))


def test_both_partners_double_nil_swap_nothing() -> None:
    """P-09."""
    assert bid_out(partnership("NS")).game.phase is Phase.PLAY


def test_a_nil_and_a_double_nil_partner_do_swap() -> None:
    """A-06."""
    table = partnership("N")
    while table.game.phase is Phase.BIDDING:
        seat = table.game.to_act[0]
        table.act(seat, type="bid", tricks=0 if seat == "S" else 3)
    assert set(table.game.to_act) == {"N", "S"}


def test_both_sides_swap_all_four_at_once() -> None:
    """A-26: the order that is shown is the order of the bidding."""
    table = bid_out(partnership("NE"))
    assert observe(table.game, SPECTATOR)["exchange"] == {
        "owed_by": ["E", "S", "W", "N"],
        "min": 3,
        "max": 3,
    }
    for seat in "WNES":
        swap(table, seat, *held(table, seat)[:3])
    assert table.game.phase is Phase.PLAY


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_double_nil_player_throws_up_to_three_and_draws_as_many(count: int) -> None:
    """T-09, A-28, A-30, A-31: from the discards without those thrown now; the count is public."""
    table = two_player("N")
    hand = hand_of(table.game)
    thrown = hand.holdings[Seat.N][:count]
    (event,) = table.act("N", type="exchange", cards=list(thrown))
    assert isinstance(event, CardsReplaced)
    assert set(event.drawn) <= set(hand.discards)
    assert not set(event.drawn) & set(thrown)
    after = hand_of(table.game)
    assert len(after.holdings[Seat.N]) == 13
    left = tuple(card for card in hand.discards if card not in event.drawn)
    assert after.discards == left + in_deck_order(thrown)
    assert observe(table.game, seated(Seat.S))["seats"][0]["exchanged_cards"] == count
    assert table.game.phase is Phase.PLAY


def test_thrown_cards_join_the_discards_in_deck_order_however_they_were_named() -> None:
    """A-28: or a replay of the log would draw other cards for the second player."""
    table = two_player("N", "S")
    thrown = in_deck_order(held(table, "S")[:3])
    swap(table, "S", *thrown[::-1])
    assert hand_of(table.game).discards[-3:] == thrown


def test_a_double_nil_player_may_not_throw_four() -> None:
    """T-09."""
    table = two_player("N")
    error = refused(table, ExchangeCount, "N", type="exchange", cards=list(held(table, "N")[:4]))
    assert (error.facts["min"], error.facts["max"]) == (0, 3)


def test_the_second_player_redraws_first_and_what_she_threw_may_be_drawn_next() -> None:
    """A-29."""
    table = two_player("N", "S")
    assert table.game.to_act == (Seat.S,)
    thrown = held(table, "S")[:3]
    refused(table, NotYourTurn, "N", type="exchange", cards=[])
    swap(table, "S", *thrown)
    assert table.game.to_act == (Seat.N,)
    assert set(thrown) <= set(hand_of(table.game).discards)


def test_without_an_exchange_a_double_nil_is_played_as_dealt() -> None:
    assert bid_out(partnership("N", {"exchange_cards": 0})).game.phase is Phase.PLAY
    assert two_player("N", options={"exchange_cards": 0}).game.phase is Phase.PLAY


def test_a_whole_hand_may_be_swapped_if_the_option_says_so() -> None:
    table = bid_out(partnership("N", {"exchange_cards": 13}))
    north, south = held(table, "N"), held(table, "S")
    swap(table, "N", *north)
    swap(table, "S", *south)
    assert (set(held(table, "N")), set(held(table, "S"))) == (set(south), set(north))


def test_a_player_alone_may_throw_a_whole_hand_if_the_option_says_so() -> None:
    """T-09, A-28: thirteen of the twenty-six discards take its place."""
    table = two_player("N", options={"exchange_cards": 13})
    thrown, pool = held(table, "N"), hand_of(table.game).discards
    swap(table, "N", *thrown)
    assert set(held(table, "N")) < set(pool)
    assert set(hand_of(table.game).discards) == {*pool, *thrown} - set(held(table, "N"))
    assert table.game.phase is Phase.PLAY


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_partners_swap_as_many_as_the_option_says(count: int) -> None:
    """A-25, B-18: no fewer and no more, and only then is it done."""
    table = bid_out(partnership("N", {"exchange_cards": count}))
    own = held(table, "S")
    for wrong in {0, count - 1, count + 1, 13}:
        refused(table, ExchangeCount, "S", type="exchange", cards=list(own[:wrong]))
    swap(table, "S", *own[:count])
    swap(table, "N", *held(table, "N")[:count])
    assert set(own[:count]) < set(held(table, "N"))


def test_without_double_nil_everybody_sees_the_cards_from_the_deal() -> None:
    table = TableOf("partnership", {"double_nil": None}, decks=[deck_for({})])
    assert table.game.phase is Phase.BIDDING
    assert all(len(observe(table.game, seated(seat))["hand"]) == 13 for seat in table.game.seats)
    refused(table, DoubleNilNotOffered, "E", type="bid_double_nil")
    assert TableOf("two-player", {"double_nil": None}).game.phase is Phase.DRAFT


def test_pairs_may_be_given_double_nil_with_a_swap() -> None:
    """V-03: only by its options."""
    table = TableOf("pairs", {"double_nil": 200, "exchange_cards": 3}, decks=[deck_for({})])
    for seat in table.game.to_act:
        table.act(seat, type="bid_double_nil" if seat == "E" else "look")
    assert set(bid_out(table).game.to_act) == {"E", "W"}


def behind(ruleset: str, loser: str, **options: Any) -> TableOf:
    """A table at its second hand, in which the loser's side is far behind."""
    table = TableOf(ruleset, {"double_nil_deficit": 20, "lose_at": None, **options})
    while hand_of(table.game).number == 1:
        seat = table.game.to_act[0]
        bids = {"type": "bid", "tricks": 13 if seat in loser else 1}
        body = bids if table.game.phase is Phase.BIDDING else legal_actions(table.game, seat)[-1]
        table.act(seat, **body)
    return table


@pytest.mark.parametrize("loser", ["NS", "EW"])
def test_in_the_next_hand_only_the_seats_behind_are_asked_and_the_others_see_their_cards(
    loser: str,
) -> None:
    """A-21, A-20: entitlement is each seat's own."""
    table = behind("partnership", loser)
    assert set(table.game.to_act) == set(loser)
    for seat in table.game.seats:
        view = observe(table.game, seated(seat))
        asked = seat in loser
        assert (view["hand"] is None) == asked
        assert view["hand_withheld"] == ("blind_choice" if asked else None)
        assert view["seats"][table.game.seats.index(seat)]["looked"] is not asked
        if not asked:
            refused(table, DoubleNilNotOffered, seat, type="bid_double_nil")
            refused(table, NotYourTurn, seat, type="look")
    for name in loser:
        table.act(name, type="look")
    assert table.game.to_act == (Seat.S,)  # the east dealt
    refused(table, WrongPhase, loser[0], type="look")


@pytest.mark.parametrize("loser", ["N", "S"])
def test_a_player_alone_who_is_behind_is_asked_before_the_draft(loser: str) -> None:
    """A-21, A-19."""
    table = behind("two-player", loser)
    assert table.game.to_act == (Seat(loser),)
    table.act(loser, type="bid_double_nil")
    assert table.game.phase is Phase.DRAFT


@pytest.mark.parametrize(
    ("points", "asked"),
    [
        ({"NS": 0, "EW": 0}, ""),
        ({"NS": 0, "EW": 99}, ""),
        ({"NS": 0, "EW": 100}, "NS"),
        ({"NS": 250, "EW": 100}, "EW"),
    ],
)
def test_only_a_side_far_enough_behind_is_asked(points: dict[str, int], asked: str) -> None:
    """A-21."""
    game = TableOf("partnership", {"double_nil_deficit": 100}).game
    behind = with_standings(game, {side: (total, 0) for side, total in points.items()})
    assert asked_for_double_nil(behind) == set(asked)


def test_with_no_condition_everybody_is_asked() -> None:
    """A-21: by default nobody need be behind."""
    assert asked_for_double_nil(TableOf("partnership").game) == set("NESW")
    assert asked_for_double_nil(TableOf("two-player").game) == set("NS")
    assert asked_for_double_nil(TableOf("partnership", {"double_nil": None}).game) == set()


def test_where_nobody_is_asked_there_is_no_blind_phase_and_cards_are_seen() -> None:
    table = TableOf("partnership", {"double_nil_deficit": 100}, decks=[deck_for({})])
    assert table.game.phase is Phase.BIDDING
    assert len(observe(table.game, seated(Seat.N))["hand"]) == 13
    refused(table, DoubleNilNotOffered, "E", type="bid_double_nil")
    refused(table, WrongPhase, "E", type="look")
