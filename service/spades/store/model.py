"""What the store holds and what it promises."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Protocol, Self
from uuid import UUID

from spades.audit.log import JsonObject, Record
from spades.errors import InvalidCursor


@dataclass(frozen=True, slots=True)
class Profile:
    """Who sits in a seat, as told by a client: beside the log, so that it can be erased."""

    name: str | None = None
    player_ref: str | None = None


@dataclass(frozen=True, slots=True)
class Once:
    """A platform's Idempotency-Key, with the hex SHA-256 of the body it came with."""

    key: str
    body_hash: str


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game to be stored; `owner` is a platform's name, None if nobody owns it."""

    game_id: str
    ruleset: str
    status: str
    owner: str | None
    profiles: Mapping[str, Profile]
    metadata: JsonObject
    records: tuple[Record, ...]
    once: Once | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """Which game a creation led to; `replayed` when it was there before."""

    game_id: str
    replayed: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """A game as one read finds it; `records` are those after the version asked for."""

    game_id: str
    version: int
    head: str
    status: str
    owner: str | None
    profiles: Mapping[str, Profile]
    metadata: JsonObject
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class GameFilter:
    """Which of a platform's games to list; None asks nothing."""

    status: str | None = None
    ruleset: str | None = None
    updated_after: datetime | None = None


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One line in the list of a platform's games."""

    game_id: str
    ruleset: str
    status: str
    version: int
    created_at: datetime
    updated_at: datetime
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlatformKey:
    """A key of the platform `name`; `key_hash` is the hex SHA-256 of the key itself."""

    id: str
    name: str
    key_hash: str
    created_at: datetime
    revoked_at: datetime | None = None


PLATFORM_PREFIX = "spk_"


def hash_of_key(key: str) -> str:
    """Returns the hex SHA-256 by which a platform's key is stored and found."""
    return sha256(key.encode()).hexdigest()


@dataclass(frozen=True, slots=True, order=True)
class FeedPosition:
    """A place in the feed of all games, behind an opaque cursor."""

    xid: int
    game_id: str
    version: int

    def encode(self) -> str:
        """Returns the position as a cursor."""
        return f"{self.xid:x}.{UUID(self.game_id).hex}.{self.version:x}"

    @classmethod
    def decode(cls, cursor: str) -> Self:
        """Returns the position of a cursor; raises InvalidCursor."""
        match = re.fullmatch(r"([0-9a-f]{1,16})\.([0-9a-f]{32})\.([0-9a-f]{1,15})", cursor)
        if match is None:
            raise InvalidCursor()
        return cls(int(match[1], 16), str(UUID(match[2])), int(match[3], 16))


@dataclass(frozen=True, slots=True)
class FeedItem:
    """An event in the feed of all games: its public form and hash, never its secrets."""

    position: FeedPosition
    public: JsonObject
    hash: str


class Store(Protocol):
    """Events in, events out. Every method raises DatabaseUnavailable when it can't answer."""

    def create(self, game: NewGame) -> Created:
        """Stores a new game with its first events.

        A `once` that its owner used before leads to the earlier game; raises
        IdempotencyKeyReused if the body was another, RequestInProgress if the first request
        under that key is still being worked on.
        """

    def read(self, game_id: str, after: int = 0) -> Stored | None:
        """Returns a game with its records after a version, in one round trip."""

    def append(
        self,
        game_id: str,
        version: int,
        head: str,
        records: Sequence[Record],
        status: str,
        profile: tuple[str, Profile] | None = None,
    ) -> bool:
        """Appends records if the game still stands at this version and head.

        One statement: all of it happens or, on a conflict (False), nothing. `profile` is a
        seat and who took it. Repeating an append of which the outcome is not known is safe:
        if it had happened, it conflicts.
        """

    def games(
        self, owner: str, wanted: GameFilter, before: str | None, limit: int
    ) -> tuple[GameSummary, ...]:
        """Lists a platform's games, newest first, those older than the game `before`."""

    def feed(self, after: FeedPosition | None, limit: int) -> tuple[FeedItem, ...]:
        """Returns events of all games in an order in which none is ever passed over."""

    def add_key(self, key: PlatformKey) -> None:
        """Stores a platform's key; one whose id is there already stays as it is."""

    def key_by_hash(self, key_hash: str) -> PlatformKey | None:
        """Finds a platform's key, revoked or not."""

    def keys(self) -> tuple[PlatformKey, ...]:
        """Lists all platforms' keys, oldest first."""

    def revoke_key(self, key_id: str, at: datetime) -> bool:
        """Revokes a key; False if there is none of that id, or it was revoked at another time."""

    def ping(self) -> None:
        """Asks the database for an answer."""

    def close(self) -> None:
        """Lets go of what the store holds open."""
