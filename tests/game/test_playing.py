"""Tricks: following, ruffing, leading, breaking spades."""

from itertools import permutations
from random import Random

import pytest

from spades.errors import CardNotHeld, MustFollowSuit, NotYourTurn, SpadesError, SpadesNotBroken
from spades.game.audience import seated
from spades.game.cards import FRESH_DECK, RANKS, Card, Suit
from spades.game.events import CardPlayed, Event, HandStarted, TrickTaken
from spades.game.legal import legal_plays
from spades.game.position import Hand, Played, winning
from spades.game.seats import FOUR, Seat
from spades.game.views import legal_actions, observe
from tests.support.house import chosen
from tests.support.rules import given, hand_of, playing_table, refused, stock_for, trick
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


def test_a_second_card_wins_only_by_rank_in_the_suit_led_or_as_a_ruff() -> None:
    """C-05, B-15, B-17: all 2652 pairs of a lead and a card played on it."""
    for lead, card in permutations(FRESH_DECK, 2):
        higher = RANKS.index(card[0]) > RANKS.index(lead[0])
        beats = higher if card[1] == lead[1] else card[1] == "S"
        assert winner(lead, card) == (card if beats else lead)


def test_a_trick_of_four_goes_to_its_highest_spade_or_else_to_the_suit_led() -> None:
    """C-05, B-15, B-17: in 2000 random tricks."""
    chance = Random(15)
    for _ in range(2000):
        played = chance.sample(FRESH_DECK, 4)
        spades = [card for card in played if card[1] == "S"]
        able = spades or [card for card in played if card[1] == played[0][1]]
        assert winner(*played) == max(able, key=lambda card: RANKS.index(card[0]))


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


def test_kelly_leads_hearts_and_donna_who_has_none_may_ruff_or_throw_off() -> None:
    """C-04, C-08: the example of the two-player sources; a ruff wins the trick, a club does not."""
    donna = "AS 2C 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 7D"
    for card, wins in (("AS", Seat.N), ("2C", Seat.S), ("7D", Seat.S)):
        table = TableOf("two-player", {"double_nil": None}, decks=[stock_for(donna, "2H 3H")])
        while table.game.phase != "play":
            table.act(table.game.to_act[0], **legal_actions(table.game, table.game.to_act[0])[0])
        trick(table, "2H")
        assert len(legal_plays(hand_of(table.game), table.game.options, Seat.N)) == 13
        given(table).when("N", type="play", card=card).then(
            CardPlayed(Seat.N, card=Card(card)),
            TrickTaken(seat=wins, number=1, leader=Seat.S, cards=(Card("2H"), Card(card))),
        )


def test_a_void_follower_may_ruff_or_throw_any_card() -> None:
    """C-04, A-40: David has no hearts where Alex led them; on the first trick too."""
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


def test_spades_that_may_be_led_at_any_time_need_not_be_led() -> None:
    table = playing_table(options={"lead_spades": "anytime"}, E="2S 2H", S="3S", W="4S", N="5S")
    assert len(legal_plays(hand_of(table.game), table.game.options, Seat.E)) == 13


def test_the_winner_who_sends_the_winning_card_again_plays_it_once() -> None:
    """B-32: it is her turn again, but the card is gone."""
    table = playing_table(E="2H", S="3H", W="4H", N="AH 5H")
    trick(table, "2H 3H 4H AH")
    given(table).when("N", type="play", card="AH").refused(CardNotHeld)


@pytest.mark.parametrize("policy", [None, "novice/1"])
def test_a_bot_is_bound_by_the_same_rules(policy: str | None) -> None:
    """B-21: limits on leads and follows do not ask who plays."""
    table = playing_table(E="2S 2H", S="3H AS", W="4H", N="5H")
    given(table).when("E", policy=policy, type="play", card="2S").refused(SpadesNotBroken)
    trick(table, "2H")
    given(table).when("S", policy=policy, type="play", card="AS").refused(MustFollowSuit, led="H")
    given(table).when("S", policy=policy, type="play", card="3H").then(
        CardPlayed(Seat.S, policy, card=Card("3H"))
    )


def expected_plays(hand: Hand, seat: Seat, anytime: bool) -> tuple[set[Card], type[SpadesError]]:
    """What a seat may play and what refuses the rest, worked out from the cards alone."""
    held = set(hand.holdings[seat])
    if hand.plays:
        follows = {card for card in held if card[1] == hand.plays[0].card[1]}
        return follows or held, MustFollowSuit
    broken = any(play.card[1] == "S" for t in hand.tricks for play in t.plays)
    others = {card for card in held if card[1] != "S"}
    return (held if broken or anytime else others or held), SpadesNotBroken


def checked(table: TableOf, seat: Seat, anytime: bool) -> set[Card]:
    """Tries every card of a seat: the expected ones are offered, the rest refused by name."""
    hand = hand_of(table.game)
    able, rule = expected_plays(hand, seat, anytime)
    assert set(legal_plays(hand, table.game.options, seat)) == able
    for card in set(hand.holdings[seat]) - able:
        given(table).when(seat, type="play", card=card).refused(rule)
    return able


def walk(table: TableOf, chance: Random, anytime: bool = False) -> int:
    """Plays a hand with random legal cards, checking all cards at each turn; counts the leads."""
    leads = 0
    while table.game.result is None:
        seat = chance.choice(table.game.to_act)
        hand = hand_of(table.game)
        if table.game.phase == "play":
            leads += not hand.plays
            card = chance.choice(sorted(checked(table, seat, anytime)))
            table.act(seat, type="play", card=card)
            broken = card[1] == "S" or hand.spades_broken
            assert table.game.hand is not None
            assert table.game.hand.spades_broken == broken
        else:
            table.act(seat, **_body(table, seat, chance))
    return leads


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
@pytest.mark.parametrize(("lead_spades", "deals"), [("broken", 334), ("anytime", 20)])
def test_in_a_thousand_random_deals_each_card_is_legal_or_refused_as_the_rules_say(
    ruleset: str, lead_spades: str, deals: int
) -> None:
    """B-02, B-03, B-04, B-28, C-03, C-04, C-07, C-08, A-42, A-43, A-44: at every turn."""
    chance, leads = Random(4), 0
    options = {"max_hands": 1, "lead_spades": lead_spades}
    for _ in range(deals):
        deck = chance.sample(FRESH_DECK, 52)
        leads += walk(TableOf(ruleset, options, decks=[deck]), chance, lead_spades == "anytime")
    assert leads == deals * 13


def _body(table: TableOf, seat: Seat, chance: Random) -> dict[str, object]:
    body = chosen({"legal_actions": legal_actions(table.game, seat)}, chance)
    del body["expected_version"]
    return body


@pytest.mark.parametrize(
    ("ruleset", "dealers"), [("pairs", "ESWNE"), ("partnership", "WNESW"), ("two-player", "SNSNS")]
)
def test_a_hand_is_always_thirteen_tricks_and_the_next_starts_afresh(
    ruleset: str, dealers: str
) -> None:
    """A-44, A-45, B-36: flags, tricks and bids start empty, the deal moves one seat on."""
    table = TableOf(ruleset, {"lose_at": None, "target": 10000}, dealer=dealers[0])
    chance, plays = Random(9), 13 * len(table.game.seats)
    for number, dealer in enumerate(dealers, 1):
        hand = hand_of(table.game)
        assert (hand.number, hand.dealer) == (number, dealer)
        assert (hand.bids, hand.tricks, hand.plays, hand.spades_broken) == ({}, (), (), False)
        assert not hand.looked
        assert (hand.draft, hand.discards, hand.exchanges) == ((), (), {})
        happened: list[Event] = []
        while hand_of(table.game).number == number:
            seat = table.game.to_act[0]
            happened += table.act(seat, **_body(table, seat, chance))
        assert sum(isinstance(event, TrickTaken) for event in happened) == 13
        assert sum(isinstance(event, CardPlayed) for event in happened) == plays
        assert isinstance(happened[-1], HandStarted)


def test_cards_of_earlier_tricks_stay_visible() -> None:
    """A-54, T-11."""
    table = playing_table(E="2H", S="AH", W="4H", N="5H")
    trick(table, "2H AH 4H 5H")
    view = observe(table.game, seated(Seat.W))
    assert view["tricks"] == [view["last_trick"]]
    assert [play["card"] for play in view["tricks"][0]["plays"]] == ["2H", "AH", "4H", "5H"]
