"""Checkpoints: signed tree heads over the list of all games' heads, and proofs in them.

The formats are those of `docs/exports.md`.
"""

from collections.abc import Sequence

from spades.audit.log import JsonObject, canonical
from spades.audit.merkle import leaf_hash

FORMAT = "spades-checkpoint/1"
TYP = "spades-checkpoint+json"
INCLUSION = "spades-inclusion/1"
CONSISTENCY = "spades-consistency/1"


def entry_hash(game_id: str, version: int, head: str) -> str:
    """Returns the leaf hash of the entry that says how far a game's log had come."""
    return leaf_hash(canonical({"game_id": game_id, "version": version, "head": head}))


def tree_head(size: int, root: str, made_at: str) -> JsonObject:
    """Returns the payload of a checkpoint."""
    return {"format": FORMAT, "tree_size": size, "root_hash": root, "made_at": made_at}


def inclusion(
    game_id: str, version: int, head: str, index: int, size: int, path: Sequence[str]
) -> JsonObject:
    """Returns the proof that a game's head is in the tree of a size."""
    return {
        "format": INCLUSION,
        "game_id": game_id,
        "version": version,
        "head": head,
        "leaf_index": index,
        "tree_size": size,
        "inclusion_path": list(path),
    }


def consistency(first: int, second: int, path: Sequence[str]) -> JsonObject:
    """Returns the proof that the later of two trees begins with the earlier."""
    return {
        "format": CONSISTENCY,
        "first_size": first,
        "second_size": second,
        "consistency_path": list(path),
    }
