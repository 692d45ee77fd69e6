"""Who gets into a game: tokens to look, new tokens for seats, and the log of who has read."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from flask import Response

from spades.api.answers import PRIVATE, SECRET, game_path, json_answer
from spades.api.audit_contract import (
    ISSUE_TOKEN,
    READ_ACCESS_LOG,
    READINGS,
    REISSUE_TOKEN,
)
from spades.api.bodies import TOKEN_WANTED
from spades.api.callers import own_table, seat_of
from spades.api.contract import CURSOR, GAME, SEAT
from spades.api.operations import Operations
from spades.api.parameters import moment_of
from spades.api.reading import json_object, loaded
from spades.api.service import Service, service
from spades.api.tokens import FOREVER, Ticket, milliseconds
from spades.audit.log import timestamp
from spades.audit.values import is_uuid
from spades.errors import InvalidCursor, ValidationFailed
from spades.game.audience import Viewer, ViewerKind
from spades.game.position import FIRST_GENERATION
from spades.store import Reading

access = Operations("access", "Tokens to look, new tokens for seats, and who has read what.")


@access.operation("POST", "/v1/games/<game_id>/tokens", ISSUE_TOKEN, GAME)
def issue_token(game_id: str) -> Response:
    """Issues a viewer's token."""
    here = service()
    table = own_table(here, game_id)
    wanted = loaded(TOKEN_WANTED, json_object())
    kind = wanted["kind"]
    generation = table.generations.get(kind, FIRST_GENERATION)
    expires = _expiry(here, wanted.get("expires_at"))
    if wanted.get("revoke_earlier"):
        generation = here.store.next_generation(game_id, kind)
    ticket = Ticket(
        game_id=game_id,
        viewer=Viewer(ViewerKind(kind)),
        generation=generation,
        expires_ms=milliseconds(expires) if expires else None,
        id=here.new_id(),
    )
    body = {
        "token": here.tokens.viewer_token(ticket),
        "id": ticket.id,
        "kind": kind,
        "generation": generation,
        "expires_at": timestamp(expires) if expires else None,
    }
    return json_answer(body, 201, SECRET)


@access.operation("POST", "/v1/games/<game_id>/seats/<seat>/token", REISSUE_TOKEN, GAME, SEAT)
def reissue_seat_token(game_id: str, seat: str) -> Response:
    """Gives a seat its next token."""
    here = service()
    chair = seat_of(own_table(here, game_id), seat)
    game = here.tables.reissue_token(game_id, chair).game
    generation = game.players[chair].generation
    token = here.tokens.seat_token(game_id, chair, generation)
    body = {"token": token, "generation": generation, "version": game.version}
    return json_answer(body, headers=SECRET)


@access.operation("GET", "/v1/games/<game_id>/access-log", READ_ACCESS_LOG, GAME)
def read_access_log(game_id: str) -> Response:
    """Lists who has read a game."""
    here = service()
    own_table(here, game_id)
    before, limit = _reading_before(CURSOR.value()), READINGS.value()
    found = here.store.readings(game_id, before, limit + 1)
    shown = found[:limit]
    more = f"{game_path(game_id)}/access-log?" + urlencode(
        {"limit": limit, "cursor": shown[-1].id if shown else ""}
    )
    body = {
        "items": [_reading(reading) for reading in shown],
        "next": more if len(found) > limit else None,
    }
    return json_answer(body, headers=PRIVATE)


def _expiry(here: Service, text: str | None) -> datetime | None:
    if text is None:
        return None
    expires = moment_of(text)
    if not here.now() < expires <= FOREVER:
        told = {"code": "out_of_range", "detail": "Must lie in the future, before the year 2200."}
        raise ValidationFailed(errors=[{"pointer": "/expires_at", **told}])
    return expires


def _reading_before(cursor: str | None) -> str | None:
    if cursor is not None and not is_uuid(cursor):
        raise InvalidCursor()
    return cursor


def _reading(reading: Reading) -> dict[str, Any]:
    return {
        "at": timestamp(reading.at),
        "token_id": reading.token_id,
        "kind": reading.kind,
        "operation": reading.operation,
        "version": reading.version,
    }
