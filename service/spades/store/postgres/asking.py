"""How a question reaches PostgreSQL: pooled connections, named queries, one more try."""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import orjson
from psycopg import Connection, Cursor, DataError, InterfaceError, OperationalError
from psycopg.errors import LockNotAvailable, ReadOnlySqlTransaction
from psycopg.rows import dict_row
from psycopg.types.json import set_json_dumps, set_json_loads
from psycopg_pool import ConnectionPool, PoolTimeout

from spades.errors import DamagedLog, DatabaseUnavailable, SpadesError

NO_ANSWER = (OperationalError, InterfaceError, ReadOnlySqlTransaction)
FILES = ("games.sql", "notes.sql", "checkpoints.sql")

Row = dict[str, Any]
Parameters = Mapping[str, Any]


def named_queries(text: str) -> dict[str, str]:
    """Returns the queries of a file by the names in their `-- name:` lines."""
    _, *parts = re.split(r"^-- name: (\w+)$", text, flags=re.MULTILINE)
    return {name: query.strip() for name, query in zip(parts[::2], parts[1::2], strict=True)}


QUERIES = {
    name: query
    for file in FILES
    for name, query in named_queries((files(__package__) / file).read_text("utf-8")).items()
}


class Asking:
    """Asks PostgreSQL, 14 or newer, named queries, each one statement and one round trip.

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
        """Answers a query; raises `locked` if somebody else holds what it needs for too long.

        Raises DamagedLog if the answer is nothing that the service could have stored.
        """
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
                answer = connection.execute(QUERIES[name], parameters, binary=True)
            except ReadOnlySqlTransaction:  # no longer the primary: look for it anew
                connection.close()
                raise
            return _fetched(answer)


def _fetched(answer: Cursor[Row]) -> list[Row]:
    try:
        return answer.fetchall()
    except (orjson.JSONDecodeError, DataError) as damage:
        raise DamagedLog("The database holds what can't be read.") from damage
