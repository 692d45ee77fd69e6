from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from spades.store import MemoryStore, PostgresStore, Store
from tests.support.postgres import cluster, database, empty_database, postgres_store

__all__ = ["cluster", "database", "empty_database", "postgres_store"]


@pytest.fixture(params=["memory", "postgres"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "postgres":
        yield request.getfixturevalue("postgres_store")
    else:
        yield MemoryStore()


@pytest.fixture
def lost_answer(
    postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """Has the store's next statement done, and its answer lost on the way."""
    execute = psycopg.Connection.execute

    def done_but_not_heard(connection: Any, *args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        execute(connection, *args, **kwargs)
        connection.close()
        raise psycopg.OperationalError("the connection was lost")

    postgres_store.ping()
    return lambda: monkeypatch.setattr(psycopg.Connection, "execute", done_but_not_heard)
