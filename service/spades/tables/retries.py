"""A late action: is it one that the log already knows, or one that still holds?"""

from typing import assert_never

from spades.game.commands import (
    Action,
    Bid,
    BidDoubleNil,
    Exchange,
    Keep,
    Look,
    Play,
    Refuse,
)
from spades.game.events import (
    BidMade,
    CardKept,
    CardPlayed,
    CardRefused,
    CardsGiven,
    CardsLookedAt,
    CardsReplaced,
    DoubleNilBid,
    Event,
    SeatTaken,
    TokenReissued,
)


def is_move(event: Event) -> bool:
    """Whether an event is something that a person in a seat did in play."""
    return event.actor == "seat" and not isinstance(event, SeatTaken)


def same_action(event: Event, action: Action) -> bool:
    """Whether an event is what this action brought about."""
    match action:
        case Look():
            return isinstance(event, CardsLookedAt)
        case BidDoubleNil():
            return isinstance(event, DoubleNilBid)
        case Keep():
            return isinstance(event, CardKept)
        case Refuse():
            return isinstance(event, CardRefused)
        case Bid():
            return isinstance(event, BidMade) and event.tricks == action.tricks
        case Exchange():
            return _exchanged(event) == frozenset(action.cards)
        case Play():
            return isinstance(event, CardPlayed) and event.card == action.card
        case _:
            assert_never(action)


def _exchanged(event: Event) -> frozenset[str] | None:
    if isinstance(event, CardsGiven):
        return frozenset(event.given)
    return frozenset(event.thrown) if isinstance(event, CardsReplaced) else None


def leaves_position_alone(event: Event, action: Action) -> bool:
    """Whether an event still lets an action be taken as if it had not happened.

    Seats may be taken and tokens changed; and while all answer in the blind step, or swap, at
    the same time, one's answer does not depend on another's. What comes after that step does.
    """
    match event:
        case SeatTaken() | TokenReissued():
            return True
        case CardsLookedAt() | DoubleNilBid():
            return isinstance(action, Look | BidDoubleNil) and event.seat is not action.seat
        case CardsGiven():
            return isinstance(action, Exchange) and event.seat is not action.seat
        case _:
            return False
