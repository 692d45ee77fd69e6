"""The store's twin in memory: the same promises, for tests that need no database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Lock

from spades.audit.log import Record
from spades.errors import IdempotencyKeyReused
from spades.store.model import (
    Created,
    FeedItem,
    FeedPosition,
    GameFilter,
    GameSummary,
    NewGame,
    PlatformKey,
    Profile,
    Stored,
)


@dataclass(slots=True)
class _Game:
    new: NewGame
    status: str
    profiles: dict[str, Profile]
    created_at: datetime
    updated_at: datetime
    records: list[Record] = field(default_factory=list)

    @property
    def head(self) -> str:
        return self.records[-1].hash


class MemoryStore:
    """Keeps everything in this process, under one lock; `now` tells when things happen."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._lock = Lock()
        self._games: dict[str, _Game] = {}
        self._once: dict[tuple[str, str], tuple[str, str]] = {}
        self._keys: dict[str, PlatformKey] = {}
        self._feed: list[FeedItem] = []

    def create(self, game: NewGame) -> Created:
        """Stores a new game, or finds the one that this Idempotency-Key made."""
        with self._lock:
            if game.owner is not None and game.once:
                owned = (game.owner, game.once.key)
                body_hash, first = self._once.setdefault(owned, (game.once.body_hash, game.game_id))
                if body_hash != game.once.body_hash:
                    raise IdempotencyKeyReused()
                if first != game.game_id:
                    return Created(first, replayed=True)
            if game.game_id in self._games:
                return Created(game.game_id, replayed=False)
            now = self._now()
            held = _Game(game, game.status, dict(game.profiles), now, now)
            self._games[game.game_id] = held
            self._write(held, game.records)
            return Created(game.game_id, replayed=False)

    def read(self, game_id: str, after: int = 0) -> Stored | None:
        """Returns a game with its records after a version."""
        with self._lock:
            held = self._games.get(game_id)
            if held is None:
                return None
            return Stored(
                game_id=game_id,
                version=len(held.records),
                head=held.head,
                status=held.status,
                owner=held.new.owner,
                profiles=dict(held.profiles),
                metadata=held.new.metadata,
                records=tuple(held.records[after:]),
            )

    def append(
        self,
        game_id: str,
        version: int,
        head: str,
        records: Sequence[Record],
        status: str,
        profile: tuple[str, Profile] | None = None,
    ) -> bool:
        """Appends records if the game still stands at this version and head."""
        with self._lock:
            held = self._games.get(game_id)
            if held is None or len(held.records) != version or held.head != head:
                return False
            self._write(held, records)
            held.status, held.updated_at = status, self._now()
            if profile:
                held.profiles[profile[0]] = profile[1]
            return True

    def games(
        self, owner: str, wanted: GameFilter, before: str | None, limit: int
    ) -> tuple[GameSummary, ...]:
        """Lists a platform's games, newest first."""
        with self._lock:
            own = (held for held in self._games.values() if held.new.owner == owner)
            kept = [held for held in own if _wanted(held, wanted, before)]
            kept.sort(key=lambda held: held.new.game_id, reverse=True)
            return tuple(_summary(held) for held in kept[:limit])

    def feed(self, after: FeedPosition | None, limit: int) -> tuple[FeedItem, ...]:
        """Returns events of all games in the order of their appends."""
        with self._lock:
            later = [item for item in self._feed if after is None or item.position > after]
            return tuple(later[:limit])

    def add_key(self, key: PlatformKey) -> None:
        """Stores a platform's key."""
        with self._lock:
            self._keys.setdefault(key.id, key)

    def key_by_hash(self, key_hash: str) -> PlatformKey | None:
        """Finds a platform's key."""
        with self._lock:
            return next((key for key in self._keys.values() if key.key_hash == key_hash), None)

    def keys(self) -> tuple[PlatformKey, ...]:
        """Lists all platforms' keys, oldest first."""
        with self._lock:
            return tuple(sorted(self._keys.values(), key=lambda key: (key.created_at, key.id)))

    def revoke_key(self, key_id: str, at: datetime) -> bool:
        """Revokes a key."""
        with self._lock:
            key = self._keys.get(key_id)
            if key is None or key.revoked_at not in (None, at):
                return False
            self._keys[key_id] = replace(key, revoked_at=at)
            return True

    def ping(self) -> None:
        """Answers at once."""

    def close(self) -> None:
        """Holds nothing open."""

    def _write(self, held: _Game, records: Sequence[Record]) -> None:
        held.records.extend(records)
        append = self._feed[-1].position.xid + 1 if self._feed else 1
        self._feed += [
            FeedItem(FeedPosition(append, held.new.game_id, r.version), r.public, r.hash)
            for r in records
        ]


def _wanted(held: _Game, wanted: GameFilter, before: str | None) -> bool:
    return (
        (before is None or held.new.game_id < before)
        and wanted.status in (None, held.status)
        and wanted.ruleset in (None, held.new.ruleset)
        and (wanted.updated_after is None or held.updated_at > wanted.updated_after)
    )


def _summary(held: _Game) -> GameSummary:
    return GameSummary(
        game_id=held.new.game_id,
        ruleset=held.new.ruleset,
        status=held.status,
        version=len(held.records),
        created_at=held.created_at,
        updated_at=held.updated_at,
        profiles=dict(held.profiles),
        metadata=held.new.metadata,
    )
