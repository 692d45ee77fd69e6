"""What an audit has to go by: a game's events, with the openings that are known.

Evidence comes from the records of a store, where everything is known, or from what was
served to a viewer, where only that viewer's openings are.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spades.audit.log import JsonObject, Record, opened_data
from spades.errors import DamagedLog
from spades.game.dealing import SeededDealer
from spades.game.events import Event, GameFinished, HandScored, HandStarted, read_event

CLOSED = {"commit"}
OPENED = {"commit", "salt", "value"}
"""The keys of a leaf that the viewer may not see, and of one that it may."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One event as it is known: `openings` holds `{"salt", "value"}` by pointer.

    `opens` are the openings of earlier events that were served with this one.
    """

    public: JsonObject
    hash: str
    openings: Mapping[str, JsonObject]
    opens: tuple[Any, ...] = ()

    @property
    def version(self) -> int:
        """The event's version."""
        return int(self.public["version"])

    @property
    def leaves(self) -> dict[str, str]:
        """The commitments in the event by JSON pointer."""
        return {pointer: leaf["commit"] for pointer, leaf in leaves_in(self.public["data"])}

    @property
    def event(self) -> Event | None:
        """The event, None if one of its leaves is not opened; raises DamagedLog."""
        if self.leaves.keys() - self.openings.keys():
            return None
        return read_event(self.public, self.opened_data)

    @property
    def opened_data(self) -> JsonObject:
        """The event's data with each leaf that is known replaced by its value."""
        return opened_data(self.public["data"], self.openings)


@dataclass(frozen=True)
class Evidence:
    """A game's log as far as it is known; `viewer` None stands for one who knows everything."""

    game_id: str
    exhibits: tuple[Exhibit, ...]
    viewer: str | None = None
    given_seed: str | None = None

    @cached_property
    def events(self) -> tuple[Event | DamagedLog | None, ...]:
        """The events: None where leaves are closed, the error where one can't be read."""
        return tuple(_read(exhibit) for exhibit in self.exhibits)

    @cached_property
    def game_seed(self) -> str | None:
        """The game's seed, if it is known."""
        ends = [event.game_seed for event in self.events if isinstance(event, GameFinished)]
        return self.given_seed or next(iter(ends), None)

    @cached_property
    def hand_seeds(self) -> dict[int, str]:
        """The seeds that the log tells, by the number of the hand."""
        return {e.number: e.hand_seed for e in self.events if isinstance(e, HandScored)}

    def hand_seed(self, number: int) -> str | None:
        """Returns a hand's seed, if the log tells it or it follows from the game's."""
        told = self.hand_seeds.get(number)
        if told is None and self.game_seed is not None:
            return SeededDealer(self.game_id, self.game_seed).hand_seed(number)
        return told

    def hands(self) -> Iterator[tuple[int, Exhibit]]:
        """Yields each event with the number of the hand it stands in, 0 before the first."""
        number = 0
        for exhibit in self.exhibits:
            if exhibit.public["type"] == HandStarted.type:
                number = exhibit.public["data"]["number"]
            yield number, exhibit


def of_served(
    game_id: str, events: Iterable[JsonObject], viewer: str | None, seed: str | None = None
) -> Evidence:
    """Returns the evidence in events that were served to a viewer."""
    return Evidence(game_id, tuple(_exhibit(event) for event in events), viewer, seed)


def all_opened(record: Record) -> JsonObject:
    """Returns a record's event as it would be served to one who may see everything."""
    data = _reopened(record.public.get("data"), record.secret, "/data")
    return {**record.public, "data": data, "hash": record.hash}


def _exhibit(event: JsonObject) -> Exhibit:
    public = {key: value for key, value in event.items() if key not in ("hash", "opens")}
    openings = {
        pointer: {"salt": leaf["salt"], "value": leaf["value"]}
        for pointer, leaf in leaves_in(event["data"])
        if leaf.keys() == OPENED
    }
    public["data"] = _closed(event["data"])
    return Exhibit(public, event["hash"], openings, tuple(event.get("opens", ())))


def is_leaf(value: object) -> bool:
    """Whether a value of an event's data is a leaf."""
    return isinstance(value, dict) and "commit" in value


def leaves_in(data: Any, base: str = "/data") -> Iterator[tuple[str, JsonObject]]:
    """Yields the leaves in an event's data by JSON pointer, opened or not."""
    for key, value in data.items() if isinstance(data, dict) else ():
        if is_leaf(value):
            yield f"{base}/{key}", value
        else:
            yield from leaves_in(value, f"{base}/{key}")


def _closed(value: Any) -> Any:
    if is_leaf(value):
        return {"commit": value["commit"]}
    if isinstance(value, dict):
        return {key: _closed(inner) for key, inner in value.items()}
    return value


def _reopened(value: Any, secret: JsonObject, pointer: str) -> Any:
    if is_leaf(value) and isinstance(secret.get(pointer), dict):
        return {**value, **secret[pointer]}
    if isinstance(value, dict):
        return {key: _reopened(inner, secret, f"{pointer}/{key}") for key, inner in value.items()}
    return value


def _read(exhibit: Exhibit) -> Event | DamagedLog | None:
    try:
        return exhibit.event
    except DamagedLog as damage:
        return damage
