"""Results: what a finished game came to, in the form in which it is signed.

The format is `spades-result/1` of `docs/exports.md`.
"""

from collections.abc import Mapping
from hashlib import sha256

from spades.audit.evidence import Evidence
from spades.audit.log import JsonObject, canonical
from spades.game.commands import PlayerKind
from spades.game.events import GameAborted, GameCreated, GameFinished, SeatTaken

FORMAT = "spades-result/1"
TYP = "spades-result+json"
OUTCOME = ("winner", "reason", "points", "bags", "hands")


def result_of(
    evidence: Evidence,
    *,
    id: str,  # noqa: A002 - the member's name
    supersedes: str | None,
    issued_at: str,
    refs: Mapping[str, str | None],
) -> JsonObject | None:
    """Returns the payload of a game's result, None if the game is not over.

    `refs` are the platform's references by seat.
    """
    facts = facts_of(evidence)
    if facts is None:
        return None
    seats = {seat: {**who, "player_ref": refs.get(seat)} for seat, who in facts["seats"].items()}
    issue = {"id": id, "supersedes": supersedes, "issued_at": issued_at}
    return {"format": FORMAT, **issue, **facts, "seats": seats}


def hash_of_options(options: JsonObject) -> str:
    """Returns the hash that stands for resolved options."""
    return sha256(canonical(options)).hexdigest()


def facts_of(evidence: Evidence) -> JsonObject | None:
    """Returns what of a result follows from the log, None if the game is not over."""
    created, ended = evidence.events[0], evidence.events[-1]
    if not isinstance(created, GameCreated) or not isinstance(ended, GameFinished):
        return None
    options, last = created.options.as_json(), evidence.exhibits[-1]
    return {
        "game_id": evidence.game_id,
        "ruleset": created.ruleset,
        "options": options,
        "options_hash": hash_of_options(options),
        "status": "aborted" if isinstance(ended, GameAborted) else "finished",
        **{name: last.public["data"][name] for name in OUTCOME},
        "seats": _seats(evidence, created),
        "finished_at": last.public["at"],
        "version": last.version,
        "log_head": last.hash,
    }


def said_of_log(result: JsonObject) -> JsonObject:
    """Returns what a result says that must follow from the log: no issue, no references."""
    seats = {
        seat: {"kind": who["kind"], "level": who["level"]} for seat, who in result["seats"].items()
    }
    beside = ("format", "id", "supersedes", "issued_at")
    return {**{name: said for name, said in result.items() if name not in beside}, "seats": seats}


def _seats(evidence: Evidence, created: GameCreated) -> JsonObject:
    claimed = {event.seat for event in evidence.events if isinstance(event, SeatTaken)}
    return {
        seat.value: {
            "kind": (PlayerKind.HUMAN if seat in claimed else chair.kind).value,
            "level": chair.level,
        }
        for seat, chair in created.chairs.items()
    }
