"""Exports: a game's log as JSON lines, written for a viewer and read back strictly.

The format is `spades-export/1` of `docs/exports.md`; `text_of` tells the game to people.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from spades.audit.evidence import Evidence, of_served
from spades.audit.findings import Check, Finding
from spades.audit.form import misplaced_events, sound_events
from spades.audit.json_text import read_json
from spades.audit.ledger import Ledger
from spades.audit.log import JsonObject
from spades.audit.values import is_digest, is_size, is_text, is_uuid
from spades.errors import DamagedLog, DamagedTranscript
from spades.game.audience import AUDITOR, PLATFORM, SPECTATOR, Viewer, seated
from spades.game.events import GameCreated
from spades.game.notation import transcript_of, write
from spades.game.seats import Seat

FORMAT = "spades-export/1"
HEADER_KEYS = {"format", "game_id", "viewer", "version", "log_head"}
VIEWERS = {*map(str, map(seated, Seat)), *map(str, (SPECTATOR, PLATFORM, AUDITOR))}


@dataclass(frozen=True, slots=True)
class Export:
    """One export as it was read, with what is wrong with its form.

    `evidence` ends before the first event that has no form to go by; `is_whole` says that
    there was none.
    """

    header: JsonObject
    evidence: Evidence
    findings: tuple[Finding, ...]
    is_whole: bool


def export_of(ledger: Ledger, viewer: Viewer) -> bytes:
    """Returns a whole log as a viewer may see it now, in JSON lines."""
    header = {
        "format": FORMAT,
        "game_id": ledger.game_id,
        "viewer": str(viewer),
        "version": ledger.game.version,
        "log_head": ledger.head,
    }
    lines = [header, *ledger.served(viewer, 0)]
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)


def text_of(ledger: Ledger, viewer: Viewer) -> str:
    """Returns a whole game as text (`docs/ptn.md`), as a viewer may retell it now.

    Raises DamagedLog.
    """
    try:
        return write(transcript_of(ledger.game_id, ledger.served(viewer, 0)))
    except DamagedTranscript as damage:
        raise DamagedLog(damage.detail) from damage


def read_exports(data: bytes) -> Iterator[Export]:
    """Yields the exports in a file, one after another."""
    return map(_export, _parts(data))


def _parts(data: bytes) -> list[list[Any]]:
    """Cuts a file's lines at its headers; of a last line without an end nothing is kept."""
    parts: list[list[Any]] = []
    whole = data if data.endswith(b"\n") else data[: data.rfind(b"\n") + 1] + b"\n"
    for line in map(_line, whole.removesuffix(b"\n").split(b"\n")):
        if not parts or (isinstance(line, dict) and "format" in line):
            parts.append([])
        parts[-1].append(line)
    return parts


def _line(text: bytes) -> Any:
    try:
        return read_json(text)
    except ValueError:
        return None


def _export(lines: list[Any]) -> Export:
    header, events = lines[0], lines[1:]
    if fault := _header_fault(header):
        game = Evidence("", ())
        return Export({}, game, (Finding(Check.FORMAT, fault),), is_whole=False)
    findings, sound = sound_events(events)
    evidence = of_served(header["game_id"], events[:sound], header["viewer"])
    is_whole = sound == len(events) and sound > 0
    findings += misplaced_events(evidence)
    if is_whole or not events:
        findings += _unlike_header(header, evidence)
    return Export(header, evidence, tuple(findings), is_whole)


def _header_fault(header: Any) -> str | None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        return "there is no header of an export"
    if header.keys() != HEADER_KEYS:
        return "the header does not have exactly its keys"
    if not is_uuid(header["game_id"]):
        return "the header's game_id is no game's id"
    if not is_text(header["viewer"]) or header["viewer"] not in VIEWERS:
        return "the header's viewer is not known"
    if not is_size(header["version"]) or not is_digest(header["log_head"]):
        return "the header's version or log_head is not of the form it must have"
    return None


def _unlike_header(header: JsonObject, evidence: Evidence) -> Iterable[Finding]:
    if not evidence.exhibits:
        return [Finding(Check.FORMAT, "there are no events")]
    last, created = evidence.exhibits[-1], evidence.events[0]
    if (header["version"], header["log_head"]) != (last.version, last.hash):
        return [Finding(Check.FORMAT, "the header does not name the last event", last.version)]
    seats = created.chairs if isinstance(created, GameCreated) else Seat
    if header["viewer"] in list(Seat) and header["viewer"] not in seats:
        return [Finding(Check.FORMAT, "the header's viewer has no seat in this game")]
    return []
