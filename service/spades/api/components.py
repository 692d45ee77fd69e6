"""The parts of the document that marshmallow has no words for: unions, events, problems."""

from collections.abc import Mapping
from typing import Any

from spades.api.bodies import ACTIONS
from spades.api.errors import ANSWERS
from spades.api.shapes import HEX, REASONS
from spades.game.cards import FRESH_DECK
from spades.game.commands import PlayerKind, Spectators
from spades.game.rulesets import RULESETS
from spades.game.seats import Seat, Side

JsonSchema = dict[str, Any]

SALTED = {"salt": ["value"], "value": ["salt"]}
ACTORS = ("seat", "bot", "game", "platform", "clock")


def ref(name: str) -> JsonSchema:
    """Returns a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(says: str, optional: Mapping[str, Any] | None = None, **required: Any) -> JsonSchema:
    return {
        "type": "object",
        "description": says,
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


def _leaf(says: str, value: JsonSchema) -> JsonSchema:
    return {
        "type": "object",
        "description": f"{says} Hidden: `salt` and `value` are there for those who may see it.",
        "properties": {"commit": DIGEST, "salt": DIGEST, "value": value},
        "required": ["commit"],
        "dependentRequired": SALTED,
    }


def _by(names: type[Seat] | type[Side], value: JsonSchema) -> JsonSchema:
    keys = {"enum": [name.value for name in names]}
    return {"type": "object", "propertyNames": keys, "additionalProperties": value}


def _list(items: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": items}


def _whole(least: int | None = None) -> JsonSchema:
    return {"type": "integer"} if least is None else {"type": "integer", "minimum": least}


def _word(*words: str) -> JsonSchema:
    return {"type": "string", "enum": list(words)}


def _or_null(schema: JsonSchema) -> JsonSchema:
    return {"anyOf": [schema, {"type": "null"}]}


DIGEST: JsonSchema = {"type": "string", "pattern": HEX}
FLAG: JsonSchema = {"type": "boolean"}
SEAT = _word(*Seat)
SIDE = _word(*Side)
CARD = ref("Card")
CARDS = _list(CARD)
BY_BOT = {
    "policy": {"type": "string", "description": "The policy that acted, if the actor is a bot."}
}

OUTCOME = {
    "winner": _or_null(SIDE),
    "points": _by(Side, _whole()),
    "bags": _by(Side, _whole(0)),
    "hands": _whole(0),
    "game_seed": DIGEST,
}

EVENT_DATA: dict[str, JsonSchema] = {
    "game_created": _object(
        "A game was opened.",
        ruleset=_word(*RULESETS),
        options=ref("Options"),
        seats=_by(
            Seat,
            _object("A seat.", kind=_word(*PlayerKind), level=_or_null({"type": "string"})),
        ),
        dealer=SEAT,
        dealer_fixed=FLAG,
        spectators=_word(*Spectators),
        algorithm={"type": "string"},
        game_commit=DIGEST,
    ),
    "seat_taken": _object(
        "Somebody claimed an open seat.",
        kind=_word(PlayerKind.HUMAN),
        client_seed=_or_null({"type": "string"}),
    ),
    "token_reissued": _object(
        "A seat got a new token; the earlier ones open nothing any more.",
        generation=_whole(2),
    ),
    "hand_started": _object(
        "A hand was dealt: `holdings` at a table of four, a `stock` at one of two.",
        {
            "holdings": _by(Seat, _leaf("The cards dealt to a seat.", CARDS)),
            "stock": _leaf("The face-down stock, top first.", CARDS),
        },
        number=_whole(1),
        dealer=SEAT,
        hand_commit=DIGEST,
    ),
    "cards_looked_at": _object("A seat looked at its cards.", BY_BOT),
    "double_nil_bid": _object("A seat bid Double Nil unseen.", BY_BOT),
    "card_kept": _object(
        "A drawer kept the card shown.",
        BY_BOT,
        turn=_whole(1),
        kept=_leaf("The card kept.", CARD),
        discarded=_leaf("The next card, which nobody saw.", CARD),
    ),
    "card_refused": _object(
        "A drawer refused the card shown and kept the next.",
        BY_BOT,
        turn=_whole(1),
        refused=_leaf("The card refused.", CARD),
        kept=_leaf("The card kept.", CARD),
    ),
    "bid_made": _object("A seat bid; 0 is Nil.", BY_BOT, tricks=_whole(0)),
    "cards_exchanged": _object(
        "A seat gave cards to its partner (`given`), or threw some and drew as many.",
        {
            "given": _leaf("The cards given.", CARDS),
            "count": _whole(0),
            "thrown": _leaf("The cards thrown.", CARDS),
            "drawn": _leaf("The cards drawn.", CARDS),
            **BY_BOT,
        },
    ),
    "card_played": _object("A seat played a card.", BY_BOT, card=CARD),
    "trick_taken": _object(
        "A trick was won by the event's seat.", number=_whole(1), leader=SEAT, cards=CARDS
    ),
    "hand_scored": _object(
        "A hand was scored; its seed opens all its leaves.",
        number=_whole(1),
        bids=_by(Seat, _whole(0)),
        double_nil=_list(SEAT),
        tricks=_by(Seat, _whole(0)),
        sides=_by(Side, ref("SideScore")),
        hand_seed=DIGEST,
    ),
    "game_finished": _object("The game ended.", reason=_word(*REASONS), **OUTCOME),
    "game_aborted": _object("The game was broken off.", reason={"type": "string"}, **OUTCOME),
}

SIDE_SCORE = _object(
    "The parts of a side's score for a hand, and its totals after it.",
    bid=_whole(0),
    tricks=_whole(0),
    tricks_for_bid=_whole(0),
    made=FLAG,
    contract_points=_whole(),
    bag_points=_whole(0),
    nil_points=_whole(),
    bag_penalty={"type": "integer", "maximum": 0},
    new_bags=_whole(0),
    bags=_whole(0),
    hand_points=_whole(),
    points=_whole(),
)

OPENING = _object(
    "A leaf of an earlier event that this event opens for the viewer.",
    version=_whole(1),
    pointer={"type": "string", "format": "json-pointer"},
    salt=DIGEST,
    value={},
)

EXCHANGE_OFFER = _object(
    "An exchange, offered as a choice; it is answered with an `ExchangeAction`.",
    type={"type": "string", "enum": ["exchange"]},
    choose=_object("What to choose.", **{"from": CARDS, "min": _whole(0), "max": _whole(0)}),
    expected_version=_whole(1),
)

FAULT = _object(
    "One fault of a body.",
    {
        "min": {"type": "integer", "description": "The least allowed."},
        "max": {"type": "integer", "description": "The greatest allowed."},
        "choices": {**_list({"type": "string"}), "description": "The words allowed."},
    },
    pointer={"type": "string", "format": "json-pointer", "description": "Where it is."},
    code=_word(
        "required", "unknown_field", "invalid_type", "out_of_range", "invalid_choice", "invalid"
    ),
    detail={"type": "string", "description": "What is wrong, for people."},
)

PROBLEM = _object(
    "What went wrong (RFC 9457). Clients switch on `code`. Members beyond the required ones are"
    " facts that belong to certain codes.",
    {
        "errors": {**_list(ref("Fault")), "description": "`validation_failed`: every fault."},
        "legal_actions": {
            **_list(ref("LegalAction")),
            "description": "What the seat may do now: a refused action carries it.",
        },
        "view": {**ref("GameView"), "description": "`version_conflict`: the game now."},
        "parameter": {"type": "string", "description": "The parameter or header at fault."},
        "min": {"type": "integer", "description": "The least allowed."},
        "max": {"type": "integer", "description": "The greatest allowed."},
        "led": {"type": "string", "description": "`must_follow_suit`: the suit led."},
        "phase": {"type": "string", "description": "`wrong_phase`: the present phase."},
        "seats": {**_list(SEAT), "description": "`not_your_turn`: the seats to act."},
    },
    type={"type": "string", "format": "uri-reference"},
    title={"type": "string"},
    status={"type": "integer"},
    code=_word(*(answer.code for answer in ANSWERS)),
    detail={"type": "string"},
    instance={"type": "string", "format": "uri-reference"},
    request_id={"type": "string"},
    retryable=FLAG,
)


def _event(kind: str) -> str:
    return "".join(part.capitalize() for part in kind.split("_")) + "Event"


def _event_schema(kind: str, data: JsonSchema) -> JsonSchema:
    return _object(
        data["description"],
        {
            "opens": {
                **_list(ref("Opening")),
                "description": "Leaves of earlier events that this one opens for the viewer.",
            }
        },
        version={**_whole(1), "description": "Its place in the game's log."},
        type={"type": "string", "enum": [kind]},
        schema={**_whole(1), "description": "The number of the shape of `data`."},
        at={"type": "string", "format": "date-time"},
        seat=_or_null(SEAT),
        actor=_word(*ACTORS),
        data={key: value for key, value in data.items() if key != "description"},
        hash={**DIGEST, "description": "The chain's hash after this event."},
    )


def _union(says: str, parts: Mapping[str, str]) -> JsonSchema:
    """Returns the union of components, told apart by their `type`."""
    mapping = {kind: ref(name)["$ref"] for kind, name in parts.items()}
    return {
        "description": says,
        "oneOf": [ref(name) for name in parts.values()],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }


def action_name(kind: str) -> str:
    """Returns the name of an action's component."""
    return type(ACTIONS[kind]).__name__


def _unions() -> dict[str, JsonSchema]:
    actions = {kind: action_name(kind) for kind in ACTIONS}
    offers = actions | {"exchange": "ExchangeOffer"}
    events = {kind: _event(kind) for kind in EVENT_DATA}
    return {
        "Action": _union("Something that a seat does.", actions),
        "LegalAction": _union("Something that the viewer may do now.", offers),
        "Event": _union("One event of a game's log, as the viewer may see it.", events),
    }


COMPONENTS: dict[str, JsonSchema] = {
    "Card": {
        "type": "string",
        "enum": [str(card) for card in FRESH_DECK],
        "description": "A card: rank, then suit.",
    },
    "SideScore": SIDE_SCORE,
    "Opening": OPENING,
    "ExchangeOffer": EXCHANGE_OFFER,
    "Fault": FAULT,
    "Problem": PROBLEM,
    **{_event(kind): _event_schema(kind, data) for kind, data in EVENT_DATA.items()},
    **_unions(),
}
