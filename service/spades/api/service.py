"""What the operations work with, and whether this process still wants requests."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from flask import current_app, request

from spades.api.tokens import Caller, Tokens, caller_of
from spades.audit.log import timestamp
from spades.audit.signing import SigningKeys
from spades.config import Settings
from spades.errors import ShuttingDown
from spades.store import Store
from spades.tables import Audits, Checkpoints, Results, Tables

EXTENSION = "spades"


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of one application."""

    settings: Settings
    store: Store
    tables: Tables
    audits: Audits
    results: Results
    checkpoints: Checkpoints
    tokens: Tokens
    signing: SigningKeys
    now: Callable[[], datetime]
    new_id: Callable[[], str]

    def caller(self) -> Caller:
        """Returns who sent the present request.

        Raises TokenInvalid, TokenExpired, TokenRevoked.
        """
        authorization = request.headers.get("Authorization")
        return caller_of(authorization, self.tokens, self.store, self.now)

    def time(self) -> str:
        """Returns the time as answers write it."""
        return timestamp(self.now())


def service() -> Service:
    """Returns the present application's parts."""
    found: Service = current_app.extensions[EXTENSION]
    return found


class Readiness:
    """Says whether this process wants requests: no longer, once it has been told to drain."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._draining = False

    def drain(self) -> None:
        """Has `/readyz` say no from now on, so that a load balancer looks elsewhere."""
        self._draining = True

    def check(self) -> None:
        """Raises ShuttingDown or DatabaseUnavailable."""
        if self._draining:
            raise ShuttingDown()
        self._store.ping()
