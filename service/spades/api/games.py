"""Games over HTTP: create, list, look, act, follow, claim."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import Response, request

from spades.api.answers import (
    PRIVATE,
    SECRET,
    etag_of,
    game_path,
    is_known,
    json_answer,
    whole_view,
    with_links,
)
from spades.api.bodies import CLAIM, GAME_WANTED, action_body
from spades.api.callers import acting_seat, checked_id, looking, platform_of, seat_of
from spades.api.contract import (
    ACT,
    AFTER,
    CLAIM_SEAT,
    CREATE_GAME,
    CURSOR,
    GAME,
    HAND,
    KEY_HEADER,
    LIMIT,
    LIST_EVENTS,
    LIST_GAMES,
    MOST_HANDS,
    PAGE,
    READ_GAME,
    READ_HAND,
    RULESET,
    SEAT,
    STATUS,
    UPDATED_AFTER,
)
from spades.api.openings import once_of, opening_of, profile_of
from spades.api.operations import Operations
from spades.api.parameters import whole_in_path
from spades.api.reading import json_object, loaded
from spades.api.service import Service, service
from spades.api.tokens import Anonymous, Caller, PlatformCaller, SeatCaller, ViewerCaller
from spades.audit.log import timestamp
from spades.errors import (
    InvalidCursor,
    InvalidParameter,
    JoinCodeInvalid,
    ScopeMissing,
    SeatTaken,
    SpadesError,
    TokenMissing,
    VersionConflict,
)
from spades.game.audience import SPECTATOR, Viewer, seated
from spades.game.commands import PlayerKind, action_of
from spades.game.seats import Seat
from spades.store import GameFilter, GameSummary
from spades.tables import Acted, Opening, Table

REPLAYED = {"Idempotent-Replayed": "true"}

games = Operations("games", "Games: create them, look at them, act in them, follow them.")


@games.operation("POST", "/v1/games", CREATE_GAME)
def create_game() -> Response:
    """Creates a game."""
    here = service()
    owner = _owner(here, here.caller())
    key = _idempotency_key(owner)
    body = json_object()
    opening = opening_of(loaded(GAME_WANTED, body), owner, once_of(key, body))
    opened = here.tables.create(opening)
    table, viewer = opened.table, _first_viewer(opening)
    headers = {
        "Location": game_path(table.ledger.game_id),
        "ETag": etag_of(table, viewer),
        **SECRET,
        **(REPLAYED if opened.replayed else {}),
    }
    return json_answer(_seats_given(here, table, opening, viewer), 201, headers)


@games.operation("GET", "/v1/games", LIST_GAMES)
def list_games() -> Response:
    """Lists a platform's games."""
    here = service()
    owner = platform_of(here.caller())
    before, limit = _before(CURSOR.value()), PAGE.value()
    wanted = GameFilter(STATUS.value(), RULESET.value(), UPDATED_AFTER.value())
    found = here.store.games(owner, wanted, before, limit + 1)
    items = [_summary(game) for game in found[:limit]]
    after = _cursor(found[limit - 1].game_id) if len(found) > limit else None
    return json_answer({"items": items, "next": _next_games(after)}, headers=PRIVATE)


@games.operation("GET", "/v1/games/<game_id>", READ_GAME, GAME)
def read_game(game_id: str) -> Response:
    """Shows a game."""
    here = service()
    caller = here.caller()
    table = here.tables.table(checked_id(game_id))
    with looking(here, caller, table) as viewer:
        etag = etag_of(table, viewer)
        headers = {"ETag": etag, **PRIVATE}
        if is_known(etag):
            return Response(status=304, headers=headers)
        return json_answer(whole_view(table, viewer), headers=headers)


@games.operation("POST", "/v1/games/<game_id>/actions", ACT, GAME)
def act(game_id: str) -> Response:
    """Acts for a seat."""
    here = service()
    caller = acting_seat(here.caller(), game_id)
    body = action_body()
    action = action_of(body, caller.seat)
    try:
        acted = here.tables.act(game_id, action, body["expected_version"], caller.generation)
    except VersionConflict as conflict:
        conflict.facts["view"] = with_links(conflict.facts["view"])
        raise
    return _acted(acted, seated(caller.seat))


def _acted(acted: Acted, viewer: Viewer) -> Response:
    body = {
        "accepted": {"version": acted.version, "replayed": acted.replayed},
        "events": acted.events,
        "view": whole_view(acted.table, viewer),
    }
    headers = {"ETag": etag_of(acted.table, viewer), **PRIVATE}
    return json_answer(body, headers=headers | REPLAYED if acted.replayed else headers)


@games.operation("GET", "/v1/games/<game_id>/events", LIST_EVENTS, GAME)
def list_events(game_id: str) -> Response:
    """Serves a page of a game's log."""
    here = service()
    caller, after, limit = here.caller(), AFTER.value(), LIMIT.value()
    table = here.tables.back_to(checked_id(game_id), after)
    with looking(here, caller, table) as viewer:
        items = table.ledger.served(viewer, after, limit)
    last, reached = table.game.version, after + len(items)
    more = f"{game_path(game_id)}/events?after={reached}&limit={limit}"
    body = {"items": items, "last_version": last, "next": more if reached < last else None}
    return json_answer(body, headers=PRIVATE)


@games.operation("GET", "/v1/games/<game_id>/hands/<number>", READ_HAND, GAME, HAND)
def read_hand(game_id: str, number: str) -> Response:
    """Serves the record of one hand."""
    here = service()
    caller, hand = here.caller(), whole_in_path("number", number, 1, MOST_HANDS)
    with looking(here, caller, here.tables.table(checked_id(game_id))) as viewer:
        return json_answer(here.tables.hand(game_id, viewer, hand), headers=PRIVATE)


@games.operation("POST", "/v1/games/<game_id>/seats/<seat>/claim", CLAIM_SEAT, GAME, SEAT)
def claim_seat(game_id: str, seat: str) -> Response:
    """Takes an open seat."""
    here = service()
    table = here.tables.table(checked_id(game_id))
    chair = seat_of(table, seat)
    wanted = loaded(CLAIM, json_object())
    if not here.tokens.opens(wanted["join_code"], game_id, chair):
        raise _not_opened(table, chair)
    table = here.tables.claim(game_id, chair, profile_of(wanted), wanted.get("client_seed"))
    token = here.tokens.seat_token(game_id, chair)
    body = {"token": token, "game": whole_view(table, seated(chair))}
    return json_answer(body, headers={"ETag": etag_of(table, seated(chair)), **SECRET})


def _not_opened(table: Table, seat: Seat) -> SpadesError:
    """Returns what is wrong with a claim whose code is not the seat's."""
    is_open = table.game.players[seat].kind is PlayerKind.OPEN
    return JoinCodeInvalid() if is_open else SeatTaken()


def _owner(here: Service, caller: Caller) -> str | None:
    match caller:
        case PlatformCaller(name=owner):
            return owner
        case SeatCaller() | ViewerCaller():
            raise ScopeMissing("Only the key of a platform creates games.")
        case Anonymous():
            if not here.settings.open_create:
                raise TokenMissing("Creating a game needs a platform key here.")
            return None


def _idempotency_key(owner: str | None) -> str | None:
    key = request.headers.get(KEY_HEADER)
    if key is None:
        return None
    if owner is None:
        raise InvalidParameter("Only a platform key makes it safe.", parameter=KEY_HEADER)
    if not re.fullmatch(r"[!-~]{1,255}", key):
        raise InvalidParameter("Must be 1 to 255 visible ASCII characters.", parameter=KEY_HEADER)
    return key


def _first_viewer(opening: Opening) -> Viewer:
    """Returns who sees the answer to a creation: the one who can act next, if there is one."""
    kinds = {seat: chair.kind for seat, chair in opening.order.chairs.items()}
    humans = [seat for seat, kind in kinds.items() if kind is PlayerKind.HUMAN]
    if len(humans) == 1 and PlayerKind.OPEN not in kinds.values():
        return seated(humans[0])
    return SPECTATOR


def _seats_given(here: Service, table: Table, opening: Opening, viewer: Viewer) -> dict[str, Any]:
    chairs, game_id = opening.order.chairs, table.ledger.game_id
    players = table.game.players
    return {
        "game": whole_view(table, viewer),
        "tokens": {
            seat.value: here.tokens.seat_token(game_id, seat, players[seat].generation)
            for seat, chair in chairs.items()
            if chair.kind is PlayerKind.HUMAN
        },
        "join_codes": {
            seat.value: here.tokens.join_code(game_id, seat)
            for seat, chair in chairs.items()
            if chair.kind is PlayerKind.OPEN
        },
    }


def _cursor(game_id: str) -> str:
    return urlsafe_b64encode(UUID(game_id).bytes).decode().rstrip("=")


def _before(cursor: str | None) -> str | None:
    """Returns the game that a page ended with; raises InvalidCursor."""
    if cursor is None:
        return None
    if not re.fullmatch(r"[A-Za-z0-9_-]{21}[AQgw]", cursor):
        raise InvalidCursor()
    return str(UUID(bytes=urlsafe_b64decode(cursor + "==")))


def _next_games(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return f"/v1/games?{urlencode({**request.args, 'cursor': cursor})}"


def _summary(game: GameSummary) -> dict[str, Any]:
    return {
        "id": game.game_id,
        "ruleset": game.ruleset,
        "status": game.status,
        "version": game.version,
        "created_at": timestamp(game.created_at),
        "updated_at": timestamp(game.updated_at),
        "seats": {seat: asdict(profile) for seat, profile in game.profiles.items()},
        "metadata": game.metadata,
        "links": {"self": game_path(game.game_id)},
    }
