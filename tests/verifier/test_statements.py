"""Both verifiers on results, checkpoints and proofs: true ones, and ones tampered with."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from spades.audit.exports import export_of
from spades.game.audience import SPECTATOR
from tests.support.exports import made_good, played, read, rechained
from tests.support.house import House
from tests.support.statements import (
    JWKS,
    KEYS,
    SIZES,
    STRANGER,
    Json,
    office,
    signed_head,
    signed_result,
)
from tests.support.verifiers import needs_node, told_in_javascript, told_in_python

Files = dict[str, bytes]
Verifier = Callable[..., Any]

IN_A_TREE = {"checkpoint", "inclusion", "consistency"}

VERIFIERS = [
    pytest.param(told_in_python, id="python"),
    pytest.param(told_in_javascript, id="javascript", marks=needs_node),
]
both = pytest.mark.parametrize("verifier", VERIFIERS)


def packed(**values: Json | bytes) -> Files:
    return {
        name: value if isinstance(value, bytes) else json.dumps(value).encode()
        for name, value in values.items()
    }


def found(verifier: Verifier, files: Files, jwks: Any = JWKS) -> set[str]:
    return {finding["check"] for finding in verifier(files, jwks)["findings"]}


def everything() -> Files:
    some = office()
    result = signed_result(some.result(0))
    return packed(
        export=some.export(0),
        other=some.export(1),
        result=result,
        compact=result["jws"].encode(),
        early=signed_head(some.first),
        late=signed_head(some.second),
        included_early=some.inclusion(0, SIZES[0]),
        included=some.inclusion(0, SIZES[1]),
        last_included=some.inclusion(8, SIZES[1]),
        consistent=some.consistency(),
    )


@both
def test_true_statements_pass_with_their_keys(verifier: Verifier) -> None:
    told = verifier(everything(), JWKS)
    assert told["ok"]
    assert told["findings"] == []
    assert len(told["files"]) == 10


@both
def test_without_keys_a_signature_is_no_fault_and_is_told_as_not_checked(
    verifier: Verifier,
) -> None:
    told = verifier(everything(), None)
    assert told["ok"]
    result = next(file for file in told["files"] if file["file"] == "result")
    assert "open" in (result.get("signature"), result.get("checks", {}).get("signature"))


@both
def test_a_result_signed_by_an_older_key_that_is_still_in_the_set_passes(
    verifier: Verifier,
) -> None:
    only_newer = {"keys": JWKS["keys"][:1]}
    files = packed(result=signed_result(office().result(0)))
    assert found(verifier, files, JWKS) == set()
    assert found(verifier, files, only_newer) == set()
    assert found(verifier, files, {"keys": JWKS["keys"][1:]}) == {"signature"}


def one_character_changed(jws: str, part: int) -> str:
    parts = jws.split(".")
    place = len(parts[part]) // 2
    changed = "A" if parts[part][place] != "A" else "B"
    parts[part] = parts[part][:place] + changed + parts[part][place + 1 :]
    return ".".join(parts)


@both
@pytest.mark.parametrize("part", [0, 1, 2], ids=["header", "payload", "signature"])
@pytest.mark.parametrize("compact", [True, False], ids=["compact", "json"])
def test_one_changed_character_of_a_signed_result_is_found(
    verifier: Verifier, part: int, compact: bool
) -> None:
    result = signed_result(office().result(0))
    jws = one_character_changed(result["jws"], part)
    files = packed(result=jws.encode() if compact else {**result, "jws": jws})
    assert found(verifier, files) & {"signature", "format"}


@both
@pytest.mark.parametrize("name", [*office().result(0)])
def test_every_member_beside_the_signature_must_be_as_signed(verifier: Verifier, name: str) -> None:
    result = signed_result(office().result(0))
    files = packed(result={**result, name: other_than(result[name])})
    assert found(verifier, files) & {"signature", "format"}


@both
def test_the_winners_name_beside_the_signature_must_be_as_signed(verifier: Verifier) -> None:
    result = signed_result(office().result(0))
    winner = next(side for side in result["points"] if side != result["winner"])
    assert found(verifier, packed(result={**result, "winner": winner})) & {"signature", "format"}


def other_than(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(list(value.items())[1:])
    return value + 1 if isinstance(value, int) else f"{value}x"


@both
def test_a_signature_by_a_key_that_is_not_in_the_set_is_found(verifier: Verifier) -> None:
    forged = signed_result(office().result(0), STRANGER)
    assert found(verifier, packed(result=forged)) == {"signature"}


@both
def test_a_checkpoint_signed_by_a_stranger_is_found(verifier: Verifier) -> None:
    assert found(verifier, packed(head=signed_head(office().first, STRANGER))) == {"signature"}


@both
def test_a_result_signed_as_a_checkpoint_is_found(verifier: Verifier) -> None:
    payload = office().result(0)
    jws = KEYS.sign(payload, "spades-checkpoint+json")
    assert "signature" in found(verifier, packed(result={**payload, "jws": jws}))


@both
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("points", {"N": 1, "S": 2}),
        ("bags", {"N": 0, "S": 99}),
        ("hands", 2),
        ("reason", "target_reached"),
        ("log_head", "17" * 32),
        ("finished_at", "2026-12-01T00:00:00.000Z"),
        ("version", 3),
        ("status", "aborted"),
    ],
)
def test_a_result_that_its_games_export_does_not_bear_out_is_found(
    verifier: Verifier, member: str, value: Any
) -> None:
    result = signed_result({**office().result(0), member: value})
    assert found(verifier, packed(result=result)) == set()
    assert found(verifier, packed(result=result, export=office().export(0))) == {"result"}


@both
def test_a_result_with_another_seating_than_the_games_is_found(verifier: Verifier) -> None:
    payload = office().result(0)
    seats = {**payload["seats"], "N": {"kind": "human", "level": None, "player_ref": None}}
    result = signed_result({**payload, "seats": seats})
    assert found(verifier, packed(result=result, export=office().export(0))) == {"result"}


@both
def test_a_result_whose_game_went_another_way_is_found(verifier: Verifier) -> None:
    log = read(office().export(0))
    log.events[-1]["at"] = "2027-01-01T00:00:00.000Z"
    files = packed(result=signed_result(office().result(0)), export=rechained(log).lines())
    assert found(verifier, files) == {"result"}


@both
def test_a_result_says_nothing_of_an_export_from_before_the_end(verifier: Verifier) -> None:
    house = House(seed=7)
    played("two-player", house=house, bots="N", stop=20)
    early = read(office().export(0))
    del early.events[1:]
    files = packed(result=signed_result(office().result(0)), export=rechained(early).lines())
    assert found(verifier, files) == set()


@both
@pytest.mark.parametrize(
    "change",
    [
        {"leaf_index": 1},
        {"version": 12},
        {"head": "17" * 32},
        {"inclusion_path": []},
        {"inclusion_path": ["17" * 32, "17" * 32]},
        {"tree_size": SIZES[1]},
    ],
    ids=str,
)
def test_an_inclusion_proof_that_does_not_lead_to_its_checkpoint_is_found(
    verifier: Verifier, change: Json
) -> None:
    some = office()
    proof = {**some.inclusion(0, SIZES[0]), **change}
    files = packed(proof=proof, early=signed_head(some.first), late=signed_head(some.second))
    assert found(verifier, files) & IN_A_TREE


@both
def test_a_proof_needs_its_checkpoints_among_the_files(verifier: Verifier) -> None:
    some = office()
    assert found(verifier, packed(proof=some.inclusion(0, SIZES[0]))) & IN_A_TREE
    late = signed_head(some.second)
    assert found(verifier, packed(proof=some.consistency(), late=late)) & IN_A_TREE


@both
@pytest.mark.parametrize("change", ["missing", "turned", "longer", "none"])
def test_a_consistency_proof_with_a_wrong_path_is_found(verifier: Verifier, change: str) -> None:
    some = office()
    path = some.consistency()["consistency_path"]
    paths = {
        "missing": path[1:],
        "turned": path[::-1],
        "longer": [*path, "17" * 32],
        "none": [],
    }
    proof = {**some.consistency(), "consistency_path": paths[change]}
    files = packed(proof=proof, early=signed_head(some.first), late=signed_head(some.second))
    assert found(verifier, files) & IN_A_TREE


@both
def test_a_later_checkpoint_that_forgot_the_earlier_is_found(verifier: Verifier) -> None:
    some = office()
    other = signed_head({**some.second, "root_hash": "17" * 32})
    files = packed(proof=some.consistency(), early=signed_head(some.first), late=other)
    assert found(verifier, files) & IN_A_TREE


@both
def test_two_checkpoints_of_one_size_that_differ_are_found(verifier: Verifier) -> None:
    other = signed_head({**office().first, "root_hash": "17" * 32})
    assert found(verifier, packed(one=signed_head(office().first), other=other)) == {"checkpoint"}


@both
def test_a_log_rewritten_whole_is_found_by_a_kept_checkpoint(verifier: Verifier) -> None:
    some = office()
    log = read(some.export(0))
    log.events[-1]["at"] = "2027-01-01T00:00:00.000Z"
    rewritten = made_good(log).lines()
    assert found(verifier, packed(export=rewritten)) == set()
    kept = packed(head=signed_head(some.first), proof=some.inclusion(0, SIZES[0]))
    assert found(verifier, {**kept, "export": rewritten}) & IN_A_TREE
    assert found(verifier, {**kept, "export": some.export(0)}) == set()


@both
@pytest.mark.parametrize("name", ["result", "early", "included", "consistent"])
def test_a_statement_with_a_member_too_many_or_too_few_is_found(
    verifier: Verifier, name: str
) -> None:
    value = json.loads(everything()[name])
    more = {**value, "note": "as agreed"}
    for changed in (more, {key: inner for key, inner in value.items() if key != "format"}):
        assert found(verifier, packed(file=changed), JWKS) & {"format", "signature"}
    if "jws" not in value:
        fewer = dict(list(value.items())[:-1])
        assert found(verifier, packed(file=fewer), JWKS) & {"format", "signature"}


@both
@pytest.mark.parametrize("odd", [None, 1, "", [], {}, "a.b.c", "..", 2**70], ids=repr)
@pytest.mark.parametrize("name", ["result", "early", "included", "consistent"])
def test_odd_members_of_statements_are_no_crash(verifier: Verifier, name: str, odd: Any) -> None:
    value = json.loads(everything()[name])
    members = [member for member in value if member not in ("format", "supersedes")]
    files = {
        member: json.dumps({**value, member: odd}).encode()
        for member in members
        if value[member] != odd
    }
    told = verifier(files, JWKS)
    assert {finding["file"] for finding in told["findings"]} == set(files)
    assert not any("cannot be checked" in finding["detail"] for finding in told["findings"])


@both
def test_a_game_of_another_house_has_no_place_in_the_tree(verifier: Verifier) -> None:
    some = office()
    stranger = played("pairs", house=House(seed=99, first_id=77)).ledger
    proof = {**some.inclusion(0, SIZES[0]), "game_id": stranger.game_id, "head": stranger.head}
    files = packed(export=export_of(stranger, SPECTATOR), proof=proof, head=signed_head(some.first))
    assert found(verifier, files) & IN_A_TREE
