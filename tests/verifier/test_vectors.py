"""Both verifiers say of the published vectors what they must."""

import pytest

from tests.support.vectors import FOLDER, Vector, vectors
from tests.support.verifiers import needs_node, told_in_javascript, told_in_python
from tests.verifier import vectors as generator

VECTORS = vectors()
ABOUT_A_FOLDER = {"README.md", "vectors.json"}

each = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)


@each
def test_the_service_says_of_a_vector_what_it_must(vector: Vector) -> None:
    told = told_in_python(vector.content(), vector.keys())
    assert list(vector.faults(told, has_policies=True)) == []


@needs_node
@each
def test_javascript_says_of_a_vector_what_it_must(vector: Vector) -> None:
    told = told_in_javascript(vector.content(), vector.keys())
    assert list(vector.faults(told, has_policies=False)) == []


def test_every_file_is_in_a_vector_and_every_name_stands_once() -> None:
    used = {file for vector in VECTORS for file in vector.files}
    keys = {vector.jwks for vector in VECTORS if vector.jwks}
    there = {path.name for path in FOLDER.iterdir()}
    assert used | keys == there - ABOUT_A_FOLDER
    assert len({vector.name for vector in VECTORS}) == len(VECTORS)


def test_every_check_fails_in_a_vector() -> None:
    checks = {vector.check for vector in VECTORS}
    assert checks > {"format", "chain", "leaves", "deals", "actions", "bots", "scores", "end"}


def test_a_wrong_verdict_is_told() -> None:
    vector = next(vector for vector in VECTORS if vector.check == "actions")
    elsewhere = {"check": "actions", "version": 1}
    assert list(vector.faults({"ok": True, "findings": []}, has_policies=True))
    assert list(vector.faults({"ok": False, "findings": []}, has_policies=True))
    assert list(vector.faults({"ok": False, "findings": [elsewhere]}, has_policies=True))


def test_vectors_are_small_and_never_made_again() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 600_000
    with pytest.raises(SystemExit, match="never made again"):
        generator.main()
