"""What the store holds and what it promises."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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

    def claimed(self, claim: Self) -> Self:
        """Returns who sits in a seat of which this is noted once it is claimed.

        The reference noted stands, a name given replaces the one noted.
        """
        return replace(
            self,
            name=claim.name or self.name,
            player_ref=self.player_ref or claim.player_ref,
        )


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
    """Which game a creation led to; `replayed` when an earlier one had made it.

    `profiles` are those of a game that is new: where one had no name, that noted for its player.
    """

    game_id: str
    replayed: bool
    profiles: Mapping[str, Profile] | None = None


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue of a game's result; a later one supersedes it."""

    id: str
    issued_at: datetime
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class Issued:
    """The last issue of a game's result, with the profiles whose references it tells."""

    issue: Issue
    profiles: Mapping[str, Profile]


@dataclass(frozen=True, slots=True)
class Stored:
    """A game as one read finds it; `records` are those after the version asked for.

    `generations` are those of the game's viewer tokens by kind, where any were revoked;
    `issue` is the last one of its result, None if there is none that tells these profiles'
    references; `quarantined` means that its log was found to diverge from the rules.
    """

    game_id: str
    version: int
    head: str
    status: str
    owner: str | None
    profiles: Mapping[str, Profile]
    metadata: JsonObject
    records: tuple[Record, ...]
    generations: Mapping[str, int] = field(default_factory=dict)
    issue: Issue | None = None
    quarantined: bool = False


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


@dataclass(frozen=True, slots=True)
class Reading:
    """Somebody's look at what others may not see: which token, what was asked, how far.

    `id` is a UUIDv7, so that readings sort by time.
    """

    id: str
    game_id: str
    at: datetime
    token_id: str
    kind: str
    operation: str
    version: int


@dataclass(frozen=True, slots=True)
class Player:
    """A person as a platform refers to them, and in how many of its games they sit."""

    ref: str
    name: str | None
    games: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry in the list that checkpoints are taken of: how far a game's log had come."""

    game_id: str
    version: int
    head: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A tree head over the first `size` entries."""

    size: int
    root: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Changes:
    """What a next checkpoint would take in: the games that changed since `last`.

    `upto` is the place in the feed's order that was reached, to be given back with it.
    """

    last: Checkpoint | None
    entries: tuple[Entry, ...]
    upto: int


Node = tuple[int, int]


class Store(Protocol):
    """Events in, events out. Every method raises DatabaseUnavailable when it can't answer."""

    def create(self, game: NewGame) -> Created:
        """Stores a new game with its first events.

        A profile without a name gets the one noted for its player. A `once` that its owner
        used before leads to the earlier game; raises IdempotencyKeyReused if the body was
        another, RequestInProgress if the first request under that key is still being worked on.
        """

    def read(self, game_id: str, after: int = 0) -> Stored | None:
        """Returns a game with its records after a version, in one round trip.

        Raises DamagedLog if what is stored can't be read.
        """

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
        seat and who claims it, to be merged with what is noted of the seat by then: see
        `Profile.claimed`. A claim without a name, of a seat noted as nobody's, brings the name
        noted for its player. Repeating an append of which the outcome is not known is safe: if
        it had happened, it conflicts.
        """

    def games(
        self, owner: str, wanted: GameFilter, before: str | None, limit: int
    ) -> tuple[GameSummary, ...]:
        """Lists a platform's games, newest first, those older than the game `before`.

        What is noted of one and can't be read is left out of its line.
        """

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

    def quarantine(self, game_id: str, quarantined: bool) -> None:
        """Notes whether a game is quarantined; as long as it is, no append succeeds."""

    def next_generation(self, game_id: str, kind: str) -> int:
        """Revokes a game's viewer tokens of a kind; returns the generation of the next ones.

        The first generation, before any were revoked, is 1. A repeated call may skip one, which
        does no harm. Raises GameNotFound.
        """

    def note_reading(self, reading: Reading) -> None:
        """Records a reading; one whose id is there already stays as it is."""

    def readings(self, game_id: str, before: str | None, limit: int) -> tuple[Reading, ...]:
        """Lists a game's readings, newest first, those before the reading of this id."""

    def put_player(self, owner: str, ref: str, name: str | None, at: datetime) -> None:
        """Notes a platform's player; the name is shown in every seat of theirs."""

    def player(self, owner: str, ref: str) -> Player | None:
        """Finds a platform's player, also one known only from the seats of its games.

        A name that is not noted is that of the latest game which shows one.
        """

    def erase_player(self, owner: str, ref: str) -> int:
        """Erases a player's name and reference everywhere; returns in how many games.

        What was issued of these games' results is outdated. A repeated call finds no game left
        to count.
        """

    def seat_player(self, game_id: str, seat: str, profile: Profile) -> Profile:
        """Notes who sat in a seat; returns that, with a name that was not given but is noted.

        If the reference is another, what was issued of the game's result is outdated. Raises
        GameNotFound.
        """

    def issue(self, game_id: str, fresh: Issue) -> Issued:
        """Returns the last issue of a game's result, with the references that it tells.

        If there is none, or it is outdated, `fresh` becomes the last and supersedes the one
        before; on a repeated call it is there already. Raises GameNotFound, and
        DatabaseUnavailable if `fresh` was outdated between two tries.
        """

    def changes(self) -> Changes:
        """Returns what changed since the last checkpoint, in the order of the games' ids."""

    def add_checkpoint(
        self,
        after: int,
        checkpoint: Checkpoint,
        entries: Sequence[Entry],
        nodes: Mapping[Node, str],
        upto: int,
    ) -> bool:
        """Adds a checkpoint with its entries and the tree's new nodes, all or nothing.

        False if the last checkpoint's size is not `after` (0: there is none).
        """

    def checkpoint(self, size: int | None = None) -> Checkpoint | None:
        """Returns the checkpoint of a size, by default the last."""

    def checkpoints(self, before: int | None, limit: int) -> tuple[Checkpoint, ...]:
        """Lists checkpoints, latest first, those smaller than `before`."""

    def nodes(self, wanted: Sequence[Node]) -> Mapping[Node, str]:
        """Returns the hashes of nodes of the tree, by level and place."""

    def entry_of(self, game_id: str, size: int) -> tuple[int, Entry] | None:
        """Finds a game's last entry among the first `size`, with its index in the list."""

    def entries_of(self, game_id: str) -> tuple[Entry, ...]:
        """Returns all of a game's entries, oldest first."""

    def game_ids(self, after: str | None, limit: int) -> tuple[str, ...]:
        """Lists the ids of all games in order, those after this one."""

    def count_games(self) -> int:
        """Returns how many games there are."""

    def finished(self, after: FeedPosition | None, limit: int) -> tuple[FeedPosition, ...]:
        """Lists where in the feed games ended, in that order; none is passed over."""

    def count_finished(self, after: FeedPosition | None) -> int:
        """Returns how many games `finished` would list in all."""

    def ping(self) -> None:
        """Asks the database for an answer."""

    def close(self) -> None:
        """Lets go of what the store holds open."""
