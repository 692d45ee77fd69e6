"""Which cards a viewer may see, worked out from the rules and not from what is shown."""

from typing import Any

from spades.game.audience import Viewer
from spades.game.cards import FRESH_DECK
from spades.game.position import Game, Phase


def visible_to(game: Game, viewer: Viewer) -> set[str]:
    """The cards of the hand on the table that a viewer may see, worked out from the rules."""
    hand = game.hand
    if hand is None:
        return set()
    seen = {play.card for play in hand.plays}
    seen |= {play.card for trick in hand.tricks for play in trick.plays}
    if game.last_trick:
        seen |= {play.card for play in game.last_trick.plays}
    seat = viewer.seat
    if seat is None or (seat in hand.asked and seat not in hand.looked and seat not in hand.bids):
        return {str(card) for card in seen}
    seen |= set(hand.holdings[seat])
    seen |= {turn.seen for turn in hand.draft if turn.seat is seat and not turn.kept_seen}
    if seat in hand.exchanges:
        seen |= set(hand.exchanges[seat].given)
    if game.phase is Phase.DRAFT and hand.drawer is seat:
        seen.add(hand.shown[0])
    return {str(card) for card in seen}


def cards_in(value: Any) -> set[str]:
    """Every text in a view that names a card."""
    if isinstance(value, dict):
        return cards_in([*value.keys(), *value.values()])
    if isinstance(value, list):
        return {card for inner in value for card in cards_in(inner)}
    return {value} if isinstance(value, str) and value in FRESH_DECK else set()
