"""What PostgreSQL keeps beside the log: tokens and keys, readings, players, issues."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from psycopg.types.json import Jsonb

from spades.audit.log import JsonObject
from spades.errors import GameNotFound
from spades.store.model import Issue, PlatformKey, Player, Profile, Reading
from spades.store.postgres.asking import Asking

NOBODY = Profile()


def profile_json(profile: Profile) -> JsonObject:
    """Returns a profile as it is stored."""
    return {"name": profile.name, "player_ref": profile.player_ref}


def last_issue(stored: Sequence[JsonObject]) -> Issue | None:
    """Returns the last of a result's stored issues."""
    if not stored:
        return None
    earlier = stored[-2]["id"] if len(stored) > 1 else None
    return Issue(stored[-1]["id"], datetime.fromisoformat(stored[-1]["issued_at"]), earlier)


def _issue_json(issue: Issue) -> JsonObject:
    return {"id": issue.id, "issued_at": issue.issued_at.isoformat()}


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
        profile = Jsonb(profile_json(Profile(name, ref)))
        parameters = {"owner": owner, "ref": ref, "name": name, "at": at, "profile": profile}
        self._rows("put_player", parameters)

    def player(self, owner: str, ref: str) -> Player | None:
        """Finds a platform's player, also one known only from the seats of its games."""
        rows = self._rows("player", {"owner": owner, "ref": ref})
        return Player(ref, **rows[0]) if rows else None

    def player_names(self, owner: str, refs: Sequence[str]) -> Mapping[str, str]:
        """Returns the names noted for these players."""
        rows = self._rows("player_names", {"owner": owner, "refs": list(refs)})
        return {row["ref"]: row["name"] for row in rows}

    def erase_player(self, owner: str, ref: str, issue: Issue) -> int:
        """Erases a player's name and reference everywhere; returns in how many games."""
        parameters = {
            "owner": owner,
            "ref": ref,
            "profile": Jsonb(profile_json(NOBODY)),
            **_issue_json(issue),
        }
        return int(self._rows("erase_player", parameters)[0]["games"])

    def seat_player(self, game_id: str, seat: str, profile: Profile, issue: Issue) -> None:
        """Notes who sat in a seat; a result that had been issued gets this correction."""
        parameters = {
            "game_id": game_id,
            "profile": Jsonb({seat: profile_json(profile)}),
            "issue": Jsonb(_issue_json(issue)),
        }
        self._rows("seat_player", parameters)

    def issue(self, game_id: str, first: Issue) -> Issue:
        """Returns the last issue of a game's result; if there is none, `first` becomes it."""
        parameters = {"game_id": game_id, "issue": Jsonb(_issue_json(first))}
        rows = self._rows("issue", parameters) or self._rows("issue", parameters)
        last = last_issue(rows[0]["issues"]) if rows else None
        if last is None:
            raise GameNotFound()
        return last
