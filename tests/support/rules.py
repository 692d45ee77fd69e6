"""Given a deal, a table or a score: short ways to say what a rule is about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from spades.errors import SpadesError
from spades.game import Game, decide, fold
from spades.game.cards import FRESH_DECK, Card, cards
from spades.game.commands import action_of
from spades.game.events import Event, SideScore
from spades.game.position import Contract, Hand, Phase, Played, Standing, Trick
from spades.game.scoring import score_hand
from spades.game.seats import Seat, Side, clockwise_from, left_of
from spades.game.views import legal_actions
from tests.support.tables import GivenDealer, TableOf

DOUBLE_NIL: int | str = "double nil"


@dataclass(frozen=True)
class When:
    """An order given in a game: what follows from it, or the rule that refuses it."""

    game: Game
    dealer: GivenDealer
    seat: str
    body: Mapping[str, Any]
    policy: str | None

    def then(self, *expected: Event) -> Game:
        """Expects exactly these events, and returns the game after them."""
        assert self.events() == expected
        after = fold(expected, self.game)
        assert after is not None
        return after

    def refused(self, error: type[SpadesError], **facts: Any) -> None:
        """Expects this very error with these facts."""
        with pytest.raises(error) as refusal:
            self.events()
        assert type(refusal.value) is error
        assert {name: refusal.value.facts[name] for name in facts} == facts

    def events(self) -> tuple[Event, ...]:
        """Returns what follows."""
        return decide(self.game, action_of(self.body, Seat(self.seat), self.policy), self.dealer)


@dataclass(frozen=True)
class Given:
    """A game that has come so far."""

    game: Game
    dealer: GivenDealer

    def when(self, seat: str, *, policy: str | None = None, **body: Any) -> When:
        """Gives an order for a seat; `policy` if a bot sits there."""
        return When(self.game, self.dealer, seat, body, policy)


def given(facts: TableOf | Iterable[Event], dealer: GivenDealer | None = None) -> Given:
    """A table as it stands, or a game of these events."""
    if isinstance(facts, TableOf):
        return Given(facts.game, facts.chance)
    game = fold(facts)
    assert game is not None
    return Given(game, dealer or GivenDealer())


def deck_for(holdings: Mapping[str, str], dealer: str = "N") -> tuple[Card, ...]:
    """Returns a deck that deals these cards to four seats, the rest in deck order."""
    seats = (Seat.N, Seat.E, Seat.S, Seat.W)
    named = {seat: list(cards(holdings.get(seat.value, "").split())) for seat in seats}
    taken = [card for held in named.values() for card in held]
    assert len(taken) == len(set(taken)), "a card is dealt twice"
    rest = iter([card for card in FRESH_DECK if card not in taken])
    order = clockwise_from(seats, left_of(seats, Seat(dealer)))
    for seat in order:
        named[seat] += [next(rest) for _ in range(13 - len(named[seat]))]
    return tuple(named[order[place % 4]][place // 4] for place in range(52))


def stock_for(first: str, second: str) -> tuple[Card, ...]:
    """Returns a stock from which two players who keep every first card hold these cards."""
    held = [list(cards(first.split())), list(cards(second.split()))]
    rest = iter([card for card in FRESH_DECK if card not in held[0] + held[1]])
    for cards_held in held:
        cards_held += [next(rest) for _ in range(13 - len(cards_held))]
    return tuple(
        card for pair in zip(*held, strict=True) for kept in pair for card in (kept, next(rest))
    )


def stock_of(first: str) -> tuple[Card, ...]:
    """Returns a two-player stock that begins with these cards, the rest in deck order."""
    top = cards(first.split())
    return top + tuple(card for card in FRESH_DECK if card not in top)


def bidding_table(
    ruleset: str = "pairs", options: Mapping[str, Any] | None = None, **holdings: str
) -> TableOf:
    """A table of four dealt by the north, its cards seen, the east to bid."""
    table = TableOf(ruleset, options, decks=[deck_for(holdings)])
    for seat in table.game.to_act if table.game.phase == "blind" else ():
        table.act(seat, type="look")
    return table


def playing_table(
    bids: str = "3 3 3 3",
    ruleset: str = "pairs",
    options: Mapping[str, Any] | None = None,
    **holdings: str,
) -> TableOf:
    """A table of four on which E, S, W and N have bid these tricks; the east leads."""
    table = bidding_table(ruleset, options, **holdings)
    for seat, tricks in zip("ESWN", bids.split(), strict=True):
        table.act(seat, type="bid", tricks=int(tricks))
    return table


def trick(table: TableOf, played: str) -> list[Event]:
    """Plays cards in turn and returns what happened."""
    happened: list[Event] = []
    for card in played.split():
        happened += table.act(table.game.to_act[0], type="play", card=card)
    return happened


def hand_of(game: Game) -> Hand:
    """The hand on the table."""
    assert game.hand is not None
    return game.hand


def play_out(table: TableOf, tricks: int | None = None) -> list[Event]:
    """Plays a hand on with the first legal action each time, bidding `tricks` if given."""
    happened: list[Event] = []
    number = hand_of(table.game).number
    while table.game.result is None and hand_of(table.game).number == number:
        seat = table.game.to_act[0]
        if tricks is not None and table.game.phase is Phase.BIDDING:
            body: dict[str, Any] = {"type": "bid", "tricks": tricks}
        else:
            body = legal_actions(table.game, seat)[-1]
        happened += table.act(seat, **body)
    return happened


def refused(table: TableOf, error: type[SpadesError], seat: str, **body: Any) -> SpadesError:
    """Gives an order that must be refused with this error and change nothing."""
    before, events = table.game, list(table.events)
    with pytest.raises(error) as refusal:
        table.act(seat, **body)
    assert type(refusal.value) is error
    assert (table.game, table.events) == (before, events)
    return refusal.value


def score(
    ruleset: str,
    bids: Mapping[str, int | str],
    tricks: Mapping[str, int],
    options: Mapping[str, Any] | None = None,
    before: Mapping[str, tuple[int, int]] | None = None,
) -> dict[str, SideScore]:
    """Scores a hand; `before` gives sides' points and bags, an absent seat took nothing."""
    game = with_standings(TableOf(ruleset, options).game, before or {})
    hand = replace(hand_of(game), bids=_contracts(game, bids), tricks=_tricks(game, tricks))
    return {side.value: parts for side, parts in score_hand(game, hand).items()}


def with_standings(game: Game, standings: Mapping[str, tuple[int, int]]) -> Game:
    """Returns the game with these sides' points and bags."""
    given = {Side(side): Standing(*standing) for side, standing in standings.items()}
    return replace(game, standings={**game.standings, **given})


def _contracts(game: Game, bids: Mapping[str, int | str]) -> dict[Seat, Contract]:
    return {
        seat: Contract(0, double=True)
        if bids[seat.value] == DOUBLE_NIL
        else Contract(int(bids[seat.value]))
        for seat in game.seats
    }


def _tricks(game: Game, tricks: Mapping[str, int]) -> tuple[Trick, ...]:
    winners = [Seat(seat) for seat, count in tricks.items() for _ in range(count)]
    plays = tuple(Played(seat, card) for seat, card in zip(game.seats, FRESH_DECK, strict=False))
    return tuple(Trick(n, plays, winner) for n, winner in enumerate(winners, 1))
