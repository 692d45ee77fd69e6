"""The shapes of what is sent to the service."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import orjson
from marshmallow import Schema

from spades.api.faults import (
    MISSING,
    AnyObject,
    CardName,
    Flag,
    Length,
    Many,
    Part,
    Request,
    Text,
    Whole,
    Word,
    choice_fault,
    has_controls,
    invalid,
    out_of_range,
    printable,
)
from spades.api.parameters import moment_of
from spades.api.reading import json_object, loaded
from spades.api.tokens import VIEWER_KINDS
from spades.audit.values import SAFE_INTEGER
from spades.bots import LEVELS
from spades.errors import PreconditionRequired, ValidationFailed
from spades.game.commands import PlayerKind, Spectators
from spades.game.dealing import CLIENT_SEED_BYTES
from spades.game.rulesets import (
    OPTION_KINDS,
    OPTION_MEANINGS,
    RULESETS,
    Choice,
    OptionKind,
    WholeNumber,
)
from spades.game.seats import Seat

LONGEST_NAME = 64
LONGEST_REFERENCE = 128
LONGEST_CODE = 32
METADATA_BYTES = 4096
METADATA_DEPTH = 8
MOST_CARDS = 13
VIEWERS = tuple(str(viewer) for viewer in VIEWER_KINDS.values())


def says(description: str, **more: Any) -> dict[str, Any]:
    """Returns the metadata of a documented field."""
    return {"metadata": {"description": description, **more}}


def _option(name: str, kind: OptionKind) -> Whole | Word | Flag:
    told = says(OPTION_MEANINGS[name])
    if isinstance(kind, WholeNumber):
        return Whole(kind.least, kind.most, allow_none=kind.nullable, **told)
    return Word(kind.words, **told) if isinstance(kind, Choice) else Flag(**told)


OptionsWanted = Request.from_dict(
    {name: _option(name, kind) for name, kind in OPTION_KINDS.items()}, name="OptionsWanted"
)


def _printable(most: int) -> list[Callable[[str], Any]]:
    return [Length(1, most, "characters"), printable]


def _name() -> Text:
    return Text(validate=_printable(LONGEST_NAME), **says("A name to show."))


def _player_ref() -> Text:
    told = says(
        "The platform's own reference. It stands in the game's signed result, for all to read who"
        " may look at the game; else it is shown to the platform alone."
    )
    return Text(validate=_printable(LONGEST_REFERENCE), **told)


class SeatWanted(Request):
    """How one seat of a new game is filled."""

    kind = Word(
        PlayerKind,
        **says("A person with a token, a bot, or open to be claimed. Default: the ruleset's."),
    )
    level = Word([level.id for level in LEVELS], **says("The level of a bot, from `GET /v1/bots`."))
    name = _name()
    player_ref = _player_ref()


SeatsWanted = Request.from_dict({seat.value: Part(SeatWanted) for seat in Seat}, name="SeatsWanted")


def _metadata(value: Mapping[str, Any]) -> None:
    _check_stored(value, METADATA_DEPTH)
    if len(orjson.dumps(value)) > METADATA_BYTES:
        raise out_of_range(0, METADATA_BYTES, f"Must have at most {METADATA_BYTES} bytes.")


def _check_stored(value: Any, depth: int) -> None:
    """Refuses what the database could not give back as it was."""
    if depth < 0:
        raise invalid(f"Must not nest more than {METADATA_DEPTH} deep.")
    if isinstance(value, str) and "\0" in value:
        raise invalid("Must not hold U+0000.")
    if isinstance(value, int) and abs(value) > SAFE_INTEGER:
        raise out_of_range(-SAFE_INTEGER, SAFE_INTEGER)
    if isinstance(value, float) and not isfinite(value):
        raise invalid("Must hold no number beyond a double's range.")
    for inner in _inside(value):
        _check_stored(inner, depth - 1)


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


class GameWanted(Request):
    """A game to create. Only the ruleset is required."""

    ruleset = Word(RULESETS, required=True, **says("One of the three games."))
    options = Part(OptionsWanted, **says("What is to differ from the ruleset's defaults."))
    seats = Part(SeatsWanted, **says("Seats of which nothing is said take the default."))
    dealer = Word(
        Seat,
        allow_none=True,
        **says("Fixes the first dealer (two-player: who draws first); null: drawn by lot."),
    )
    spectators = Word(Spectators, **says("Whether anybody may watch. Default: public."))
    metadata = AnyObject(
        validate=_metadata,
        **says(f"Kept with the game for the platform, at most {METADATA_BYTES} bytes of JSON."),
    )


def _client_seed(value: str) -> None:
    if not 1 <= len(value.encode()) <= CLIENT_SEED_BYTES:
        detail = f"Must have 1 to {CLIENT_SEED_BYTES} bytes of UTF-8."
        raise out_of_range(1, CLIENT_SEED_BYTES, detail)
    if has_controls(value):
        raise invalid("Must not hold control characters.")


class Claim(Request):
    """Takes an open seat."""

    join_code = Text(
        required=True,
        validate=Length(1, LONGEST_CODE, "characters"),
        **says("The seat's join code; upper or lower case."),
    )
    name = _name()
    player_ref = _player_ref()
    client_seed = Text(
        validate=_client_seed,
        **says(
            "Chance of the player's own for every shuffle: 1 to 64 bytes of UTF-8, used as they"
            " are, public for ever.",
            minLength=1,
            maxLength=CLIENT_SEED_BYTES,
        ),
    )


def _time(value: str) -> None:
    try:
        moment_of(value)
    except ValueError as error:
        raise invalid(str(error)) from None


class TokenWanted(Request):
    """A token to look at a game."""

    kind = Word(VIEWERS, required=True, **says("Whom the token makes its bearer."))
    expires_at = Text(
        allow_none=True,
        validate=_time,
        **says(
            "When it expires; null or absent: never.",
            format="date-time",
        ),
    )
    revoke_earlier = Flag(**says("Whether the earlier tokens of this kind end. Default: false."))


class PlayerWanted(Request):
    """What to note of a player."""

    name = Text(
        required=True,
        allow_none=True,
        validate=_printable(LONGEST_NAME),
        **says("A name to show; null: none."),
    )


class SeatedWanted(Request):
    """Who sits in a seat."""

    player_ref = Text(
        required=True,
        allow_none=True,
        validate=_printable(LONGEST_REFERENCE),
        **says("The platform's own reference; null: none."),
    )
    name = Text(
        allow_none=True,
        validate=_printable(LONGEST_NAME),
        **says("A name to show. Default: the name noted for this player, if there is one."),
    )


class ActionBody(Request):
    """What all actions say."""

    expected_version = Whole(
        1, SAFE_INTEGER, required=True, **says("The version of the view that was acted on.")
    )


def _type(word: str) -> Word:
    return Word([word], required=True)


class LookAction(ActionBody):
    """Looks at the cards instead of bidding Double Nil."""

    type = _type("look")


class BidDoubleNilAction(ActionBody):
    """Bids Double Nil before seeing a card."""

    type = _type("bid_double_nil")


class KeepAction(ActionBody):
    """Keeps the card shown in the draft."""

    type = _type("keep")


class RefuseAction(ActionBody):
    """Refuses the card shown in the draft and takes the next."""

    type = _type("refuse")


class BidAction(ActionBody):
    """Bids a number of tricks."""

    type = _type("bid")
    tricks = Whole(
        -SAFE_INTEGER,
        SAFE_INTEGER,
        required=True,
        **says("0 is Nil. What is legal is the rules' affair (`bid_out_of_range`)."),
    )


class ExchangeAction(ActionBody):
    """Gives cards to the partner, or throws them away for others."""

    type = _type("exchange")
    cards = Many(
        CardName(),
        required=True,
        validate=Length(0, MOST_CARDS, "cards"),
        **says("The cards, in any order."),
    )


class PlayAction(ActionBody):
    """Plays a card."""

    type = _type("play")
    card = CardName(required=True)


ACTIONS: dict[str, Schema] = {
    "look": LookAction(),
    "bid_double_nil": BidDoubleNilAction(),
    "keep": KeepAction(),
    "refuse": RefuseAction(),
    "bid": BidAction(),
    "exchange": ExchangeAction(),
    "play": PlayAction(),
}
GAME_WANTED = GameWanted()
CLAIM = Claim()
TOKEN_WANTED = TokenWanted()
PLAYER_WANTED = PlayerWanted()
SEATED_WANTED = SeatedWanted()


def action_body() -> dict[str, Any]:
    """Returns the action in the request's body; raises what its checks find."""
    body = json_object()
    kind = body.get("type")
    schema = ACTIONS.get(kind) if isinstance(kind, str) else None
    if schema is None:
        raise ValidationFailed(errors=[{"pointer": "/type", **_type_fault(body)}])
    if "expected_version" not in body:
        loaded(schema, {**body, "expected_version": 1})
        raise PreconditionRequired()
    action: dict[str, Any] = loaded(schema, body)
    return action


def _type_fault(body: Mapping[str, Any]) -> dict[str, Any]:
    if "type" not in body:
        return MISSING
    return choice_fault(ACTIONS)
