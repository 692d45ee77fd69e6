"""Merkle trees of RFC 9162, section 2.1, with SHA-256: roots, proofs and their verification.

A tree is stored as the hashes of its perfect subtrees, which never change once their leaves are
there. Every root and every proof is made from O(log n) of them; for each there is a function
that names the nodes it needs, so that a store can fetch them at once. Hashes are in hex.
"""

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from hashlib import sha256

from spades.audit.values import is_digest

LEAF = b"\0"
INNER = b"\1"
EMPTY_ROOT = sha256().hexdigest()

Node = tuple[int, int]
"""A level and a place: the perfect subtree over leaves place * 2^level to (place + 1) * 2^level."""


def leaf_hash(entry: bytes) -> str:
    """Returns the hash of an entry's leaf."""
    return sha256(LEAF + entry).hexdigest()


def node_hash(left: str, right: str) -> str:
    """Returns the hash of the node above two others."""
    return sha256(INNER + bytes.fromhex(left) + bytes.fromhex(right)).hexdigest()


def cover(start: int, end: int) -> tuple[Node, ...]:
    """Returns the perfect subtrees that make up a range of leaves, the greatest first.

    The range begins at a multiple of a power of two that is not less than its length, as all
    ranges do that a tree is split into.
    """
    nodes: list[Node] = []
    while start < end:
        level = (end - start).bit_length() - 1
        nodes.append((level, start >> level))
        start += 1 << level
    return tuple(nodes)


def range_hash(nodes: Sequence[Node], hashes: Mapping[Node, str]) -> str:
    """Returns the hash of a range of leaves from its cover."""
    smallest_first = [hashes[node] for node in reversed(nodes)]
    return reduce(lambda right, left: node_hash(left, right), smallest_first)


def root_nodes(size: int) -> tuple[Node, ...]:
    """Returns the nodes from which the root of a tree is made."""
    return cover(0, size)


def root(size: int, hashes: Mapping[Node, str]) -> str:
    """Returns the root of the tree of the first `size` leaves."""
    return range_hash(root_nodes(size), hashes) if size else EMPTY_ROOT


def frontier_nodes(size: int) -> tuple[Node, ...]:
    """Returns the nodes that a tree of this size needs to grow."""
    return cover(0, size)


def grown(size: int, frontier: Mapping[Node, str], leaf_hashes: Iterable[str]) -> dict[Node, str]:
    """Returns every node, leaves included, that appending these leaves to a tree completes."""
    made: dict[Node, str] = {}
    known = ChainMap(made, dict(frontier))
    for index, leaf in enumerate(leaf_hashes, size):
        level, place, value = 0, index, leaf
        made[level, place] = value
        while place & 1:
            value = node_hash(known[level, place - 1], value)
            level, place = level + 1, place >> 1
            made[level, place] = value
    return made


def inclusion_nodes(index: int, size: int) -> tuple[Node, ...]:
    """Returns the nodes from which the inclusion proof of a leaf is made."""
    return _all_nodes(_beside_leaf(index, size))


def inclusion_path(index: int, size: int, hashes: Mapping[Node, str]) -> tuple[str, ...]:
    """Returns the proof that a tree holds its leaf `index` (RFC 9162, 2.1.3.1)."""
    return tuple(range_hash(nodes, hashes) for nodes in _beside_leaf(index, size))


def consistency_nodes(first: int, second: int) -> tuple[Node, ...]:
    """Returns the nodes from which the consistency proof of two sizes is made."""
    return _all_nodes(_beside_tree(first, second))


def consistency_path(first: int, second: int, hashes: Mapping[Node, str]) -> tuple[str, ...]:
    """Returns the proof that the tree of `second` leaves begins with that of `first`.

    As in RFC 9162, 2.1.4.1, the first tree is not empty; of two equal sizes the path is empty.
    """
    return tuple(range_hash(nodes, hashes) for nodes in _beside_tree(first, second))


def includes(leaf: str, index: int, size: int, path: Sequence[str], root: str) -> bool:
    """Whether a path proves that the tree with this root has this leaf's hash at `index`.

    The steps are those of RFC 9162, 2.1.3.2.
    """
    if not 0 <= index < size or not _are_hashes(leaf, root, *path):
        return False
    place, last, made = index, size - 1, leaf
    for beside in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            made = node_hash(beside, made)
            place, last = _up_to_a_right_child(place, last)
        else:
            made = node_hash(made, beside)
        place, last = place >> 1, last >> 1
    return last == 0 and made == root


def is_consistent(
    first: int, second: int, first_root: str, second_root: str, path: Sequence[str]
) -> bool:
    """Whether a path proves that the second of two trees begins with the first.

    The steps are those of RFC 9162, 2.1.4.2. Trees of one size need equal roots and no path; an
    empty first tree proves nothing and is refused.
    """
    if not 0 < first <= second or not _are_hashes(first_root, second_root, *path):
        return False
    if first == second:
        return not path and first_root == second_root
    return bool(path) and _leads_to_both(first, second, first_root, second_root, path)


def _leads_to_both(
    first: int, second: int, first_root: str, second_root: str, path: Sequence[str]
) -> bool:
    is_perfect = first & (first - 1) == 0
    start, *rest = (first_root, *path) if is_perfect else path
    place, last = _up_from_right_children(first - 1, second - 1)
    old = new = start
    for beside in rest:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(beside, old), node_hash(beside, new)
            place, last = _up_to_a_right_child(place, last)
        else:
            new = node_hash(new, beside)
        place, last = place >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


def _up_to_a_right_child(place: int, last: int) -> tuple[int, int]:
    """Passes over the levels on which a node at the right edge has no sibling."""
    while place and not place & 1:
        place, last = place >> 1, last >> 1
    return place, last


def _up_from_right_children(place: int, last: int) -> tuple[int, int]:
    """Passes over the levels that lie within the first tree's last perfect subtree."""
    while place & 1:
        place, last = place >> 1, last >> 1
    return place, last


def _are_hashes(*values: object) -> bool:
    return all(map(is_digest, values))


def _beside_leaf(index: int, size: int) -> list[tuple[Node, ...]]:
    """Returns the covers of the ranges beside the way from the leaf up to the root."""
    if not 0 <= index < size:
        raise ValueError(f"A tree of {size} leaves has no leaf {index}.")
    start, end, covers = 0, size, list[tuple[Node, ...]]()
    while end - start > 1:
        middle = _split(start, end)
        if index < middle:
            covers.append(cover(middle, end))
            end = middle
        else:
            covers.append(cover(start, middle))
            start = middle
    return covers[::-1]


def _beside_tree(first: int, second: int) -> list[tuple[Node, ...]]:
    """Returns the covers of the ranges beside the way from the first tree's end to the root."""
    if not 0 < first <= second:
        raise ValueError(f"A tree of {second} leaves does not grow from one of {first}.")
    start, end, covers = 0, second, list[tuple[Node, ...]]()
    while first < end:
        middle = _split(start, end)
        if first <= middle:
            covers.append(cover(middle, end))
            end = middle
        else:
            covers.append(cover(start, middle))
            start = middle
    if start:
        covers.append(cover(start, end))
    return covers[::-1]


def _split(start: int, end: int) -> int:
    """Returns where a range is split: at the greatest power of two below its length."""
    return start + (1 << (end - start - 1).bit_length() - 1)


def _all_nodes(covers: Iterable[tuple[Node, ...]]) -> tuple[Node, ...]:
    return tuple(node for nodes in covers for node in nodes)
