"""What can be asked of a game: orders, with whose seat and by which policy.

An action is the JSON body of an order: `{"type": "play", "card": "TD"}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from spades.game.cards import CARDS, Card, cards
from spades.game.rulesets import Options, Ruleset
from spades.game.seats import Seat


class PlayerKind(StrEnum):
    """Who sits in a seat; an open seat waits for somebody to claim it."""

    HUMAN = "human"
    BOT = "bot"
    OPEN = "open"


class Spectators(StrEnum):
    """Whether anyone may watch a game without a token."""

    PUBLIC = "public"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Chair:
    """How one seat is filled as the game is created; `level` is a bot's."""

    kind: PlayerKind
    level: str | None = None


@dataclass(frozen=True, slots=True)
class CreateGame:
    """Opens a game; `dealer` fixes who deals first."""

    ruleset: Ruleset
    options: Options
    chairs: Mapping[Seat, Chair]
    spectators: Spectators = Spectators.PUBLIC
    dealer: Seat | None = None


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Claims an open seat, adding a client seed to the game's chance."""

    seat: Seat
    client_seed: str | None = None


@dataclass(frozen=True, slots=True)
class ReissueToken:
    """Gives a seat a new token and revokes the earlier ones."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Look:
    """Looks at the cards instead of bidding Double Nil (A-20)."""

    seat: Seat
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class BidDoubleNil:
    """Bids Double Nil before seeing a card (P-08, T-07)."""

    seat: Seat
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Keep:
    """Keeps the card looked at in the draft (T-02)."""

    seat: Seat
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """Refuses the card looked at, and must keep the next (T-02)."""

    seat: Seat
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Bid:
    """Bids a number of tricks; 0 is Nil."""

    seat: Seat
    tricks: int
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """Gives cards to the partner, or throws cards away to draw others."""

    seat: Seat
    cards: tuple[Card, ...]
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """Plays a card to the trick."""

    seat: Seat
    card: Card
    policy: str | None = None


Action = Look | BidDoubleNil | Keep | Refuse | Bid | Exchange | Play
Command = CreateGame | TakeSeat | ReissueToken | Action


def action_of(body: Mapping[str, Any], seat: Seat, policy: str | None = None) -> Action:
    """Returns the order that a well-formed action body gives for a seat."""
    match body["type"]:
        case "look":
            return Look(seat, policy)
        case "bid_double_nil":
            return BidDoubleNil(seat, policy)
        case "keep":
            return Keep(seat, policy)
        case "refuse":
            return Refuse(seat, policy)
        case "bid":
            return Bid(seat, body["tricks"], policy)
        case "exchange":
            return Exchange(seat, cards(body["cards"]), policy)
        case "play":
            return Play(seat, CARDS[body["card"]], policy)
        case unknown:
            raise ValueError(f"no action is called {unknown}")
