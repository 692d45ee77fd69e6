"""Events in, events out: the log of every game, and what is noted beside it."""

from spades.store.memory import MemoryStore
from spades.store.model import (
    PLATFORM_PREFIX,
    Created,
    FeedItem,
    FeedPosition,
    GameFilter,
    GameSummary,
    NewGame,
    Once,
    PlatformKey,
    Profile,
    Store,
    Stored,
    hash_of_key,
)
from spades.store.postgres import PostgresStore

__all__ = [
    "PLATFORM_PREFIX",
    "Created",
    "FeedItem",
    "FeedPosition",
    "GameFilter",
    "GameSummary",
    "MemoryStore",
    "NewGame",
    "Once",
    "PlatformKey",
    "PostgresStore",
    "Profile",
    "Store",
    "Stored",
    "hash_of_key",
]
