"""A platform's players over HTTP: their names, where they sit, and their erasure."""

from dataclasses import asdict

from flask import Response

from spades.api.answers import PRIVATE, json_answer
from spades.api.audit_contract import ERASE_PLAYER, PUT_PLAYER, READ_PLAYER, REF, SEAT_PLAYER
from spades.api.bodies import LONGEST_REFERENCE, PLAYER_WANTED, SEATED_WANTED
from spades.api.callers import own_table, platform_of, seat_of
from spades.api.contract import GAME, SEAT
from spades.api.faults import has_controls
from spades.api.openings import profile_of
from spades.api.operations import Operations
from spades.api.reading import json_object, loaded
from spades.api.service import Service, service
from spades.errors import InvalidParameter, PlayerNotFound

players = Operations("players", "Players' names, beside the logs so that they can be erased.")


@players.operation("PUT", "/v1/players/<path:ref>", PUT_PLAYER, REF)
def put_player(ref: str) -> Response:
    """Names a player."""
    here = service()
    owner = platform_of(here.caller())
    wanted = loaded(PLAYER_WANTED, json_object())
    here.store.put_player(owner, _checked(ref), wanted["name"], here.now())
    return _player(here, owner, ref)


@players.operation("GET", "/v1/players/<path:ref>", READ_PLAYER, REF)
def read_player(ref: str) -> Response:
    """Shows a player."""
    here = service()
    return _player(here, platform_of(here.caller()), _checked(ref))


@players.operation("DELETE", "/v1/players/<path:ref>", ERASE_PLAYER, REF)
def erase_player(ref: str) -> Response:
    """Erases a player."""
    here = service()
    owner = platform_of(here.caller())
    here.store.erase_player(owner, _checked(ref))
    answer = Response(status=204, headers=PRIVATE)
    del answer.headers["Content-Type"]
    return answer


@players.operation("PUT", "/v1/games/<game_id>/seats/<seat>/player", SEAT_PLAYER, GAME, SEAT)
def seat_player(game_id: str, seat: str) -> Response:
    """Says who sits in a seat."""
    here = service()
    table = own_table(here, game_id)
    chair = seat_of(table, seat)
    wanted = loaded(SEATED_WANTED, json_object())
    profile = here.store.seat_player(game_id, chair.value, profile_of(wanted))
    return json_answer(asdict(profile), headers=PRIVATE)


def _player(here: Service, owner: str, ref: str) -> Response:
    player = here.store.player(owner, ref)
    if player is None:
        raise PlayerNotFound()
    return json_answer(asdict(player), headers=PRIVATE)


def _checked(ref: str) -> str:
    if len(ref) > LONGEST_REFERENCE or has_controls(ref):
        detail = f"A reference has 1 to {LONGEST_REFERENCE} characters, none of them a control."
        raise InvalidParameter(detail, parameter="ref")
    return ref
