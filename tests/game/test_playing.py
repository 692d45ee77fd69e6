"""Tricks: following, ruffing, leading, breaking spades."""

from random import Random

import pytest

from spades.errors import CardNotHeld, MustFollowSuit, NotYourTurn, SpadesNotBroken
from spades.game.audience import seated
from spades.game.cards import FRESH_DECK, Card, Suit
from spades.game.events import CardPlayed, Event, HandStarted, TrickTaken
from spades.game.legal import legal_plays
from spades.game.position import Played, winning
from spades.game.seats import FOUR, Seat
from spades.game.views import observe
from tests.support.house import chosen
from tests.support.rules import hand_of, playing_table, refused, trick
from tests.support.tables import TableOf


def winner(*played: str) -> str:
    plays = tuple(Played(seat, Card(card)) for seat, card in zip(FOUR, played, strict=False))
    return str(winning(plays).card)


def test_the_deck_is_52_cards_ranked_two_to_ace() -> None:
    """C-01."""
    assert len(set(FRESH_DECK)) == 52
    assert [str(card)[0] for card in sorted(FRESH_DECK[:13], key=lambda c: c.rank)] == list(
        "23456789TJQKA"
    )


@pytest.mark.parametrize(
    ("played", "wins"),
    [
        (("2H", "AH", "KH", "3H"), "AH"),
        (("TH", "9H", "AC", "AD"), "TH"),
        (("AH", "2S", "KH", "QH"), "2S"),
        (("AH", "2S", "3S", "KH"), "3S"),
        (("JC", "KD"), "JC"),
        (("2S", "AS"), "AS"),
    ],
)
def test_the_highest_spade_wins_or_else_the_highest_of_the_suit_led(
    played: tuple[str, ...], wins: str
) -> None:
    """C-02, C-05, B-15, B-17."""
    assert winner(*played) == wins


def test_a_follower_who_holds_the_suit_may_not_ruff() -> None:
    """C-03, A-46, B-02, B-28."""
    table = playing_table(E="2H", S="3H AS KD", W="4H", N="5H")
    trick(table, "2H")
    error = refused(table, MustFollowSuit, "S", type="play", card="AS")
    assert error.facts["led"] == "H"
    refused(table, MustFollowSuit, "S", type="play", card="KD")
    playable = legal_plays(hand_of(table.game), table.game.options, Seat.S)
    assert playable
    assert all(card.suit is Suit.HEARTS for card in playable)


def test_a_card_not_held_is_refused_though_it_would_follow() -> None:
    table = playing_table(E="2H", S="3H", W="4H", N="5H")
    trick(table, "2H")
    refused(table, CardNotHeld, "S", type="play", card="4H")


def test_a_void_follower_may_ruff_or_throw_any_card() -> None:
    """C-04, A-40: Kelly leads hearts, Donna has none; on the first trick too."""
    table = playing_table(E="2H 3H", S="AS 2C 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 7D", W="4H", N="5H")
    trick(table, "2H")
    assert len(legal_plays(hand_of(table.game), table.game.options, Seat.S)) == 13


def test_the_winner_of_a_trick_leads_the_next() -> None:
    """C-06, A-03, T-11."""
    table = playing_table(E="2H", S="AH", W="4H", N="5H")
    happened = trick(table, "2H AH 4H 5H")
    assert happened[-1] == TrickTaken(
        seat=Seat.S,
        number=1,
        leader=Seat.E,
        cards=(Card("2H"), Card("AH"), Card("4H"), Card("5H")),
    )
    assert table.game.to_act == (Seat.S,)
    assert hand_of(table.game).tricks_of(Seat.S) == 1
    assert observe(table.game, seated(Seat.W))["seats"][2]["tricks"] == 1


def test_a_spade_may_not_be_led_before_spades_are_broken() -> None:
    """C-07, T-10, P-10, V-05, A-40: on the first trick and later."""
    table = playing_table(E="AH 2S", S="3H", W="4H", N="5H")
    refused(table, SpadesNotBroken, "E", type="play", card="2S")
    trick(table, "AH 3H 4H 5H")
    refused(table, SpadesNotBroken, "E", type="play", card="2S")


def test_a_leader_with_nothing_but_spades_leads_one_and_breaks_them() -> None:
    """C-07, C-08, A-41."""
    every = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"
    table = playing_table(E=every)
    assert not hand_of(table.game).spades_broken
    assert len(legal_plays(hand_of(table.game), table.game.options, Seat.E)) == 13
    trick(table, "2S")
    assert hand_of(table.game).spades_broken


def test_after_a_ruff_the_next_leader_may_lead_a_spade() -> None:
    """C-08, V-05, A-42, A-43, B-03, B-04."""
    table = playing_table(E="2H AC 3S", S="AS 2C 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 7D", W="4H", N="5H")
    trick(table, "2H AS 4H 5H")
    assert hand_of(table.game).spades_broken
    assert table.game.to_act == (Seat.S,)
    trick(table, "2C")
    table_of_spades = playing_table(
        E="2H 9S", S="2S 3S 2C 3C 4C 5C 6C 2D 3D 4D 5D 6D 7D", W="4H", N="5H"
    )
    trick(table_of_spades, "2H 2S 4H 5H")
    legal = legal_plays(hand_of(table_of_spades.game), table_of_spades.game.options, Seat.S)
    assert {"3S", "3C", "2D"} <= set(legal)


def test_spades_that_may_be_led_at_any_time_still_break() -> None:
    table = playing_table(options={"lead_spades": "anytime"}, E="2S 2H", S="3S", W="4S", N="5S")
    trick(table, "2S 3S 4S 5S")
    assert hand_of(table.game).spades_broken


def test_nobody_else_may_play_out_of_turn_or_twice() -> None:
    """B-32: the same card sent again is refused and nothing is played."""
    table = playing_table(E="2H", S="3H", W="4H", N="5H")
    refused(table, NotYourTurn, "S", type="play", card="3H")
    trick(table, "2H")
    refused(table, NotYourTurn, "E", type="play", card="2H")


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_a_leader_is_offered_spades_exactly_when_the_rule_lets_him(ruleset: str) -> None:
    """B-04, B-21, C-07, A-44: every lead of random hands, the flag worked out from the cards."""
    chance, leads = Random(4), 0
    for _ in range(60):
        deck = list(FRESH_DECK)
        chance.shuffle(deck)
        table = TableOf(ruleset, {"max_hands": 1}, decks=[deck])
        while table.game.result is None:
            seat = table.game.to_act[0]
            hand = hand_of(table.game)
            if table.game.phase == "play" and not hand.plays:
                leads += 1
                held = hand.holdings[seat]
                spades = {card for card in held if card.suit is Suit.SPADES}
                broken = any(
                    played.card.suit is Suit.SPADES for t in hand.tricks for played in t.plays
                )
                expected = set(held) if broken or len(spades) == len(held) else set(held) - spades
                assert set(legal_plays(hand, table.game.options, seat)) == expected
            table.act(seat, **_body(table, seat, chance))
    assert leads == 60 * 13


def _body(table: TableOf, seat: Seat, chance: Random) -> dict[str, object]:
    body = chosen(observe(table.game, seated(seat)), chance)
    del body["expected_version"]
    return body


def test_a_hand_is_always_thirteen_tricks_and_the_next_starts_afresh() -> None:
    """A-44, A-45, B-36: flags, tricks and bids start empty, the deal moves one seat on."""
    table = TableOf("pairs", {"lose_at": None}, dealer="E")
    chance = Random(9)
    for number, dealer in enumerate("ESWNE", 1):
        hand = hand_of(table.game)
        assert (hand.number, hand.dealer) == (number, dealer)
        assert (hand.bids, hand.tricks, hand.plays, hand.spades_broken) == ({}, (), (), False)
        happened: list[Event] = []
        while hand_of(table.game).number == number:
            seat = table.game.to_act[0]
            happened += table.act(seat, **_body(table, seat, chance))
        assert sum(isinstance(event, TrickTaken) for event in happened) == 13
        assert sum(isinstance(event, CardPlayed) for event in happened) == 52
        assert isinstance(happened[-1], HandStarted)


def test_cards_of_earlier_tricks_stay_visible() -> None:
    """A-54, T-11."""
    table = playing_table(E="2H", S="AH", W="4H", N="5H")
    trick(table, "2H AH 4H 5H")
    view = observe(table.game, seated(Seat.W))
    assert view["tricks"] == [view["last_trick"]]
    assert [play["card"] for play in view["tricks"][0]["plays"]] == ["2H", "AH", "4H", "5H"]
