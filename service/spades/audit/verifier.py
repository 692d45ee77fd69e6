"""The offline verifier: files in, findings out, with no server and no database.

Each file is checked by itself, then the files are held against one another, as
`docs/exports.md` says.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from spades.audit import checkpoints
from spades.audit.auditing import audited_export
from spades.audit.checkpoints import entry_hash
from spades.audit.documents import (
    CHECKPOINT,
    PROOF,
    RESULT,
    Documents,
    Jwks,
    Statement,
    read_documents,
)
from spades.audit.exports import Export
from spades.audit.findings import Finding
from spades.audit.log import JsonObject, canonical
from spades.audit.merkle import includes, is_consistent
from spades.audit.replaying import Policies
from spades.audit.results import facts_of, said_of_log

Located = tuple[str, Finding]


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of verifying files: what each of them is, and all findings by file."""

    files: tuple[JsonObject, ...]
    findings: tuple[Located, ...]

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_json(self) -> JsonObject:
        """Returns the verification by its parts."""
        findings = [{"file": file, **finding.as_json()} for file, finding in self.findings]
        return {"ok": self.is_clean, "files": list(self.files), "findings": findings}


def verified(files: Mapping[str, bytes], jwks: Jwks | None, policies: Policies) -> Verification:
    """Verifies files by name; without a JWK Set signatures are left unchecked."""
    read = read_documents(files, jwks)
    told: list[JsonObject] = []
    findings = list(read.findings)
    for file, export in read.exports:
        report = audited_export(export, policies)
        findings += [(file, finding) for finding in report.findings]
        told.append({"file": file, **_about_export(export), "checks": dict(report.verdicts)})
    told += [_about_statement(statement) for statement in read.statements]
    findings += [*_between_exports(read), *_between_results(read), *_in_trees(read)]
    return Verification(tuple(told), tuple(findings))


def _about_export(export: Export) -> JsonObject:
    header = {key: export.header.get(key) for key in ("game_id", "viewer", "version", "log_head")}
    return {"kind": "export", **header}


def _about_statement(statement: Statement) -> JsonObject:
    told = {"file": statement.file, "kind": statement.kind}
    names = ("format", "game_id", "id", "version", "tree_size", "first_size", "second_size")
    known = {name: statement.members[name] for name in names if name in statement.members}
    return {**told, **known, "signature": statement.signature}


def _between_exports(read: Documents) -> Iterator[Located]:
    """Yields games whose exports disagree, and games that share a seed."""
    hashes: dict[tuple[str, int], str] = {}
    seeds: dict[str, str] = {}
    for file, export in read.exports:
        game = export.evidence
        for exhibit in game.exhibits:
            if hashes.setdefault((game.game_id, exhibit.version), exhibit.hash) != exhibit.hash:
                detail = "another export of this game has another event here"
                yield file, Finding("exports", detail, exhibit.version)
                break
        if game.game_seed and seeds.setdefault(game.game_seed, game.game_id) != game.game_id:
            last = game.exhibits[-1].version
            yield file, Finding("seeds", "the game's seed is another game's too", last)


def _between_results(read: Documents) -> Iterator[Located]:
    known: dict[str, JsonObject] = {}
    games: dict[str, JsonObject] = {}
    for result in read.of(RESULT):
        members = result.members
        if canonical(known.setdefault(members["id"], members)) != canonical(members):
            yield result.file, Finding("result", "another result has the same id")
        said = said_of_log(members)
        if canonical(games.setdefault(members["game_id"], said)) != canonical(said):
            yield result.file, Finding("result", "another result says otherwise of this game's log")
        for export in read.exports_of(members["game_id"]):
            yield from ((result.file, fault) for fault in _unlike_log(members, export))


def _unlike_log(result: JsonObject, export: Export) -> Iterator[Finding]:
    """Yields the members of a result that do not follow from the game's log."""
    facts = facts_of(export.evidence) if export.is_whole else None
    if facts is not None:
        claimed = said_of_log(result)
        for name, fact in facts.items():
            if canonical(fact) != canonical(claimed[name]):
                yield Finding("result", "not what the game's log says", pointer=f"/{name}")
    elif export.is_whole and export.header["version"] >= result["version"]:
        yield Finding("result", "the log of this game has no such end", result["version"])


def _in_trees(read: Documents) -> Iterator[Located]:
    roots: dict[int, str] = {}
    for one in read.of(CHECKPOINT):
        size, root = one.members["tree_size"], one.members["root_hash"]
        if roots.setdefault(size, root) != root:
            yield one.file, Finding("checkpoint", "another checkpoint of this size differs")
    for proof in read.of(PROOF):
        is_inclusion = proof.members["format"] == checkpoints.INCLUSION
        faults = (
            _inclusion(read, proof.members, roots)
            if is_inclusion
            else _consistency(proof.members, roots)
        )
        yield from ((proof.file, Finding("checkpoint", fault)) for fault in faults)


def _inclusion(read: Documents, proof: JsonObject, roots: Mapping[int, str]) -> Iterator[str]:
    size = proof["tree_size"]
    if size not in roots:
        yield f"the checkpoint of size {size} is not among the files"
        return
    leaf = entry_hash(proof["game_id"], proof["version"], proof["head"])
    if not includes(leaf, proof["leaf_index"], size, proof["inclusion_path"], roots[size]):
        yield "the proof does not lead from the game's head to the checkpoint"
    exports, version = list(read.exports_of(proof["game_id"])), proof["version"]
    reaching = [one.evidence.exhibits for one in exports if len(one.evidence.exhibits) >= version]
    if exports and not reaching:
        yield f"no export of the game reaches event {version}, which the checkpoint knows"
    if any(exhibits[version - 1].hash != proof["head"] for exhibits in reaching):
        yield f"event {version} of the game's export is not the one checkpointed"


def _consistency(proof: JsonObject, roots: Mapping[int, str]) -> Iterator[str]:
    first, second = proof["first_size"], proof["second_size"]
    missing = [size for size in (first, second) if size not in roots]
    if missing:
        yield from (f"the checkpoint of size {size} is not among the files" for size in missing)
    elif not is_consistent(first, second, roots[first], roots[second], proof["consistency_path"]):
        yield "the later checkpoint does not begin with the earlier"
