from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from flask import Flask

from spades.api import create_app
from spades.api.app import Chance
from spades.api.service import EXTENSION
from spades.config import Settings
from spades.store import MemoryStore, PlatformKey, Store
from spades.tables import Tables
from tests.support.client import ApiClient
from tests.support.postgres import cluster, database, postgres_store

__all__ = ["cluster", "database", "postgres_store"]

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECRET_KEY = b"a secret key of the tests, thirty-two bytes"
SIGNING_KEY = b"\5" * 32


@dataclass
class Place:
    """A service in this process: its application, store and a client without a token."""

    app: Flask
    store: Store
    client: ApiClient

    @property
    def tables(self) -> Tables:
        """The service's own tables, where everything is known."""
        found: Tables = self.app.extensions[EXTENSION].tables
        return found

    def platform(self, name: str = "Summer Cup", key: str = "first") -> ApiClient:
        """Returns a client with a key of a platform's."""
        secret = f"spk_{name.replace(' ', '-')}-{key}"
        key_hash = sha256(secret.encode()).hexdigest()
        now = datetime.now(UTC)
        self.store.add_key(PlatformKey(f"{key} of {name}", name, key_hash, now))
        return self.client.bearing(secret)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **time: float) -> None:
        """Moves the clock on."""
        self.now += timedelta(**time)


@pytest.fixture
def serve() -> Callable[..., Place]:
    """Makes services, each with its own settings and store."""

    def make(store: Store | None = None, chance: Chance | None = None, **settings: Any) -> Place:
        store = store or MemoryStore()
        keys = {"secret_keys": (SECRET_KEY,), "signing_keys": (SIGNING_KEY,)}
        wanted = {**keys, "open_create": True, **settings}
        app = create_app(Settings(**wanted), store, chance)
        return Place(app, store, ApiClient.of_app(app))

    return make


@pytest.fixture
def place(serve: Callable[..., Place]) -> Place:
    return serve()


@pytest.fixture(params=["memory", "postgres"])
def either(request: pytest.FixtureRequest, serve: Callable[..., Place]) -> Place:
    """A service over the one store and the other."""
    is_real = request.param == "postgres"
    return serve(request.getfixturevalue("postgres_store") if is_real else None)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(serve: Callable[..., Place], clock: Clock) -> Place:
    """A service that goes by the clock."""
    return serve(chance=Chance(now=clock))


@pytest.fixture
def client(place: Place) -> ApiClient:
    return place.client


@pytest.fixture
def platform(place: Place) -> ApiClient:
    return place.platform()
