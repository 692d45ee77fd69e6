"""The store in PostgreSQL. Its SQL is in `queries.sql`, each query one round trip."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any

import orjson
from psycopg import Connection, InterfaceError, OperationalError
from psycopg.errors import LockNotAvailable, ReadOnlySqlTransaction
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb, set_json_dumps, set_json_loads
from psycopg_pool import ConnectionPool, PoolTimeout

from spades.audit.log import JsonObject, Record
from spades.errors import (
    DatabaseUnavailable,
    IdempotencyKeyReused,
    RequestInProgress,
    SpadesError,
)
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

NO_ANSWER = (OperationalError, InterfaceError, ReadOnlySqlTransaction)
BEGINNING = FeedPosition(0, "00000000-0000-0000-0000-000000000000", 0)

Row = dict[str, Any]
Parameters = Mapping[str, Any]


def named_queries(text: str) -> dict[str, str]:
    """Returns the queries of a file by the names in their `-- name:` lines."""
    _, *parts = re.split(r"^-- name: (\w+)$", text, flags=re.MULTILINE)
    return {name: query.strip() for name, query in zip(parts[::2], parts[1::2], strict=True)}


QUERIES = named_queries((files("spades.store") / "queries.sql").read_text("utf-8"))


class PostgresStore:
    """Keeps games in PostgreSQL, 14 or newer.

    `role` is taken on by every connection (None: the login's own rights). Nothing is
    prepared, so a transaction pooler may stand between. The pool opens at first use, so a
    store may be made before a fork.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        role: str | None = None,
        most: int = 16,
        timeout: float = 5.0,
        lock_timeout: str = "5s",
    ) -> None:
        self._settings = {"lock_timeout": lock_timeout} | ({"role": role} if role else {})
        self._pool: ConnectionPool[Connection[Row]] = ConnectionPool(
            conninfo,
            min_size=1,
            max_size=most,
            open=False,
            timeout=timeout,
            # Past this the next call connects anew; the pool's own pauses would grow and grow.
            reconnect_timeout=timeout,
            kwargs={"autocommit": True, "prepare_threshold": None, "row_factory": dict_row},
            configure=self._configure,
            name="spades",
        )

    def create(self, game: NewGame) -> Created:
        """Stores a new game, or finds the one that this Idempotency-Key made."""
        once = game.once if game.owner is not None else None
        locked = RequestInProgress if once else DatabaseUnavailable
        made = self._rows("create", _creation(game, once.key if once else None), locked)
        if made or once is None:
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
            "profile": Jsonb(_profiles_json(dict([profile]))) if profile else None,
        }
        return bool(self._rows("append", parameters))

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
        return tuple(GameSummary(**{**row, "profiles": _profiles(row["profiles"])}) for row in rows)

    def feed(self, after: FeedPosition | None, limit: int) -> tuple[FeedItem, ...]:
        """Returns events of all games in an order in which none is ever passed over."""
        start = after or BEGINNING
        parameters = {
            "xid": str(start.xid),
            "game_id": start.game_id,
            "version": start.version,
            "limit": limit,
        }
        return tuple(_feed_item(row) for row in self._rows("feed", parameters))

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

    def ping(self) -> None:
        """Asks the database for an answer."""
        self._rows("ping", {})

    def close(self) -> None:
        """Closes the pool."""
        self._pool.close()

    def _configure(self, connection: Connection[Row]) -> None:
        set_json_dumps(orjson.dumps, connection)
        set_json_loads(orjson.loads, connection)
        for name, value in self._settings.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))

    def _rows(
        self, name: str, parameters: Parameters, locked: type[SpadesError] = DatabaseUnavailable
    ) -> list[Row]:
        """Answers a query; raises `locked` if somebody else holds what it needs for too long."""
        try:
            return self._asked(name, parameters)
        except LockNotAvailable as fault:
            raise locked() from fault
        except NO_ANSWER as fault:
            raise DatabaseUnavailable() from fault

    def _asked(self, name: str, parameters: Parameters) -> list[Row]:
        """Asks, and once more on a fresh connection if the first was lost.

        Every query here may be repeated: what compares and sets finds its own work done.
        """
        try:
            return self._asked_once(name, parameters)
        except (LockNotAvailable, PoolTimeout):  # these have waited as long as they may
            raise
        except NO_ANSWER:
            self._pool.check()
            return self._asked_once(name, parameters)

    def _asked_once(self, name: str, parameters: Parameters) -> list[Row]:
        self._pool.open()
        with self._pool.connection() as connection:
            try:
                return connection.execute(QUERIES[name], parameters, binary=True).fetchall()
            except ReadOnlySqlTransaction:  # no longer the primary: look for it anew
                connection.close()
                raise


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
        "profiles": Jsonb(_profiles_json(game.profiles)),
        "metadata": Jsonb(game.metadata),
        "records": _packed(game.records),
    }


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
        profiles=_profiles(row["profiles"]),
        metadata=row["metadata"],
        records=tuple(Record(public, secret, digest) for public, secret, digest in parts),
    )


def _profiles(stored: JsonObject) -> dict[str, Profile]:
    return {seat: Profile(**profile) for seat, profile in stored.items()}


def _profiles_json(profiles: Mapping[str, Profile]) -> JsonObject:
    return {seat: {"name": p.name, "player_ref": p.player_ref} for seat, p in profiles.items()}


def _feed_item(row: Row) -> FeedItem:
    position = FeedPosition(int(row["xid"]), row["game_id"], row["version"])
    return FeedItem(position, row["public"], row["hash"])
