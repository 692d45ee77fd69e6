"""What the rules allow: bids, cards, exchanges, and the rule that blocks the rest."""

from spades.errors import (
    BidOutOfRange,
    CardNotHeld,
    ExchangeCount,
    ExchangeDuplicate,
    MustFollowSuit,
    NilNotOffered,
    RuleBroken,
    SpadesNotBroken,
)
from spades.game.cards import Card, Suit, as_held
from spades.game.position import TRICKS_IN_HAND, Hand
from spades.game.rulesets import LeadSpades, Options
from spades.game.seats import Seat, members_of, side_of

SUIT_NAMES = {
    Suit.CLUBS: "Clubs",
    Suit.DIAMONDS: "Diamonds",
    Suit.HEARTS: "Hearts",
    Suit.SPADES: "Spades",
}


def lowest_number_bid(hand: Hand, options: Options, seat: Seat) -> int:
    """Returns the least number of tricks a seat may bid other than Nil.

    `min_side_bid` binds the last of a side to bid: her number and the partner's must reach it.
    """
    side = members_of(hand.seats, side_of(hand.seats, seat))
    partners = [hand.bids.get(member) for member in side if member is not seat]
    if options.min_side_bid is None or None in partners:
        return 1
    return max(1, options.min_side_bid - sum(bid.tricks for bid in partners if bid))


def legal_bids(hand: Hand, options: Options, seat: Seat) -> tuple[int, ...]:
    """Returns the bids a seat may make, 0 for Nil (T-05, P-04, V-03)."""
    nil = (0,) if options.nil is not None else ()
    return (*nil, *range(lowest_number_bid(hand, options, seat), TRICKS_IN_HAND + 1))


def check_bid(hand: Hand, options: Options, seat: Seat, tricks: int) -> None:
    """Raises the rule that a bid breaks, if it breaks one."""
    if tricks == 0 and options.nil is None:
        raise NilNotOffered()
    if tricks not in legal_bids(hand, options, seat):
        lowest = lowest_number_bid(hand, options, seat)
        least = 0 if options.nil is not None and lowest == 1 else lowest
        raise BidOutOfRange(
            f"A bid here is from {least} to {TRICKS_IN_HAND}.", min=least, max=TRICKS_IN_HAND
        )


def exchange_range(hand: Hand) -> tuple[int, int]:
    """Returns the least and most cards to exchange: exactly n by partners, up to n by a
    player alone (A-25, T-09)."""
    return (hand.exchange_cards if hand.stock is None else 0), hand.exchange_cards


def check_exchange(hand: Hand, seat: Seat, chosen: tuple[Card, ...]) -> None:
    """Raises the rule that an exchange breaks, if it breaks one."""
    least, most = exchange_range(hand)
    if len(set(chosen)) < len(chosen):
        raise ExchangeDuplicate()
    if not least <= len(chosen) <= most:
        raise ExchangeCount(f"Choose from {least} to {most} cards.", min=least, max=most)
    for card in chosen:
        _check_held(hand, seat, card)


def legal_plays(hand: Hand, options: Options, seat: Seat) -> tuple[Card, ...]:
    """Returns the cards a seat may play now, as held (C-03, C-04, C-07)."""
    held = as_held(hand.holdings[seat])
    if hand.plays:
        led = hand.plays[0].card.suit
        return tuple(card for card in held if card.suit is led) or held
    if hand.spades_broken or options.lead_spades is LeadSpades.ANYTIME:
        return held
    return tuple(card for card in held if card.suit is not Suit.SPADES) or held


def blocking_rule(hand: Hand) -> type[RuleBroken]:
    """Returns the rule that keeps back the held cards that may not be played now."""
    return MustFollowSuit if hand.plays else SpadesNotBroken


def check_play(hand: Hand, options: Options, seat: Seat, card: Card) -> None:
    """Raises the rule that playing a card breaks, if it breaks one."""
    _check_held(hand, seat, card)
    able = legal_plays(hand, options, seat)
    if card in able:
        return
    if not hand.plays:
        raise SpadesNotBroken("Spades are not broken and you hold other suits.")
    led = hand.plays[0].card.suit
    detail = f"{SUIT_NAMES[led]} were led and you hold {', '.join(able)}."
    raise MustFollowSuit(detail, led=led.value)


def _check_held(hand: Hand, seat: Seat, card: Card) -> None:
    if card not in hand.holdings[seat]:
        raise CardNotHeld(f"You do not hold {card}.")
