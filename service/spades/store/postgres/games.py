"""The games in PostgreSQL: their heads, their logs and the feed of all."""

from collections.abc import Sequence

from psycopg.types.json import Jsonb

from spades.audit.log import Record
from spades.errors import DatabaseUnavailable, IdempotencyKeyReused, RequestInProgress
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
from spades.store.postgres.asking import Asking, Parameters, Row
from spades.store.postgres.noted import (
    generations_of,
    last_issue,
    legible,
    profiles_json,
    profiles_of,
)

BEGINNING = FeedPosition(0, "00000000-0000-0000-0000-000000000000", 0)


class Games(Asking):
    """What is played, and in which order it was."""

    def create(self, game: NewGame) -> Created:
        """Stores a new game, or finds the one that this Idempotency-Key made."""
        once = game.once if game.owner is not None else None
        locked = RequestInProgress if once else DatabaseUnavailable
        made = self._rows("create", _creation(game, once.key if once else None), locked)
        if made:
            return Created(game.game_id, False, profiles_of(made[0]["profiles"]))
        if once is None:
            return Created(game.game_id, replayed=False)
        first = self._rows("created_once", {"owner": game.owner, "key": once.key})[0]
        if first["body_hash"] != once.body_hash:
            raise IdempotencyKeyReused()
        return Created(first["game_id"], replayed=first["game_id"] != game.game_id)

    def read(self, game_id: str, after: int = 0) -> Stored | None:
        """Returns a game with its records after a version, in one round trip."""
        rows = self._rows("read", {"game_id": game_id, "after": after})
        return _stored(game_id, rows[0]) if rows else None

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
        parameters = {
            "game_id": game_id,
            "version": version,
            "head": head,
            "next": records[-1].version,
            "next_head": records[-1].hash,
            "status": status,
            "records": _packed(records),
        }
        if profile is None:
            return bool(self._rows("append", parameters))
        return bool(self._rows("append_claim", {**parameters, **_claim(*profile)}))

    def games(
        self, owner: str, wanted: GameFilter, before: str | None, limit: int
    ) -> tuple[GameSummary, ...]:
        """Lists a platform's games, newest first."""
        parameters = {
            "owner": owner,
            "before": before,
            "limit": limit,
            "status": wanted.status,
            "ruleset": wanted.ruleset,
            "updated_after": wanted.updated_after,
        }
        rows = self._rows("games", parameters)
        return tuple(_summary(row) for row in rows)

    def feed(self, after: FeedPosition | None, limit: int) -> tuple[FeedItem, ...]:
        """Returns events of all games in an order in which none is ever passed over."""
        rows = self._rows("feed", _behind(after) | {"limit": limit})
        return tuple(FeedItem(_position(row), row["public"], row["hash"]) for row in rows)

    def quarantine(self, game_id: str, quarantined: bool) -> None:
        """Notes whether a game is quarantined; as long as it is, no append succeeds."""
        self._rows("quarantine", {"game_id": game_id, "quarantined": quarantined})

    def game_ids(self, after: str | None, limit: int) -> tuple[str, ...]:
        """Lists the ids of all games in order, those after this one."""
        rows = self._rows("game_ids", {"after": after, "limit": limit})
        return tuple(row["game_id"] for row in rows)

    def count_games(self) -> int:
        """Returns how many games there are."""
        return int(self._rows("count_games", {})[0]["games"])

    def finished(self, after: FeedPosition | None, limit: int) -> tuple[FeedPosition, ...]:
        """Lists where in the feed games ended, in that order; none is passed over."""
        rows = self._rows("finished", _behind(after) | {"limit": limit})
        return tuple(_position(row) for row in rows)

    def count_finished(self, after: FeedPosition | None) -> int:
        """Returns how many games `finished` would list in all."""
        return int(self._rows("count_finished", _behind(after))[0]["games"])


def _creation(game: NewGame, key: str | None) -> Parameters:
    return {
        "game_id": game.game_id,
        "version": game.records[-1].version,
        "head": game.records[-1].hash,
        "status": game.status,
        "ruleset": game.ruleset,
        "owner": game.owner,
        "key": key,
        "body_hash": game.once.body_hash if game.once else None,
        "profiles": Jsonb(profiles_json(game.profiles)),
        "nameless": [
            who.player_ref for who in game.profiles.values() if who.player_ref and not who.name
        ],
        "metadata": Jsonb(game.metadata),
        "records": _packed(game.records),
    }


def _claim(seat: str, claim: Profile) -> Parameters:
    return {"seat": seat, "name": claim.name, "ref": claim.player_ref}


def _packed(records: Sequence[Record]) -> Jsonb:
    return Jsonb([{"public": r.public, "secret": r.secret, "hash": r.hash} for r in records])


def _stored(game_id: str, row: Row) -> Stored:
    parts = zip(row["publics"] or (), row["secrets"] or (), row["hashes"] or (), strict=True)
    return Stored(
        game_id=game_id,
        version=row["version"],
        head=row["head"],
        status=row["status"],
        owner=row["owner"],
        profiles=profiles_of(row["profiles"]),
        metadata=row["metadata"],
        records=tuple(Record(public, secret, digest) for public, secret, digest in parts),
        generations=generations_of(row["generations"]),
        issue=None if row["corrected"] else last_issue(row["issues"]),
        quarantined=row["quarantined"],
    )


def _summary(row: Row) -> GameSummary:
    profiles = legible(row["profiles"], profiles_of)
    metadata = legible(row["metadata"], dict)
    return GameSummary(**row | {"profiles": profiles, "metadata": metadata})


def _behind(after: FeedPosition | None) -> dict[str, str | int]:
    start = after or BEGINNING
    return {"xid": str(start.xid), "game_id": start.game_id, "version": start.version}


def _position(row: Row) -> FeedPosition:
    return FeedPosition(int(row["xid"]), row["game_id"], row["version"])
