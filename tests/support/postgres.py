"""Real databases for tests: one server a worker, one clone of a migrated template a test."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from spades.store import PostgresStore
from spades.store.embedded import OWNER, READER, SERVING, Embedded
from spades.store.migrations import migrate

TEMPLATE = f"template_{os.getpid()}"
numbers = count(1)
T = TypeVar("T")


@dataclass(frozen=True)
class Cluster:
    """A server, by the URL of a login that may make databases."""

    admin: str
    server: Embedded | None = None

    def url(self, database: str, role: str) -> str:
        """The URL of a database for a role; a server from outside has one login for all."""
        if self.server:
            return self.server.url(role, database)
        return urlunsplit(urlsplit(self.admin)._replace(path=f"/{database}"))

    def make(self, name: str, template: str | None = None) -> None:
        """Makes a database, a copy of the template if there is one."""
        copy = SQL(" template {}").format(Identifier(template)) if template else SQL("")
        self._run(SQL("create database {}").format(Identifier(name)) + copy)

    def drop(self, name: str) -> None:
        """Drops a database with whoever is still connected to it."""
        self._run(SQL("drop database if exists {} with (force)").format(Identifier(name)))

    def _run(self, statement: SQL | psycopg.sql.Composed) -> None:
        with psycopg.connect(self.admin, autocommit=True) as connection:
            connection.execute(statement)


@dataclass(frozen=True)
class Database:
    """One test's own database, by the URLs of its roles."""

    owner: str
    serving: str
    reader: str
    role: str | None

    def store(self, most: int = 16, lock_timeout: str = "5s") -> PostgresStore:
        """Opens a store on it, as the service does."""
        return PostgresStore(self.serving, role=self.role, most=most, lock_timeout=lock_timeout)


@contextmanager
def own_server() -> Iterator[Embedded]:
    """An embedded server of this process's own, on a new cluster."""
    directory = Path(tempfile.mkdtemp(prefix="spades-db-"))
    directory.chmod(0o711)
    try:
        with Embedded(directory / "postgres") as server:
            yield server
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def a_cluster() -> Iterator[Cluster]:
    """The server of `TEST_DATABASE_URL`, or an embedded one of this process's own."""
    if outside := os.environ.get("TEST_DATABASE_URL"):
        yield Cluster(outside)
        return
    with own_server() as server:
        yield Cluster(server.url(OWNER, "postgres"), server)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A running server with a migrated template database."""
    with a_cluster() as running:
        running.make(TEMPLATE)
        migrate(running.url(TEMPLATE, OWNER))
        yield running
        running.drop(TEMPLATE)


@contextmanager
def clone(cluster: Cluster, template: str | None = TEMPLATE) -> Iterator[Database]:
    """A database of one's own for as long as the block lasts."""
    name = f"test_{os.getpid()}_{next(numbers)}"
    cluster.make(name, template)
    owner, serving, reader = (cluster.url(name, role) for role in (OWNER, SERVING, READER))
    try:
        yield Database(owner, serving, reader, None if cluster.server else SERVING)
    finally:
        cluster.drop(name)


@pytest.fixture
def database(cluster: Cluster) -> Iterator[Database]:
    """A migrated database that nobody else uses."""
    with clone(cluster) as own:
        yield own


@pytest.fixture
def empty_database(cluster: Cluster) -> Iterator[Database]:
    """A database without a schema."""
    with clone(cluster, template=None) as own:
        yield own


@pytest.fixture
def postgres_store(database: Database) -> Iterator[PostgresStore]:
    """A store on a database of its own."""
    store = database.store()
    yield store
    store.close()


@contextmanager
def overtaken(database: Database, ask: Callable[[], T], statement: str) -> Iterator[Future[T]]:
    """Asks while another's statement is done but not committed, then commits that.

    The answer is a future's: at the end of the block it has waited, and may go on.
    """
    with ThreadPoolExecutor(1) as pool, psycopg.connect(database.owner) as other:
        other.execute(statement.encode())
        answer = pool.submit(ask)
        wait_until_somebody_waits(database)
        other.commit()
        yield answer


def wait_until_somebody_waits(database: Database) -> None:
    """Returns as soon as a connection to this database waits for another's lock."""
    with psycopg.connect(database.owner, autocommit=True) as watch:
        end = time.monotonic() + 10
        while not watch.execute(
            "select from pg_stat_activity"
            " where datname = current_database() and wait_event_type = 'Lock'"
        ).fetchall():
            assert time.monotonic() < end, "nobody waits"
