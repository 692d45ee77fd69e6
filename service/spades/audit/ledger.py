"""A game's log as this process holds it, in steps: records, and the game after each of them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from spades.audit.log import JsonObject, Record, genesis, leaf_in, opened, seal
from spades.errors import DamagedLog
from spades.game.audience import Leaf, Viewer, audience, leaf_at
from spades.game.dealing import SeededDealer
from spades.game.events import (
    SCHEMAS,
    CardsGiven,
    CardsLookedAt,
    CardsReplaced,
    DoubleNilBid,
    Event,
    GameAborted,
    GameCreated,
    GameFinished,
    HandScored,
    HandStarted,
    read_event,
)
from spades.game.evolve import evolve
from spades.game.position import Game

GAME_SEED = "game_seed"
UNREADABLE = (LookupError, ValueError, TypeError, AttributeError, StopIteration)
WIDENING = (
    CardsLookedAt,
    DoubleNilBid,
    CardsGiven,
    CardsReplaced,
    HandScored,
    GameFinished,
    GameAborted,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One event: as recorded, as read, and the game after it."""

    record: Record
    event: Event
    game: Game

    def leaves(self) -> Iterable[tuple[str, Leaf]]:
        """Yields the event's hidden values by JSON pointer."""
        hand = self.game.hand
        if hand:
            for pointer in self.record.secret:
                if leaf_in(self.record.public, pointer) is not None:
                    yield pointer, leaf_at(hand.number, pointer, self.event.seat)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The steps of a game from some version on, and the game before them.

    `base` is None when the steps begin with the game; `game_seed` is in hex.
    """

    game_id: str
    game_seed: str
    base: Game | None = None
    steps: tuple[Step, ...] = ()

    @property
    def game(self) -> Game:
        """The game after the last step."""
        return self.steps[-1].game

    @property
    def head(self) -> str:
        """The chain's hash after the last step."""
        return self.steps[-1].record.hash if self.steps else genesis(self.game_id)

    @property
    def first_version(self) -> int:
        """The version after which this ledger knows every event."""
        return self.base.version if self.base else 0

    @property
    def dealer(self) -> SeededDealer:
        """The one who knows this game's chance."""
        return SeededDealer(self.game_id, self.game_seed)

    @property
    def _latest(self) -> Game | None:
        return self.steps[-1].game if self.steps else self.base

    def since(self, version: int) -> tuple[Step, ...]:
        """Returns the steps after a version that this ledger reaches back to."""
        return self.steps[version - self.first_version :]

    def read(self, records: Iterable[Record]) -> "Ledger":
        """Returns the ledger with stored records read onto it; raises DamagedLog."""
        steps, game = list(self.steps), self._latest
        for record in records:
            event, game = _read(record, game)
            steps.append(Step(record, event, game))
        return replace(self, steps=tuple(steps))

    def written(self, events: Iterable[Event], at: str) -> "Ledger":
        """Returns the ledger with new events sealed onto it, all at one time."""
        steps, head, game = list(self.steps), self.head, self._latest
        for event in events:
            game = evolve(game, event)
            record = self._seal(head, event, game, at)
            steps.append(Step(record, event, game))
            head = record.hash
        return replace(self, steps=tuple(steps))

    def _seal(self, head: str, event: Event, game: Game, at: str) -> Record:
        frame = {
            "version": game.version,
            "type": event.type,
            "schema": SCHEMAS[event.type],
            "at": at,
            "seat": event.seat.value if event.seat else None,
            "actor": event.actor,
        }
        hand_seed = self.dealer.hand_seed(game.hand.number) if game.hand else None
        record = seal(head, frame, event.data(), hand_seed)
        if isinstance(event, GameCreated):
            return replace(record, secret={**record.secret, GAME_SEED: self.game_seed})
        return record

    def up_to(self, version: int) -> "Ledger":
        """Returns the ledger as it was at a version that it holds the event of."""
        return replace(self, steps=self.steps[: version - self.first_version])

    def of_this_hand(self) -> "Ledger":
        """Returns the ledger cut down to the hand on the table, which is all that play needs."""
        for place in range(len(self.steps) - 1, 0, -1):
            if isinstance(self.steps[place].event, HandStarted):
                base = self.steps[place - 1].game
                return replace(self, base=base, steps=self.steps[place:])
        return self

    def served(self, viewer: Viewer, after: int, limit: int | None = None) -> list[JsonObject]:
        """Returns the events after a version as a viewer may see them now.

        Each is its public form and `hash`, leaves opened in place; `opens` lists the leaves
        of earlier events that an event opened for this viewer.
        """
        start = after - self.first_version
        stop = len(self.steps) if limit is None else start + limit
        return [self._serve(place, viewer) for place in range(start, min(stop, len(self.steps)))]

    def _serve(self, place: int, viewer: Viewer) -> JsonObject:
        step = self.steps[place]
        public = step.record.public
        served = {**public, "hash": step.record.hash}
        visible = [p for p, leaf in step.leaves() if viewer.seat in audience(self.game, leaf)]
        if visible:
            served["data"] = _opened_in_place(public["data"], step.record.secret, visible)
        opens = self._opens(place, viewer) if isinstance(step.event, WIDENING) else []
        return {**served, "opens": opens} if opens else served

    def _opens(self, place: int, viewer: Viewer) -> list[JsonObject]:
        before, after = self.steps[place - 1].game, self.steps[place].game
        return [
            {
                "version": earlier.record.version,
                "pointer": pointer,
                **earlier.record.secret[pointer],
            }
            for earlier in self._same_hand(place)
            for pointer, leaf in earlier.leaves()
            if viewer.seat in audience(after, leaf) and viewer.seat not in audience(before, leaf)
        ]

    def _same_hand(self, place: int) -> tuple[Step, ...]:
        for start in range(place, -1, -1):
            if isinstance(self.steps[start].event, HandStarted):
                return self.steps[start:place]
        return ()


def ledger_of(game_id: str, records: tuple[Record, ...]) -> Ledger:
    """Returns a whole game's ledger from its stored records.

    Raises DamagedLog when the records do not begin with the game.
    """
    if not records or GAME_SEED not in records[0].secret:
        raise DamagedLog(f"The log of game {game_id} has no beginning.")
    return Ledger(game_id, records[0].secret[GAME_SEED]).read(records)


def _read(record: Record, game: Game | None) -> tuple[Event, Game]:
    try:
        event = read_event(record.public, opened(record))
        after = evolve(game, event)
        if record.version != after.version:
            raise DamagedLog(f"Record {record.version} stands where {after.version} should.")
        return event, after
    except UNREADABLE as fault:
        raise DamagedLog("A record can't be read from where the game stood.") from fault


def _opened_in_place(data: JsonObject, secret: JsonObject, pointers: list[str]) -> JsonObject:
    opened_data: dict[str, Any] = dict(data)
    for pointer in pointers:
        _, _, *path, last = pointer.split("/")
        level = opened_data
        for key in path:
            level[key] = dict(level[key])
            level = level[key]
        level[last] = {**level[last], **secret[pointer]}
    return opened_data
