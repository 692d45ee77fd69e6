"""The list of all games' heads in memory, and the checkpoints taken of it."""

from collections.abc import Mapping, Sequence

from spades.store.memory.held import Held
from spades.store.model import Changes, Checkpoint, Entry, Node


class Checkpoints(Held):
    """A list that only grows, and how far each checkpoint vouches for it."""

    def changes(self) -> Changes:
        """Returns what changed since the last checkpoint, in the order of the games' ids."""
        with self._lock:
            listed = {entry.game_id: entry.version for entry in self._entries}
            grown = tuple(
                Entry(game_id, len(game.records), game.head)
                for game_id, game in sorted(self._games.items())
                if len(game.records) > listed.get(game_id, 0)
            )
            return Changes(self._last(), grown, self._reach())

    def add_checkpoint(
        self,
        after: int,
        checkpoint: Checkpoint,
        entries: Sequence[Entry],
        nodes: Mapping[Node, str],
        upto: int,
    ) -> bool:
        """Adds a checkpoint with its entries and the tree's new nodes, all or nothing."""
        with self._lock:
            last = self._last()
            if after != (last.size if last else 0):
                same = self._checkpoints.get(checkpoint.size) == checkpoint
                return same and after + len(entries) == checkpoint.size
            self._checkpoints[checkpoint.size] = checkpoint
            self._entries.extend(entries)
            self._nodes.update(nodes)
            return True

    def checkpoint(self, size: int | None = None) -> Checkpoint | None:
        """Returns the checkpoint of a size, by default the last."""
        with self._lock:
            return self._last() if size is None else self._checkpoints.get(size)

    def checkpoints(self, before: int | None, limit: int) -> tuple[Checkpoint, ...]:
        """Lists checkpoints, latest first, those smaller than `before`."""
        with self._lock:
            sizes = sorted(self._checkpoints, reverse=True)
            smaller = [size for size in sizes if before is None or size < before]
            return tuple(self._checkpoints[size] for size in smaller[:limit])

    def nodes(self, wanted: Sequence[Node]) -> Mapping[Node, str]:
        """Returns the hashes of nodes of the tree, by level and place."""
        with self._lock:
            return {node: self._nodes[node] for node in wanted if node in self._nodes}

    def entry_of(self, game_id: str, size: int) -> tuple[int, Entry] | None:
        """Finds a game's last entry among the first `size`, with its index in the list."""
        with self._lock:
            among = reversed(tuple(enumerate(self._entries[:size])))
            return next(((place, one) for place, one in among if one.game_id == game_id), None)

    def entries_of(self, game_id: str) -> tuple[Entry, ...]:
        """Returns all of a game's entries, oldest first."""
        with self._lock:
            return tuple(entry for entry in self._entries if entry.game_id == game_id)

    def _last(self) -> Checkpoint | None:
        return self._checkpoints[max(self._checkpoints)] if self._checkpoints else None
