"""The list of all games' heads in PostgreSQL, and the checkpoints taken of it."""

from collections.abc import Mapping, Sequence

from spades.store.model import Changes, Checkpoint, Entry, Node
from spades.store.postgres.asking import Asking, Row


class Checkpoints(Asking):
    """A list that only grows, and how far each checkpoint vouches for it."""

    def changes(self) -> Changes:
        """Returns what changed since the last checkpoint, in the order of the games' ids."""
        row = self._rows("changes", {})[0]
        parts = zip(row["game_ids"] or (), row["versions"] or (), row["heads"] or (), strict=True)
        last = None if row["size"] is None else _checkpoint(row)
        return Changes(last, tuple(Entry(*part) for part in parts), int(row["upto"]))

    def add_checkpoint(
        self,
        after: int,
        checkpoint: Checkpoint,
        entries: Sequence[Entry],
        nodes: Mapping[Node, str],
        upto: int,
    ) -> bool:
        """Adds a checkpoint with its entries and the tree's new nodes, all or nothing."""
        parameters = {
            "after": after,
            "size": checkpoint.size,
            "root": checkpoint.root,
            "made_at": checkpoint.made_at,
            "upto": str(upto),
            "game_ids": [entry.game_id for entry in entries],
            "versions": [entry.version for entry in entries],
            "heads": [entry.head for entry in entries],
            "levels": [level for level, _ in nodes],
            "places": [place for _, place in nodes],
            "hashes": list(nodes.values()),
        }
        return bool(
            self._rows("add_checkpoint", parameters) or self._rows("same_checkpoint", parameters)
        )

    def checkpoint(self, size: int | None = None) -> Checkpoint | None:
        """Returns the checkpoint of a size, by default the last."""
        rows = self._rows("checkpoint", {"size": size})
        return _checkpoint(rows[0]) if rows else None

    def checkpoints(self, before: int | None, limit: int) -> tuple[Checkpoint, ...]:
        """Lists checkpoints, latest first, those smaller than `before`."""
        rows = self._rows("checkpoints", {"before": before, "limit": limit})
        return tuple(_checkpoint(row) for row in rows)

    def nodes(self, wanted: Sequence[Node]) -> Mapping[Node, str]:
        """Returns the hashes of nodes of the tree, by level and place."""
        parameters = {
            "levels": [level for level, _ in wanted],
            "places": [place for _, place in wanted],
        }
        rows = self._rows("nodes", parameters)
        return {(row["level"], row["place"]): row["hash"] for row in rows}

    def entry_of(self, game_id: str, size: int) -> tuple[int, Entry] | None:
        """Finds a game's last entry among the first `size`, with its index in the list."""
        rows = self._rows("entry_of", {"game_id": game_id, "size": size})
        return (rows[0].pop("place"), Entry(**rows[0])) if rows else None

    def entries_of(self, game_id: str) -> tuple[Entry, ...]:
        """Returns all of a game's entries, oldest first."""
        return tuple(Entry(**row) for row in self._rows("entries_of", {"game_id": game_id}))


def _checkpoint(row: Row) -> Checkpoint:
    return Checkpoint(row["size"], row["root"], row["made_at"])
