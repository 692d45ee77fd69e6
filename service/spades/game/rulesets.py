"""The three games as data, side by side, and the options a game may override.

The values are part 3 of `docs/rules.md`; rules ask them and never the ruleset's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from spades.errors import ValidationFailed
from spades.game.seats import FOUR, TWO, Seat, Seats


class FailedNil(StrEnum):
    """What the tricks of a failed Nil are worth (A-01)."""

    IGNORE = "ignore"
    BAGS = "bags"
    BID = "bid"


class LeadSpades(StrEnum):
    """When a spade may be led (C-07)."""

    BROKEN = "broken"
    ANYTIME = "anytime"


class Undo(StrEnum):
    """Whether a player may take back her last bid or card (V-10)."""

    OFF = "off"
    BOTS_ONLY = "bots_only"
    CONSENT = "consent"


@dataclass(frozen=True, slots=True)
class Options:
    """The resolved options of one game, recorded in its opening event."""

    target: int
    lose_at: int | None
    bag_limit: int | None
    bag_penalty: int
    nil: int | None
    double_nil: int | None
    double_nil_deficit: int
    exchange_cards: int
    failed_nil_tricks: FailedNil
    lead_spades: LeadSpades
    min_side_bid: int | None
    ten_for_200: bool
    max_hands: int
    undo: Undo

    def as_json(self) -> dict[str, Any]:
        """Returns the options by name, as the log and the views write them."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """An option that is a whole number in a range, or null where that is offered."""

    least: int
    most: int
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """An option that is one of a few words."""

    words: type[StrEnum]


@dataclass(frozen=True, slots=True)
class YesOrNo:
    """An option that is true or false."""


OptionKind = WholeNumber | Choice | YesOrNo

OPTION_KINDS: dict[str, OptionKind] = {
    "target": WholeNumber(1, 10000),
    "lose_at": WholeNumber(-10000, -1, nullable=True),
    "bag_limit": WholeNumber(1, 100, nullable=True),
    "bag_penalty": WholeNumber(0, 1000),
    "nil": WholeNumber(0, 1000, nullable=True),
    "double_nil": WholeNumber(0, 1000, nullable=True),
    "double_nil_deficit": WholeNumber(0, 1000),
    "exchange_cards": WholeNumber(0, 13),
    "failed_nil_tricks": Choice(FailedNil),
    "lead_spades": Choice(LeadSpades),
    "min_side_bid": WholeNumber(1, 13, nullable=True),
    "ten_for_200": YesOrNo(),
    "max_hands": WholeNumber(1, 1000),
    "undo": Choice(Undo),
}

OPTION_MEANINGS = {
    "target": "Points that win the game for the first side to reach them.",
    "lose_at": "A side at or below these points loses; null: no floor.",
    "bag_limit": "Bags that cost a penalty; null: bags score and are counted, but never cost.",
    "bag_penalty": "Points lost for every full bag limit.",
    "nil": "Bonus or penalty of a Nil; null: bids start at 1.",
    "double_nil": "Bonus or penalty of a Double Nil; null: it may not be bid.",
    "double_nil_deficit": "How far a side must be behind as the hand starts to bid Double Nil.",
    "exchange_cards": "Cards a Double Nil bidder replaces (at most, two players) or swaps with "
    "the partner (exactly, four players); 0: no exchange.",
    "failed_nil_tricks": "What the tricks of a failed Nil are: ignored, bags, or part of the bid.",
    "lead_spades": "Spades may be led once broken, or anytime.",
    "min_side_bid": "The least a side's number bids must add up to; null: no minimum.",
    "ten_for_200": "Whether a made contract of exactly 10 scores 200 instead of 100.",
    "max_hands": "The game ends after this many hands, the higher total winning.",
    "undo": "Whether a bid or card may be taken back: off, bots_only, consent.",
}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One of the games: its seats, how cards reach the hands, its options' defaults."""

    name: str
    title: str
    seats: Seats
    drafts: bool
    bots: Seats
    options: Options


TWO_PLAYER = Ruleset(
    name="two-player",
    title="Spades for two: a keep-or-refuse draft, Nil, Double Nil with replacements",
    seats=TWO,
    drafts=True,
    bots=(),
    options=Options(
        target=500,
        lose_at=None,
        bag_limit=10,
        bag_penalty=100,
        nil=100,
        double_nil=200,
        double_nil_deficit=0,
        exchange_cards=3,
        failed_nil_tricks=FailedNil.IGNORE,
        lead_spades=LeadSpades.BROKEN,
        min_side_bid=None,
        ten_for_200=False,
        max_hands=200,
        undo=Undo.OFF,
    ),
)

PARTNERSHIP = Ruleset(
    name="partnership",
    title="Spades for two partnerships: Nil, Double Nil with a swap between partners",
    seats=FOUR,
    drafts=False,
    bots=(),
    options=replace(TWO_PLAYER.options, failed_nil_tricks=FailedNil.BAGS),
)

PAIRS = Ruleset(
    name="pairs",
    title="Spades in pairs against the computer: Nil, no Double Nil, a floor at -200",
    seats=FOUR,
    drafts=False,
    bots=(Seat.E, Seat.S, Seat.W),
    options=replace(
        PARTNERSHIP.options,
        lose_at=-200,
        double_nil=None,
        exchange_cards=0,
        undo=Undo.BOTS_ONLY,
    ),
)

RULESETS = {ruleset.name: ruleset for ruleset in (TWO_PLAYER, PARTNERSHIP, PAIRS)}


def resolve_options(ruleset: Ruleset, wanted: Mapping[str, Any]) -> Options:
    """Returns the ruleset's options with those wanted put over the defaults.

    Raises ValidationFailed, its `errors` naming each bad option by JSON pointer.
    """
    faults = [fault for name, value in wanted.items() if (fault := _fault(name, value))]
    if faults:
        raise ValidationFailed("The options are not valid.", errors=faults)
    return replace(ruleset.options, **{name: _typed(name, value) for name, value in wanted.items()})


def options_of(recorded: Mapping[str, Any]) -> Options:
    """Returns the options that an opening event recorded."""
    return Options(**{f.name: _typed(f.name, recorded[f.name]) for f in fields(Options)})


def _typed(name: str, value: Any) -> Any:
    kind = OPTION_KINDS[name]
    return kind.words(value) if isinstance(kind, Choice) else value


def _fault(name: str, value: object) -> dict[str, Any] | None:
    pointer = f"/options/{name.replace('~', '~0').replace('/', '~1')}"
    kind = OPTION_KINDS.get(name)
    if kind is None:
        return {"pointer": pointer, "code": "unknown_field", "detail": "There is no such option."}
    fault = _kind_fault(kind, value)
    return {"pointer": pointer, **fault} if fault else None


def _kind_fault(kind: OptionKind, value: object) -> dict[str, Any] | None:
    if isinstance(kind, WholeNumber):
        return _number_fault(kind, value)
    if isinstance(kind, Choice):
        return _choice_fault([word.value for word in kind.words], value)
    if isinstance(value, bool):
        return None
    return {"code": "invalid_type", "detail": "Must be true or false."}


def _number_fault(kind: WholeNumber, value: object) -> dict[str, Any] | None:
    if value is None and kind.nullable:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        return {"code": "invalid_type", "detail": "Must be a whole number."}
    if kind.least <= value <= kind.most:
        return None
    detail = f"Must be from {kind.least} to {kind.most}."
    return {"code": "out_of_range", "detail": detail, "min": kind.least, "max": kind.most}


def _choice_fault(words: list[str], value: object) -> dict[str, Any] | None:
    if isinstance(value, str) and value in words:
        return None
    return {"code": "invalid_choice", "detail": f"Must be one of {', '.join(words)}."}
