"""The store in PostgreSQL. Its SQL is in the files beside, each query one round trip."""

from spades.store.postgres.asking import QUERIES
from spades.store.postgres.checkpoints import Checkpoints
from spades.store.postgres.games import Games
from spades.store.postgres.notes import Notes

__all__ = ["QUERIES", "PostgresStore"]


class PostgresStore(Games, Notes, Checkpoints):
    """Keeps games and everything beside them in PostgreSQL, 14 or newer."""
