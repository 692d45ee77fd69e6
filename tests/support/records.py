"""Games and records for the tests of the store: their content means nothing."""

import time
from typing import Any
from uuid import UUID

from spades.audit.log import Record
from spades.store import Changes, FeedItem, FeedPosition, NewGame, Once, Profile, Store

NOTHING = "00" * 32


def game_id(number: int) -> str:
    """Returns a game id; greater numbers are later games."""
    return str(UUID(int=(number << 80) | (7 << 76) | (2 << 62)))


def digest(number: int) -> str:
    """Returns a hash that stands for a version."""
    return f"{number:064x}"


def record(
    version: int, *, secret: bool = False, note: str = "", event: str = "bid_made"
) -> Record:
    """Returns a record of a version."""
    public = {
        "version": version,
        "type": event,
        "schema": 1,
        "at": "2026-11-30T12:00:00.000Z",
        "seat": "N",
        "actor": "seat",
        "data": {"tricks": 3, "note": note},
    }
    opening = {"/data/note": {"salt": NOTHING, "value": ["AS", "KS"]}} if secret else {}
    return Record(public, opening, digest(version))


def records(first: int, last: int, **kwargs: Any) -> tuple[Record, ...]:
    """Returns the records of some versions."""
    return tuple(record(version, **kwargs) for version in range(first, last + 1))


def new_game(
    number: int = 1, *, owner: str | None = None, once: Once | None = None, **changes: Any
) -> NewGame:
    """Returns a game of two events, ready to be created."""
    parts: dict[str, Any] = {
        "game_id": game_id(number),
        "ruleset": "pairs",
        "status": "active",
        "owner": owner,
        "profiles": {"N": Profile("Ada", "plr-ada")},
        "metadata": {"room": "t7"},
        "records": records(1, 2, secret=True),
        "once": once,
    }
    return NewGame(**{**parts, **changes})


def told(store: Store, expected: int, page: int = 500) -> list[FeedItem]:
    """Follows the feed to its end, and on until it has told as many events as expected.

    A transaction in any database of the server holds it up, so also another test's.
    """
    seen: list[FeedItem] = []
    position: FeedPosition | None = None
    end = time.monotonic() + 30
    while (items := store.feed(position, page)) or len(seen) < expected:
        assert time.monotonic() < end, f"{len(seen)} of {expected} events"
        seen += items
        position = FeedPosition.decode(seen[-1].position.encode()) if seen else None
    return seen


def changed(store: Store, expected: int) -> Changes:
    """Asks what changed, until as many games have as are expected; the feed's waits are its."""
    end = time.monotonic() + 30
    while len((changes := store.changes()).entries) < expected:
        assert time.monotonic() < end, f"{len(changes.entries)} of {expected} games"
    return changes
