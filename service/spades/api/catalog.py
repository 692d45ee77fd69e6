"""What the service offers: rulesets, bots, error codes, and who the caller is."""

from typing import Any

from flask import Response

from spades.api.answers import PRIVATE, json_answer
from spades.api.callers import check_current
from spades.api.contract import CODE, LIST_BOTS, LIST_RULESETS, READ_ERROR, READ_ME, READ_RULESET
from spades.api.contract import NAME as RULESET_NAME
from spades.api.errors import BY_CODE, RouteNotFound
from spades.api.openings import default_kind
from spades.api.operations import Operations
from spades.api.service import service
from spades.api.tokens import Caller, PlatformCaller, SeatCaller, ViewerCaller
from spades.bots import LEVELS, Level
from spades.errors import RulesetNotFound
from spades.game.rulesets import (
    OPTION_KINDS,
    OPTION_MEANINGS,
    RULESETS,
    Choice,
    OptionKind,
    Ruleset,
    WholeNumber,
)
from spades.game.seats import sides_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"

catalog = Operations("catalog", "What there is: rulesets, bots, error codes, and the caller.")


@catalog.operation("GET", "/v1/rulesets", LIST_RULESETS)
def list_rulesets() -> Response:
    """Serves all rulesets."""
    return json_answer({"items": [_ruleset(ruleset) for ruleset in RULESETS.values()]})


@catalog.operation("GET", "/v1/rulesets/<name>", READ_RULESET, RULESET_NAME)
def read_ruleset(name: str) -> Response:
    """Serves one ruleset."""
    if name not in RULESETS:
        raise RulesetNotFound()
    return json_answer(_ruleset(RULESETS[name]))


@catalog.operation("GET", "/v1/bots", LIST_BOTS)
def list_bots() -> Response:
    """Serves the levels of bots."""
    return json_answer({"items": [_level(level) for level in LEVELS]})


@catalog.operation("GET", "/v1/me", READ_ME)
def read_me() -> Response:
    """Serves what the caller's token is."""
    here = service()
    caller = here.caller()
    check_current(here, caller)
    return json_answer(_me(caller, here.settings.open_create), headers=PRIVATE)


@catalog.operation("GET", "/v1/errors/<code>", READ_ERROR, CODE)
def read_error(code: str) -> Response:
    """Serves what an error code means."""
    row = BY_CODE.get(code)
    if row is None:
        raise RouteNotFound("There is no such error code.")
    return json_answer(
        {
            "code": row.code,
            "status": row.status,
            "title": row.error.title,
            "when": row.when,
            "remedy": row.remedy,
            "retryable": row.retryable,
        }
    )


def options_schema(ruleset: Ruleset) -> dict[str, Any]:
    """Returns the JSON Schema of the options that a creation may give for a ruleset."""
    defaults = ruleset.options.as_json()
    return {
        "$schema": DIALECT,
        "title": f"Options of {ruleset.name}",
        "type": "object",
        "properties": {
            name: {
                **_kind(kind),
                "default": defaults[name],
                "description": OPTION_MEANINGS[name],
            }
            for name, kind in OPTION_KINDS.items()
        },
        "additionalProperties": False,
    }


def _kind(kind: OptionKind) -> dict[str, Any]:
    if isinstance(kind, WholeNumber):
        types = ["integer", "null"] if kind.nullable else "integer"
        return {"type": types, "minimum": kind.least, "maximum": kind.most}
    if isinstance(kind, Choice):
        return {"type": "string", "enum": [word.value for word in kind.words]}
    return {"type": "boolean"}


def _ruleset(ruleset: Ruleset) -> dict[str, Any]:
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "seats": [seat.value for seat in ruleset.seats],
        "sides": [side.value for side in sides_of(ruleset.seats)],
        "default_seats": {seat.value: default_kind(ruleset, seat) for seat in ruleset.seats},
        "defaults": ruleset.options.as_json(),
        "options_schema": options_schema(ruleset),
        "links": {"self": f"/v1/rulesets/{ruleset.name}"},
    }


def _level(level: Level) -> dict[str, Any]:
    return {
        "id": level.id,
        "version": level.policy.version,
        "rulesets": list(level.rulesets),
        "deterministic": level.deterministic,
        "typical_ms": level.typical_ms,
        "summary": level.summary,
    }


def _me(caller: Caller, open_create: bool) -> dict[str, Any]:
    unknown = {"name": None, "game": None, "seat": None}
    match caller:
        case PlatformCaller(name=name):
            return {"kind": "platform", **unknown, "name": name, "may_create_games": True}
        case SeatCaller(game_id=game_id, seat=seat):
            place = {"game": game_id, "seat": seat}
            return {"kind": "seat", **unknown, **place, "may_create_games": False}
        case ViewerCaller(ticket=ticket):
            told = {"kind": str(ticket.viewer), **unknown, "game": ticket.game_id}
            return {**told, "may_create_games": False}
        case _:
            return {"kind": "anonymous", **unknown, "may_create_games": open_create}
