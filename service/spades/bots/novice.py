"""`novice`: bids what its cards say, wins if it can, and lets its mind wander now and then."""

from collections.abc import Iterable, Sequence
from math import floor

from spades.bots.level import Level
from spades.game.cards import CARDS, RANKS, Card, Suit, in_deck_order
from spades.game.position import Played, winning
from spades.game.seats import Seat
from spades.game.views import ActionBody, GameView

ACE, KING, QUEEN = (RANKS.index(rank) for rank in "AKQ")
SIDE_ACE, SIDE_KING, LONG_SPADE = 0.95, 0.6, 0.9
WANDERS_ONCE_IN = 4


class Novice:
    """The plain policy. It never bids Nil and never plays against the rules."""

    version = "novice/1"

    def decide(self, view: GameView, seed: int) -> ActionBody:
        """Returns the action for the seat that looks."""
        match view["phase"]:
            case "blind":
                return _of_type(view, "look")
            case "draft":
                return _of_type(view, "keep" if _worth_keeping(view) else "refuse")
            case "bidding":
                return _nearest_bid(view["legal_actions"], estimate(_hand(view)))
            case "exchange":
                return _exchange(view)
            case _:
                return _play(view, seed)


def _of_type(view: GameView, kind: str) -> ActionBody:
    return next(action for action in view["legal_actions"] if action["type"] == kind)


def _hand(view: GameView) -> tuple[Card, ...]:
    return tuple(CARDS[held["card"]] for held in view["hand"])


def _worth_keeping(view: GameView) -> bool:
    card = CARDS[view["draft"]["card"]]
    return card.suit is Suit.SPADES or card.rank >= KING


def estimate(hand: Sequence[Card]) -> float:
    """Returns the tricks that a hand may expect: top cards and long spades (V-12)."""
    return sum(_suit_estimate([c for c in hand if c.suit is suit], suit) for suit in Suit)


def _suit_estimate(held: Sequence[Card], suit: Suit) -> float:
    ranks = {card.rank for card in held}
    if suit is not Suit.SPADES:
        guarded_king = KING in ranks and len(held) > 1
        return SIDE_ACE * (ACE in ranks) + SIDE_KING * guarded_king
    tops = (ACE in ranks) + (KING in ranks and len(held) > 1) + (QUEEN in ranks and len(held) > 2)
    return tops + LONG_SPADE * max(0, len(held) - 3)


def _nearest_bid(actions: Iterable[ActionBody], tricks: float) -> ActionBody:
    wanted = max(1, floor(tricks + 0.05))
    numbers = (action for action in actions if action["tricks"] > 0)
    return min(numbers, key=lambda action: abs(int(action["tricks"]) - wanted))


def _exchange(view: GameView) -> ActionBody:
    offer = view["legal_actions"][0]
    choice, own = offer["choose"], view["viewer"]["seat"]
    bid = next(seat["bid"] for seat in view["seats"] if seat["seat"] == own)
    held = [CARDS[name] for name in choice["from"]]
    given = sorted(held, key=_power, reverse=bid["double_nil"])[: choice["max"]]
    return {
        "type": "exchange",
        "cards": [str(card) for card in in_deck_order(given)],
        "expected_version": offer["expected_version"],
    }


def _power(card: Card) -> tuple[bool, int]:
    return card.suit is Suit.SPADES, card.rank


def _play(view: GameView, seed: int) -> ActionBody:
    actions: list[ActionBody] = view["legal_actions"]
    if seed % WANDERS_ONCE_IN == 0:
        return actions[seed // WANDERS_ONCE_IN % len(actions)]
    wanted = _card(view, [CARDS[action["card"]] for action in actions])
    return next(action for action in actions if action["card"] == wanted)


def _card(view: GameView, playable: list[Card]) -> Card:
    plays = tuple(Played(Seat(p["seat"]), CARDS[p["card"]]) for p in view["trick"]["plays"])
    if not plays:
        return max(playable, key=lambda card: (card.rank, card.suit is not Suit.SPADES))
    own = Seat(view["viewer"]["seat"])
    winners = [card for card in playable if winning((*plays, Played(own, card))).seat is own]
    if winners and view["trick"]["winning"] != view["viewer"]["partner"]:
        last = len(plays) == len(view["seats"]) - 1
        return min(winners, key=_power) if last else max(winners, key=_power)
    return min(playable, key=_power)


NOVICE = Level(
    id="novice",
    policy=Novice(),
    summary="Bids what its cards say and wins if it can; plays a random legal card now and then.",
    typical_ms=0.05,
)
