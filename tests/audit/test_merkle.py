"""Merkle trees against published vectors and the words of RFC 9162, section 2.1."""

from functools import cache
from hashlib import sha256

import pytest

from spades.audit.merkle import (
    EMPTY_ROOT,
    Node,
    consistency_nodes,
    consistency_path,
    cover,
    frontier_nodes,
    grown,
    includes,
    inclusion_nodes,
    inclusion_path,
    is_consistent,
    leaf_hash,
    root,
    root_nodes,
)

# The reference tree of Certificate Transparency, with its roots and proofs:
# github.com/google/certificate-transparency, cpp/merkletree/merkle_tree_test.cc, and for the
# last consistency proof github.com/transparency-dev/merkle, proof/verify_test.go.
ENTRIES = [
    bytes.fromhex(entry)
    for entry in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
PUBLISHED_EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
PUBLISHED_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAF_2_OF_8 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
LEAVES_3_AND_4 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
LEAVES_5_TO_8 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
LEAF_5 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
LEAVES_5_AND_6 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
LEAVES_7_AND_8 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
LEAF_7 = "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f"
INCLUSION = [
    (0, 1, ()),
    (0, 8, (LEAF_2_OF_8, LEAVES_3_AND_4, LEAVES_5_TO_8)),
    (5, 8, (LEAF_5, LEAVES_7_AND_8, PUBLISHED_ROOTS[3])),
    (2, 3, (PUBLISHED_ROOTS[1],)),
    (1, 5, (PUBLISHED_ROOTS[0], LEAVES_3_AND_4, LEAF_5)),
]
CONSISTENCY = [
    (1, 1, ()),
    (1, 8, (LEAF_2_OF_8, LEAVES_3_AND_4, LEAVES_5_TO_8)),
    (6, 8, (LEAVES_5_AND_6, LEAVES_7_AND_8, PUBLISHED_ROOTS[3])),
    (2, 5, (LEAVES_3_AND_4, LEAF_5)),
    (6, 7, (LEAVES_5_AND_6, LEAF_7, PUBLISHED_ROOTS[3])),
]
SIZES = range(1, 71)
MANY = tuple(b"game %d" % number for number in range(70))
OTHER = "ab" * 32


def tree_of(entries: tuple[bytes, ...] | list[bytes]) -> dict[Node, str]:
    return grown(0, {}, map(leaf_hash, entries))


PUBLISHED_TREE = tree_of(ENTRIES)
TREE = tree_of(MANY)


@cache
def mth(entries: tuple[bytes, ...]) -> bytes:
    """RFC 9162, 2.1.1."""
    if not entries:
        return sha256(b"").digest()
    if len(entries) == 1:
        return sha256(b"\x00" + entries[0]).digest()
    k = greatest_power_of_two_below(len(entries))
    return sha256(b"\x01" + mth(entries[:k]) + mth(entries[k:])).digest()


def path(m: int, entries: tuple[bytes, ...]) -> list[bytes]:
    """RFC 9162, 2.1.3.1."""
    if len(entries) == 1:
        return []
    k = greatest_power_of_two_below(len(entries))
    if m < k:
        return [*path(m, entries[:k]), mth(entries[k:])]
    return [*path(m - k, entries[k:]), mth(entries[:k])]


def subproof(m: int, entries: tuple[bytes, ...], is_whole: bool) -> list[bytes]:
    """RFC 9162, 2.1.4.1."""
    if m == len(entries):
        return [] if is_whole else [mth(entries)]
    k = greatest_power_of_two_below(len(entries))
    if m <= k:
        return [*subproof(m, entries[:k], is_whole), mth(entries[k:])]
    return [*subproof(m - k, entries[k:], False), mth(entries[:k])]


def greatest_power_of_two_below(n: int) -> int:
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def hexed(hashes: list[bytes]) -> tuple[str, ...]:
    return tuple(one.hex() for one in hashes)


def only(nodes: tuple[Node, ...]) -> dict[Node, str]:
    return {node: TREE[node] for node in nodes}


def with_a_bit_flipped(value: str, bit: int) -> str:
    return f"{int(value, 16) ^ 1 << bit:064x}"


def replaced(path: tuple[str, ...], place: int, value: str) -> tuple[str, ...]:
    return (*path[:place], value, *path[place + 1 :])


def longer_and_shorter(path: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [(*path, OTHER), (OTHER, *path), *([path[1:], path[:-1], ()] if path else [])]


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert EMPTY_ROOT == root(0, {}) == PUBLISHED_EMPTY_ROOT


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_the_published_ones(size: int) -> None:
    assert root(size, PUBLISHED_TREE) == PUBLISHED_ROOTS[size - 1]


@pytest.mark.parametrize(("index", "size", "proof"), INCLUSION)
def test_inclusion_proofs_are_the_published_ones(
    index: int, size: int, proof: tuple[str, ...]
) -> None:
    assert inclusion_path(index, size, PUBLISHED_TREE) == proof
    assert includes(leaf_hash(ENTRIES[index]), index, size, proof, PUBLISHED_ROOTS[size - 1])


@pytest.mark.parametrize(("first", "second", "proof"), CONSISTENCY)
def test_consistency_proofs_are_the_published_ones(
    first: int, second: int, proof: tuple[str, ...]
) -> None:
    assert consistency_path(first, second, PUBLISHED_TREE) == proof
    roots = PUBLISHED_ROOTS[first - 1], PUBLISHED_ROOTS[second - 1]
    assert is_consistent(first, second, *roots, proof)


def test_a_range_is_covered_by_its_perfect_subtrees() -> None:
    assert cover(0, 0) == ()
    assert cover(0, 7) == ((2, 0), (1, 2), (0, 6))
    assert cover(8, 13) == ((2, 2), (0, 12))
    assert cover(16, 24) == ((3, 2),)


@pytest.mark.parametrize("size", SIZES)
def test_a_root_is_that_of_the_definition_and_needs_few_nodes(size: int) -> None:
    assert root(size, only(root_nodes(size))) == mth(MANY[:size]).hex()
    assert len(root_nodes(size)) <= size.bit_length()


@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_is_proven_as_defined_with_few_nodes(size: int) -> None:
    entries, top = MANY[:size], mth(MANY[:size]).hex()
    for index in range(size):
        nodes = inclusion_nodes(index, size)
        proof = inclusion_path(index, size, only(nodes))
        assert proof == hexed(path(index, entries))
        assert includes(leaf_hash(entries[index]), index, size, proof, top)
        assert len(nodes) <= 2 * size.bit_length()


@pytest.mark.parametrize("second", SIZES)
def test_every_earlier_tree_is_proven_as_defined_with_few_nodes(second: int) -> None:
    entries = MANY[:second]
    for first in range(1, second + 1):
        nodes = consistency_nodes(first, second)
        proof = consistency_path(first, second, only(nodes))
        assert proof == hexed(subproof(first, entries, True))
        roots = mth(entries[:first]).hex(), mth(entries).hex()
        assert is_consistent(first, second, *roots, proof)
        assert len(nodes) <= 2 * second.bit_length()


@pytest.mark.parametrize("size", [0, *SIZES])
def test_a_tree_grows_from_its_frontier_to_the_same_nodes(size: int) -> None:
    old = tree_of(MANY[:size])
    new = grown(size, only(frontier_nodes(size)), map(leaf_hash, MANY[size:]))
    assert not old.keys() & new.keys()
    assert old | new == TREE


def test_a_tree_that_gets_no_leaf_gets_no_node() -> None:
    assert grown(3, only(frontier_nodes(3)), []) == {}


@pytest.mark.parametrize(("index", "size", "proof"), INCLUSION)
def test_every_flipped_bit_of_an_inclusion_proof_is_refused(
    index: int, size: int, proof: tuple[str, ...]
) -> None:
    leaf, top = leaf_hash(ENTRIES[index]), PUBLISHED_ROOTS[size - 1]
    for bit in range(256):
        assert not includes(with_a_bit_flipped(leaf, bit), index, size, proof, top)
        assert not includes(leaf, index, size, proof, with_a_bit_flipped(top, bit))
        for place, value in enumerate(proof):
            wrong = replaced(proof, place, with_a_bit_flipped(value, bit))
            assert not includes(leaf, index, size, wrong, top)


@pytest.mark.parametrize(("first", "second", "proof"), CONSISTENCY)
def test_every_flipped_bit_of_a_consistency_proof_is_refused(
    first: int, second: int, proof: tuple[str, ...]
) -> None:
    old, new = PUBLISHED_ROOTS[first - 1], PUBLISHED_ROOTS[second - 1]
    for bit in range(256):
        assert not is_consistent(first, second, with_a_bit_flipped(old, bit), new, proof)
        assert not is_consistent(first, second, old, with_a_bit_flipped(new, bit), proof)
        for place, value in enumerate(proof):
            wrong = replaced(proof, place, with_a_bit_flipped(value, bit))
            assert not is_consistent(first, second, old, new, wrong)


@pytest.mark.parametrize("size", SIZES)
def test_an_inclusion_proof_holds_for_no_other_leaf_and_at_no_other_length(size: int) -> None:
    top = mth(MANY[:size]).hex()
    for index in range(size):
        leaf, proof = leaf_hash(MANY[index]), inclusion_path(index, size, TREE)
        assert not any(
            includes(leaf, other, size, proof, top) for other in {*range(-1, size + 1)} - {index}
        )
        assert not any(
            includes(leaf, index, size, wrong, top) for wrong in longer_and_shorter(proof)
        )


@pytest.mark.parametrize("second", SIZES)
def test_a_consistency_proof_holds_for_no_other_tree_and_at_no_other_length(second: int) -> None:
    new = mth(MANY[:second]).hex()
    for first in range(1, second):
        old, proof = mth(MANY[:first]).hex(), consistency_path(first, second, TREE)
        assert not is_consistent(first, second, new, old, proof)
        assert not is_consistent(second, first, new, old, proof)
        assert not any(
            is_consistent(first, second, old, new, wrong) for wrong in longer_and_shorter(proof)
        )


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 1), (8, 8), (9, 8), (0, -1)])
def test_there_is_no_proof_of_a_leaf_outside_the_tree(index: int, size: int) -> None:
    assert not includes(OTHER, index, size, (), OTHER)
    with pytest.raises(ValueError, match="has no leaf"):
        inclusion_path(index, size, PUBLISHED_TREE)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 8), (8, 7), (-1, 8), (1, 0)])
def test_there_is_no_proof_from_nothing_or_from_a_greater_tree(first: int, second: int) -> None:
    assert not is_consistent(first, second, EMPTY_ROOT, EMPTY_ROOT, ())
    assert not is_consistent(first, second, OTHER, OTHER, (OTHER,))
    with pytest.raises(ValueError, match="does not grow"):
        consistency_path(first, second, PUBLISHED_TREE)


def test_trees_of_one_size_are_consistent_when_equal_and_without_a_path() -> None:
    assert is_consistent(7, 7, OTHER, OTHER, ())
    assert not is_consistent(7, 7, OTHER, "cd" * 32, ())
    assert not is_consistent(7, 7, OTHER, OTHER, (OTHER,))


@pytest.mark.parametrize(
    "bent",
    [str.upper, lambda value: value[:-1], lambda value: value + "\n", lambda value: " " + value],
)
def test_a_hash_that_is_not_64_lower_case_hex_digits_is_refused(bent) -> None:
    index, size, proof = INCLUSION[2]
    leaf, top = leaf_hash(ENTRIES[index]), PUBLISHED_ROOTS[size - 1]
    assert not includes(bent(leaf), index, size, proof, top)
    assert not includes(leaf, index, size, proof, bent(top))
    first, second, links = CONSISTENCY[2]
    old, new = PUBLISHED_ROOTS[first - 1], PUBLISHED_ROOTS[second - 1]
    assert not is_consistent(first, second, bent(old), new, links)
    assert not is_consistent(first, second, old, bent(new), links)
    for place in range(3):
        assert not includes(leaf, index, size, replaced(proof, place, bent(proof[place])), top)
        wrong = replaced(links, place, bent(links[place]))
        assert not is_consistent(first, second, old, new, wrong)
