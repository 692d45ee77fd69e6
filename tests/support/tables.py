"""Games for the tests of the core: given decks, seats to fill, orders to give."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from spades.game import Game, decide, fold
from spades.game.cards import FRESH_DECK, Card, cards
from spades.game.commands import Chair, CreateGame, PlayerKind, action_of
from spades.game.dealing import ClientSeeds, Deal
from spades.game.events import Event
from spades.game.rulesets import RULESETS, resolve_options
from spades.game.seats import Seat, Seats


@dataclass(frozen=True)
class GivenDealer:
    """Deals the decks it was given, hand by hand, and draws the cards it was given."""

    decks: tuple[tuple[Card, ...], ...] = (FRESH_DECK,)
    drawn: Mapping[tuple[int, int], tuple[Card, ...]] = field(default_factory=dict)
    algorithm: str = "given"
    game_seed: str = "00" * 32
    game_commit: str = "11" * 32

    def first_dealer(self, seats: Seats) -> Seat:
        return seats[0]

    def deal(self, number: int, client_seeds: ClientSeeds) -> Deal:
        seed = sha256(b"given" + number.to_bytes(4, "big")).hexdigest()
        return Deal(self.decks[(number - 1) % len(self.decks)], "22" * 32, seed)

    def draw(
        self,
        number: int,
        client_seeds: ClientSeeds,
        drawn_before: int,
        pool: tuple[Card, ...],
        wanted: int,
    ) -> tuple[Card, ...]:
        return self.drawn.get((number, drawn_before), pool[:wanted])


class TableOf:
    """A game in progress: orders go in, the events they caused come out."""

    def __init__(
        self,
        ruleset: str,
        options: Mapping[str, Any] | None = None,
        dealer: str = "N",
        decks: Iterable[Iterable[str]] = (FRESH_DECK,),
        drawn: Mapping[tuple[int, int], tuple[Card, ...]] | None = None,
    ) -> None:
        rules = RULESETS[ruleset]
        self.chance = GivenDealer(tuple(cards(deck) for deck in decks), drawn or {})
        chairs = {seat: Chair(PlayerKind.HUMAN) for seat in rules.seats}
        opening = CreateGame(
            rules, resolve_options(rules, options or {}), chairs, dealer=Seat(dealer)
        )
        self.events: list[Event] = []
        self.game = self._happen(decide(None, opening, self.chance), None)

    def act(self, seat: str, **body: Any) -> tuple[Event, ...]:
        """Gives one order for a seat and returns the events that it caused."""
        events = decide(self.game, action_of(body, Seat(seat)), self.chance)
        self.game = self._happen(events, self.game)
        return events

    def _happen(self, events: tuple[Event, ...], game: Game | None) -> Game:
        self.events += events
        after = fold(events, game)
        assert after is not None
        return after
