"""Games and records for the tests of the store: their content means nothing."""

from typing import Any
from uuid import UUID

from spades.audit.log import Record
from spades.store import NewGame, Once, Profile

NOTHING = "00" * 32


def game_id(number: int) -> str:
    """Returns a game id; greater numbers are later games."""
    return str(UUID(int=(number << 80) | (7 << 76) | (2 << 62)))


def digest(number: int) -> str:
    """Returns a hash that stands for a version."""
    return f"{number:064x}"


def record(version: int, *, secret: bool = False, note: str = "") -> Record:
    """Returns a record of a version."""
    public = {
        "version": version,
        "type": "bid_made",
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
