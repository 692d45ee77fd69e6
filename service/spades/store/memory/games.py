"""The games in memory: their logs and the feed of all."""

from collections.abc import Sequence

from spades.audit.log import Record
from spades.errors import IdempotencyKeyReused
from spades.store.memory.held import NOBODY, Game, Held
from spades.store.model import (
    Created,
    FeedItem,
    FeedPosition,
    GameFilter,
    GameSummary,
    NewGame,
    Profile,
    Stored,
)

ENDS = ("game_finished", "game_aborted")


class Games(Held):
    """What is played, and in which order it was."""

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
            profiles = {
                seat: self._named(game.owner, profile) for seat, profile in game.profiles.items()
            }
            held = Game(game, game.status, profiles, now, now)
            self._games[game.game_id] = held
            self._write(held, game.records)
            return Created(game.game_id, replayed=False, profiles=dict(profiles))

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
                generations=dict(held.generations),
                issue=held.issues[-1] if held.issues and not held.corrected else None,
                quarantined=held.quarantined,
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
            if held is None or held.quarantined:
                return False
            if len(held.records) != version or held.head != head:
                return False
            self._write(held, records)
            held.status, held.updated_at = status, self._now()
            if profile:
                self._claim(held, *profile)
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

    def quarantine(self, game_id: str, quarantined: bool) -> None:
        """Notes whether a game is quarantined; as long as it is, no append succeeds."""
        with self._lock:
            if game_id in self._games:
                self._games[game_id].quarantined = quarantined

    def game_ids(self, after: str | None, limit: int) -> tuple[str, ...]:
        """Lists the ids of all games in order, those after this one."""
        with self._lock:
            later = (game_id for game_id in self._games if after is None or game_id > after)
            return tuple(sorted(later)[:limit])

    def count_games(self) -> int:
        """Returns how many games there are."""
        with self._lock:
            return len(self._games)

    def finished(self, after: FeedPosition | None, limit: int) -> tuple[FeedPosition, ...]:
        """Lists where in the feed games ended, in that order."""
        with self._lock:
            return self._ends(after)[:limit]

    def count_finished(self, after: FeedPosition | None) -> int:
        """Returns how many games `finished` would list in all."""
        with self._lock:
            return len(self._ends(after))

    def _claim(self, held: Game, seat: str, claim: Profile) -> None:
        noted = held.profiles.get(seat, NOBODY)
        if noted.player_ref is None:
            claim = self._named(held.new.owner, claim)
        held.seat(seat, noted.claimed(claim))

    def _ends(self, after: FeedPosition | None) -> tuple[FeedPosition, ...]:
        return tuple(
            item.position
            for item in self._feed
            if item.public["type"] in ENDS and (after is None or item.position > after)
        )


def _wanted(held: Game, wanted: GameFilter, before: str | None) -> bool:
    return (
        (before is None or held.new.game_id < before)
        and wanted.status in (None, held.status)
        and wanted.ruleset in (None, held.new.ruleset)
        and (wanted.updated_after is None or held.updated_at > wanted.updated_after)
    )


def _summary(held: Game) -> GameSummary:
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
