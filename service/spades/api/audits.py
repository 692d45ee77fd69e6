"""What anybody may check of a game: its states, its audit, its export, its signed result."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from flask import Response

from spades.api.answers import PRIVATE, json_answer, whole_view
from spades.api.audit_contract import (
    AUDIT,
    EXPORT,
    EXPORT_FORMAT,
    JOSE,
    NDJSON,
    PLAIN_TEXT,
    READ_INCLUSION,
    READ_RESULT,
    READ_STATE,
    RESULT_FORMAT,
    TREE_SIZE,
    VERSION,
)
from spades.api.callers import checked_id, looking, looking_at_damage
from spades.api.contract import GAME, LAST_VERSION
from spades.api.operations import Operations
from spades.api.parameters import whole_in_path
from spades.api.reading import JSON, accepts
from spades.api.service import Service, service
from spades.api.tokens import Caller
from spades.audit import results
from spades.audit.evidence import Evidence, of_served
from spades.audit.exports import export_of, text_of
from spades.audit.findings import Check, Verdict
from spades.errors import DamagedLog, GameNotFound
from spades.game.audience import SPECTATOR, Viewer
from spades.tables import Audit, Table

audits = Operations("audits", "What anybody may check: states, audits, exports, results.")


@audits.operation("GET", "/v1/games/<game_id>/states/<version>", READ_STATE, GAME, VERSION)
def read_state(game_id: str, version: str) -> Response:
    """Shows a game as it was at a version."""
    here = service()
    caller, wanted = here.caller(), whole_in_path("version", version, 1, LAST_VERSION)
    with looking(here, caller, here.tables.table(checked_id(game_id))) as viewer:
        table = here.tables.state(game_id, wanted)
        return json_answer(whole_view(table, viewer), headers=PRIVATE)


@audits.operation("GET", "/v1/games/<game_id>/audit", AUDIT, GAME)
def audit(game_id: str) -> Response:
    """Audits a game."""
    here = service()
    caller, known = here.caller(), checked_id(game_id)
    try:
        table = here.tables.whole(known)
    except DamagedLog:
        return _audit_of_damage(here, caller, known)
    with looking(here, caller, table) as viewer:
        done = here.audits.audit(known)
        has_form = done.report.verdicts[Check.FORMAT] is not Verdict.FAILED
        return json_answer(_audit(done, table if has_form else None, viewer), headers=PRIVATE)


def _audit_of_damage(here: Service, caller: Caller, game_id: str) -> Response:
    stored = here.store.read(game_id)
    if stored is None:
        raise GameNotFound()
    with looking_at_damage(here, caller, stored):
        return json_answer(_audit(here.audits.audit(game_id), None, SPECTATOR), headers=PRIVATE)


@audits.operation("GET", "/v1/games/<game_id>/export", EXPORT, GAME)
def export_game(game_id: str) -> Response:
    """Exports a game."""
    here = service()
    caller, form = here.caller(), EXPORT_FORMAT.value()
    accepts(NDJSON if form == "ndjson" else PLAIN_TEXT)
    table = here.tables.whole(checked_id(game_id))
    with looking(here, caller, table) as viewer:
        if form == "ndjson":
            return Response(export_of(table.ledger, viewer), headers=PRIVATE, mimetype=NDJSON)
        return Response(text_of(table.ledger, viewer), headers=PRIVATE, mimetype=PLAIN_TEXT)


@audits.operation("GET", "/v1/games/<game_id>/result", READ_RESULT, GAME)
def read_result(game_id: str) -> Response:
    """Serves a game's signed result."""
    here = service()
    caller, form = here.caller(), RESULT_FORMAT.value()
    accepts(JSON if form == "json" else JOSE)
    with looking(here, caller, here.tables.table(checked_id(game_id))):
        payload = here.results.result(game_id)
        signed = here.signing.sign(payload, results.TYP)
        if form == "jws":
            return Response(signed, headers=PRIVATE, mimetype=JOSE)
        return json_answer({**payload, "jws": signed}, headers=PRIVATE)


@audits.operation("GET", "/v1/games/<game_id>/inclusion", READ_INCLUSION, GAME)
def read_inclusion(game_id: str) -> Response:
    """Proves that a game is in a checkpoint."""
    here = service()
    caller, size = here.caller(), TREE_SIZE.value()
    with looking(here, caller, here.tables.table(checked_id(game_id))):
        return json_answer(here.checkpoints.inclusion(game_id, size), headers=PRIVATE)


def _audit(done: Audit, table: Table | None, viewer: Viewer) -> dict[str, Any]:
    """Returns an audit with the openings that a viewer may see; a damaged log shows none."""
    ledger = table.ledger if table else None
    events = ledger.served(viewer, 0) if ledger else []
    known = of_served(done.game_id, events, str(viewer))
    created = events[0]["data"] if events else {}
    return {
        "game_id": done.game_id,
        "version": done.version,
        "log_head": done.head,
        "game_commit": created.get("game_commit"),
        "game_seed": known.game_seed,
        "checks": [
            {"check": check, "verdict": verdict} for check, verdict in done.report.verdicts.items()
        ],
        "hands": list(_hands(done, known)),
        "leaves": list(_leaves(known)),
        "divergences": [finding.as_json() for finding in done.report.findings],
        "quarantined": done.quarantined,
    }


def _hands(done: Audit, known: Evidence) -> Iterator[dict[str, Any]]:
    wrong = {finding.version for finding in done.report.findings if finding.check == Check.DEALS}
    versions: dict[int, set[int]] = defaultdict(set)
    for number, exhibit in known.hands():
        versions[number].add(exhibit.version)
    for exhibit in known.exhibits:
        if exhibit.public["type"] == "hand_started":
            data = exhibit.public["data"]
            yield {
                "number": data["number"],
                "version": exhibit.version,
                "hand_commit": data["hand_commit"],
                "hand_seed": known.hand_seed(data["number"]),
                "verdict": _verdict(versions[data["number"]], wrong, done.report.reached),
            }


def _verdict(own: set[int], wrong: set[int | None], reached: int) -> Verdict:
    """Returns what became of the deal of a hand with these versions."""
    if own & wrong:
        return Verdict.FAILED
    return Verdict.PASSED if max(own) <= reached else Verdict.OPEN


def _leaves(known: Evidence) -> Iterator[dict[str, Any]]:
    for exhibit in known.exhibits:
        for pointer, commitment in exhibit.leaves.items():
            opening = exhibit.openings.get(pointer, {"salt": None, "value": None})
            place = {"version": exhibit.version, "pointer": pointer, "commit": commitment}
            yield {**place, "salt": opening["salt"], "value": opening["value"]}
