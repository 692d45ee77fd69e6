"""The files that a verifier is given: which they are, and whether each has its form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spades.audit import checkpoints, exports, results
from spades.audit.exports import Export, read_exports
from spades.audit.findings import Finding, Verdict
from spades.audit.json_text import read_json
from spades.audit.log import JsonObject, canonical
from spades.audit.signing import read_signed, verify
from spades.audit.values import (
    is_count,
    is_digest,
    is_moment,
    is_ruleset,
    is_size,
    is_some_text,
    is_text,
    is_text_or_null,
    is_totals,
    is_uuid,
)
from spades.errors import SignatureInvalid
from spades.game.commands import PlayerKind
from spades.game.seats import Seat

RESULT, CHECKPOINT, PROOF = "result", "checkpoint", "proof"
TYPS = {RESULT: results.TYP, CHECKPOINT: checkpoints.TYP}

Jwks = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Statement:
    """A signed statement, or a proof: its members, and what became of its signature."""

    file: str
    kind: str
    members: JsonObject
    signature: Verdict | None = None


@dataclass(slots=True)
class Documents:
    """All that was read from the files, with what is wrong with each file by itself."""

    exports: list[tuple[str, Export]] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    findings: list[tuple[str, Finding]] = field(default_factory=list)

    def of(self, kind: str) -> Iterator[Statement]:
        """Yields the statements of a kind."""
        return (one for one in self.statements if one.kind == kind)

    def exports_of(self, game_id: str) -> Iterator[Export]:
        """Yields the exports of a game."""
        return (one for _, one in self.exports if one.header.get("game_id") == game_id)


def read_documents(files: Mapping[str, bytes], jwks: Jwks | None) -> Documents:
    """Reads files of any kind, each by its name."""
    read = Documents()
    for name, data in files.items():
        _read(read, name, data, jwks)
    return read


def _read(read: Documents, name: str, data: bytes, jwks: Jwks | None) -> None:
    text = data.strip()
    if text.count(b".") == 2 and not text.startswith((b"{", b"[")):
        _read_signed(read, name, None, text, jwks)
        return
    value = _whole_json(text)
    if value is None or value.get("format") == exports.FORMAT:
        read.exports += [(name, export) for export in read_exports(data)]
        return
    kind = FORMATS.get(str(value.get("format")))
    if kind in TYPS:
        members = {key: inner for key, inner in value.items() if key != "jws"}
        _read_signed(read, name, members, str(value.get("jws")).encode(), jwks)
    elif kind == PROOF:
        _add(read, Statement(name, PROOF, value))
    else:
        read.findings.append((name, Finding("format", "no file that this can verify")))


def _whole_json(text: bytes) -> JsonObject | None:
    try:
        value = read_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _read_signed(
    read: Documents, name: str, members: JsonObject | None, text: bytes, jwks: Jwks | None
) -> None:
    """Reads a signed statement; `members` are what stands in the open beside the signature."""
    compact = text.decode("ascii", "replace")
    try:
        signed = read_signed(compact)
        kind = next((k for k, typ in TYPS.items() if typ == signed.typ), None)
        if kind is None or FORMATS.get(str(signed.payload.get("format"))) != kind:
            raise SignatureInvalid("It is signed as something else.")
        if jwks is not None:
            verify(compact, jwks, TYPS[kind])
    except SignatureInvalid as invalid:
        read.findings.append((name, Finding("signature", invalid.detail)))
        return
    if members is not None and not _agree(members, signed.payload):
        read.findings.append((name, Finding("signature", "not what was signed")))
    verdict = Verdict.PASSED if jwks is not None else Verdict.OPEN
    _add(read, Statement(name, kind, signed.payload, verdict))


def _add(read: Documents, statement: Statement) -> None:
    faults = list(_faults(statement.members))
    read.findings += [(statement.file, Finding("format", told, pointer=at)) for at, told in faults]
    if faults:
        return
    read.statements.append(statement)
    if statement.kind == RESULT:
        read.findings += [(statement.file, fault) for fault in _odd_result(statement.members)]


def _agree(members: JsonObject, signed: JsonObject) -> bool:
    """Whether what stands in the open is what was signed."""
    if any(_faults(members)):
        return any(_faults(signed)) and members == signed
    return not any(_faults(signed)) and canonical(members) == canonical(signed)


def _odd_result(result: JsonObject) -> Iterator[Finding]:
    """Yields what a result says against itself."""
    if results.hash_of_options(result["options"]) != result["options_hash"]:
        yield Finding("result", "not the hash of the options", pointer="/options_hash")
    if result["supersedes"] == result["id"]:
        yield Finding("result", "a result can't supersede itself", pointer="/supersedes")


def _faults(members: JsonObject) -> Iterator[tuple[str | None, str]]:
    wanted = MEMBERS[members["format"]]
    if members.keys() != wanted.keys():
        yield None, "it does not have exactly its members"
        return
    for name, is_good in wanted.items():
        if not is_good(members[name]):
            yield f"/{name}", "not of the form it must have"


def _is_hashes(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_digest, value))


def _is_options(value: Any) -> bool:
    return isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values())


def _is_uuid_or_null(value: Any) -> bool:
    return value is None or is_uuid(value)


def _is_seating(value: Any) -> bool:
    return isinstance(value, dict) and all(
        seat in list(Seat)
        and isinstance(who, dict)
        and who.keys() == {"kind", "level", "player_ref"}
        and who["kind"] in list(PlayerKind)
        and is_text_or_null(who["level"])
        and (who["player_ref"] is None or is_some_text(who["player_ref"]))
        for seat, who in value.items()
    )


MEMBERS: Mapping[str, Mapping[str, Any]] = {
    results.FORMAT: {
        "format": is_text,
        "id": is_uuid,
        "supersedes": _is_uuid_or_null,
        "issued_at": is_moment,
        "game_id": is_uuid,
        "ruleset": is_ruleset,
        "options": _is_options,
        "options_hash": is_digest,
        "status": is_text,
        "winner": is_text_or_null,
        "reason": is_text,
        "points": is_totals,
        "bags": is_totals,
        "hands": is_count,
        "seats": _is_seating,
        "finished_at": is_moment,
        "version": is_size,
        "log_head": is_digest,
    },
    checkpoints.FORMAT: {
        "format": is_text,
        "tree_size": is_size,
        "root_hash": is_digest,
        "made_at": is_moment,
    },
    checkpoints.INCLUSION: {
        "format": is_text,
        "game_id": is_uuid,
        "version": is_size,
        "head": is_digest,
        "leaf_index": is_count,
        "tree_size": is_size,
        "inclusion_path": _is_hashes,
    },
    checkpoints.CONSISTENCY: {
        "format": is_text,
        "first_size": is_size,
        "second_size": is_size,
        "consistency_path": _is_hashes,
    },
}
FORMATS = {
    results.FORMAT: RESULT,
    checkpoints.FORMAT: CHECKPOINT,
    checkpoints.INCLUSION: PROOF,
    checkpoints.CONSISTENCY: PROOF,
}
