"""What PostgreSQL keeps beside the log: tokens and keys, readings, players, issues."""

from datetime import datetime

from psycopg.types.json import Jsonb

from spades.errors import DatabaseUnavailable, GameNotFound
from spades.store.model import Issue, Issued, PlatformKey, Player, Profile, Reading
from spades.store.postgres.asking import Asking
from spades.store.postgres.noted import (
    issue_json,
    last_issue,
    profile_json,
    profile_of,
    profiles_of,
)

NOBODY = Profile()


class Notes(Asking):
    """Who is known, who looked, and what was said of a game's result."""

    def add_key(self, key: PlatformKey) -> None:
        """Stores a platform's key."""
        parameters = {
            "id": key.id,
            "name": key.name,
            "key_hash": key.key_hash,
            "created_at": key.created_at,
        }
        self._rows("add_key", parameters)

    def key_by_hash(self, key_hash: str) -> PlatformKey | None:
        """Finds a platform's key."""
        rows = self._rows("key_by_hash", {"key_hash": key_hash})
        return PlatformKey(**rows[0]) if rows else None

    def keys(self) -> tuple[PlatformKey, ...]:
        """Lists all platforms' keys, oldest first."""
        return tuple(PlatformKey(**row) for row in self._rows("keys", {}))

    def revoke_key(self, key_id: str, at: datetime) -> bool:
        """Revokes a key."""
        return bool(self._rows("revoke_key", {"id": key_id, "at": at}))

    def next_generation(self, game_id: str, kind: str) -> int:
        """Revokes a game's viewer tokens of a kind; returns the generation of the next ones."""
        rows = self._rows("next_generation", {"game_id": game_id, "kind": kind})
        if not rows:
            raise GameNotFound()
        return int(rows[0]["generation"])

    def note_reading(self, reading: Reading) -> None:
        """Records a reading; one whose id is there already stays as it is."""
        parameters = {
            "game_id": reading.game_id,
            "id": reading.id,
            "at": reading.at,
            "token_id": reading.token_id,
            "kind": reading.kind,
            "operation": reading.operation,
            "version": reading.version,
        }
        self._rows("note_reading", parameters)

    def readings(self, game_id: str, before: str | None, limit: int) -> tuple[Reading, ...]:
        """Lists a game's readings, newest first, those before the reading of this id."""
        parameters = {"game_id": game_id, "before": before, "limit": limit}
        return tuple(Reading(**row) for row in self._rows("readings", parameters))

    def put_player(self, owner: str, ref: str, name: str | None, at: datetime) -> None:
        """Notes a platform's player; the name is shown in every seat of theirs."""
        self._rows("put_player", {"owner": owner, "ref": ref, "name": name, "at": at})
        self._rows("show_player", {"owner": owner, "ref": ref})

    def player(self, owner: str, ref: str) -> Player | None:
        """Finds a platform's player, also one known only from the seats of its games."""
        rows = self._rows("player", {"owner": owner, "ref": ref})
        return Player(ref, **rows[0]) if rows else None

    def erase_player(self, owner: str, ref: str) -> int:
        """Erases a player's name and reference everywhere; returns in how many games."""
        self._rows("forget_player", {"owner": owner, "ref": ref})
        nobody = Jsonb(profile_json(NOBODY))
        rows = self._rows("erase_player", {"owner": owner, "ref": ref, "nobody": nobody})
        return int(rows[0]["games"])

    def seat_player(self, game_id: str, seat: str, profile: Profile) -> Profile:
        """Notes who sat in a seat; returns that, with a name that was not given but is noted."""
        parameters = {
            "game_id": game_id,
            "seat": seat,
            "name": profile.name,
            "ref": profile.player_ref,
        }
        rows = self._rows("seat_player", parameters)
        if not rows:
            raise GameNotFound()
        return profile_of(rows[0]["profile"])

    def issue(self, game_id: str, fresh: Issue) -> Issued:
        """Returns the last issue of a game's result; `fresh` if none tells of today's players."""
        parameters = {"game_id": game_id, "id": fresh.id, "issue": Jsonb(issue_json(fresh))}
        rows = self._rows("issue", parameters)
        last = last_issue(rows[0]["issues"]) if rows else None
        if last is None:
            raise GameNotFound()
        if rows[0]["corrected"]:
            raise DatabaseUnavailable("A correction came between.")
        return Issued(last, profiles_of(rows[0]["profiles"]))
