from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from flask import Flask

from spades.api import create_app
from spades.config import Settings
from spades.store import MemoryStore, PlatformKey, Store
from tests.support.client import ApiClient

SECRET_KEY = b"a secret key of the tests, thirty-two bytes"
SIGNING_KEY = b"\5" * 32


@dataclass
class Place:
    """A service in this process: its application, store and a client without a token."""

    app: Flask
    store: Store
    client: ApiClient

    def platform(self, name: str = "Summer Cup", key: str = "first") -> ApiClient:
        """Returns a client with a key of a platform's."""
        secret = f"spk_{name.replace(' ', '-')}-{key}"
        key_hash = sha256(secret.encode()).hexdigest()
        now = datetime.now(UTC)
        self.store.add_key(PlatformKey(f"{key} of {name}", name, key_hash, now))
        return self.client.bearing(secret)


@pytest.fixture
def serve() -> Callable[..., Place]:
    """Makes services, each with its own settings and store."""

    def make(store: Store | None = None, **settings: Any) -> Place:
        store = store or MemoryStore()
        keys = {"secret_keys": (SECRET_KEY,), "signing_keys": (SIGNING_KEY,)}
        wanted = {**keys, "open_create": True, **settings}
        app = create_app(Settings(**wanted), store)
        return Place(app, store, ApiClient.of_app(app))

    return make


@pytest.fixture
def place(serve: Callable[..., Place]) -> Place:
    return serve()


@pytest.fixture
def client(place: Place) -> ApiClient:
    return place.client


@pytest.fixture
def platform(place: Place) -> ApiClient:
    return place.platform()
