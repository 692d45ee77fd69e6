"""From the body of a creation to the game that it orders."""

from hashlib import sha256
from typing import Any

import orjson

from spades.api.faults import Fault
from spades.errors import ValidationFailed
from spades.game.commands import Chair, CreateGame, PlayerKind, Spectators
from spades.game.rulesets import RULESETS, Ruleset, resolve_options
from spades.game.seats import Seat
from spades.store import Once, Profile
from spades.tables import Opening

DEFAULT_LEVEL = "novice"


def opening_of(body: dict[str, Any], owner: str | None, once: Once | None) -> Opening:
    """Returns the game that a well-formed body orders.

    Raises ValidationFailed where the seats do not fit the ruleset.
    """
    ruleset = RULESETS[body["ruleset"]]
    seats = body.get("seats", {})
    if faults := [*_seat_faults(ruleset, seats), *_dealer_faults(ruleset, body.get("dealer"))]:
        raise ValidationFailed(errors=faults)
    order = CreateGame(
        ruleset=ruleset,
        options=resolve_options(ruleset, body.get("options", {})),
        chairs={seat: _chair(ruleset, seat, seats.get(seat.value, {})) for seat in ruleset.seats},
        spectators=Spectators(body.get("spectators", Spectators.PUBLIC)),
        dealer=Seat(body["dealer"]) if body.get("dealer") else None,
    )
    profiles = {seat: profile_of(wanted) for seat, wanted in seats.items()}
    return Opening(order, owner, profiles, body.get("metadata", {}), once)


def once_of(key: str | None, body: dict[str, Any]) -> Once | None:
    """Returns the platform's Idempotency-Key with the hash of its body."""
    if key is None:
        return None
    canonical = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    return Once(key, sha256(canonical).hexdigest())


def profile_of(wanted: dict[str, Any]) -> Profile:
    """Returns whom a body says to be in a seat."""
    return Profile(wanted.get("name"), wanted.get("player_ref"))


def default_kind(ruleset: Ruleset, seat: Seat) -> PlayerKind:
    """Returns who sits in a seat of which the creation says nothing."""
    return PlayerKind.BOT if seat in ruleset.bots else PlayerKind.HUMAN


def _chair(ruleset: Ruleset, seat: Seat, wanted: dict[str, Any]) -> Chair:
    kind = PlayerKind(wanted.get("kind", default_kind(ruleset, seat)))
    is_bot = kind is PlayerKind.BOT
    return Chair(kind, wanted.get("level", DEFAULT_LEVEL) if is_bot else None)


def _seat_faults(ruleset: Ruleset, seats: dict[str, Any]) -> list[Fault]:
    faults = []
    for name, wanted in seats.items():
        if name not in ruleset.seats:
            faults.append({"pointer": f"/seats/{name}", **_no_such_seat(ruleset)})
        elif "level" in wanted and _chair(ruleset, Seat(name), wanted).level is None:
            told = {"code": "invalid", "detail": "Only a bot has a level."}
            faults.append({"pointer": f"/seats/{name}/level", **told})
    return faults


def _dealer_faults(ruleset: Ruleset, dealer: str | None) -> list[Fault]:
    if dealer is None or dealer in ruleset.seats:
        return []
    return [{"pointer": "/dealer", **_no_such_seat(ruleset)}]


def _no_such_seat(ruleset: Ruleset) -> Fault:
    seats = [seat.value for seat in ruleset.seats]
    detail = f"{ruleset.name} has the seats {', '.join(seats)}."
    return {"code": "invalid_choice", "detail": detail, "choices": seats}
