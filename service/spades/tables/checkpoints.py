"""Checkpoints of all games: the tree grown over the store's list, and proofs from it."""

from collections.abc import Callable
from datetime import datetime

from spades.audit import checkpoints as forms
from spades.audit import merkle
from spades.audit.log import JsonObject, timestamp
from spades.errors import CheckpointNotFound, DatabaseUnavailable
from spades.store import Changes, Checkpoint, Store

ATTEMPTS = 8


class Checkpoints:
    """Makes checkpoints, shows them, and proves what is in them."""

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now

    def make(self) -> JsonObject:
        """Takes in every game that changed and returns the new tree head.

        If nothing changed the last one stands. Raises CheckpointNotFound if there is no game.
        """
        for _ in range(ATTEMPTS):
            changes = self._store.changes()
            made = self._next(changes) if changes.entries else changes.last
            if made is not None:
                return tree_head(made)
            if not changes.entries:
                raise CheckpointNotFound("There is nothing to make a checkpoint of yet.")
        raise DatabaseUnavailable("Too many checkpoints are being made.")

    def read(self, size: int | None = None) -> JsonObject:
        """Returns the tree head of a size, by default the last; raises CheckpointNotFound."""
        return tree_head(self._checkpoint(size))

    def inclusion(self, game_id: str, size: int | None = None) -> JsonObject:
        """Returns the proof that a game is in a checkpoint, by default the last.

        Raises CheckpointNotFound.
        """
        size = self._checkpoint(size).size
        found = self._store.entry_of(game_id, size)
        if found is None:
            raise CheckpointNotFound("The game is not in this checkpoint yet.")
        index, entry = found
        hashes = self._store.nodes(merkle.inclusion_nodes(index, size))
        path = merkle.inclusion_path(index, size, hashes)
        return forms.inclusion(game_id, entry.version, entry.head, index, size, path)

    def consistency(self, first: int, second: int) -> JsonObject:
        """Returns the proof that one checkpoint's tree begins with an earlier one's.

        Raises CheckpointNotFound.
        """
        for size in (first, second):
            self._checkpoint(size)
        hashes = self._store.nodes(merkle.consistency_nodes(first, second))
        return forms.consistency(first, second, merkle.consistency_path(first, second, hashes))

    def _checkpoint(self, size: int | None) -> Checkpoint:
        found = self._store.checkpoint(size)
        if found is None:
            raise CheckpointNotFound()
        return found

    def _next(self, changes: Changes) -> Checkpoint | None:
        """Adds the next checkpoint; None if somebody else has just added one."""
        before = changes.last.size if changes.last else 0
        frontier = self._store.nodes(merkle.frontier_nodes(before))
        leaves = [forms.entry_hash(e.game_id, e.version, e.head) for e in changes.entries]
        nodes = merkle.grown(before, frontier, leaves)
        size = before + len(leaves)
        made = Checkpoint(size, merkle.root(size, {**frontier, **nodes}), self._now())
        added = self._store.add_checkpoint(before, made, changes.entries, nodes, changes.upto)
        return made if added else None


def tree_head(checkpoint: Checkpoint) -> JsonObject:
    """Returns a checkpoint in the form in which it is signed."""
    return forms.tree_head(checkpoint.size, checkpoint.root, timestamp(checkpoint.made_at))
