"""The store's twin in memory: the same promises, for tests that need no database."""

from spades.store.memory.checkpoints import Checkpoints
from spades.store.memory.games import Games
from spades.store.memory.notes import Notes

__all__ = ["MemoryStore"]


class MemoryStore(Games, Notes, Checkpoints):
    """Keeps everything in this process, under one lock; `now` tells when things happen."""
