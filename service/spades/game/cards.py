"""The deck: suits, ranks and the order of a fresh pack (C-01)."""

from collections.abc import Iterable
from enum import StrEnum

RANKS = "23456789TJQKA"


class Suit(StrEnum):
    """A suit; spades are always trump (C-02)."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"


class Card(str):
    """A card, written rank then suit: `TD` is the ten of diamonds."""

    __slots__ = ()

    @property
    def suit(self) -> Suit:
        """The card's suit."""
        return _SUITS[self[1]]

    @property
    def rank(self) -> int:
        """The card's rank, 0 for a two up to 12 for an ace."""
        return RANKS.index(self[0])


_SUITS = {suit.value: suit for suit in Suit}

FRESH_DECK = tuple(Card(rank + suit.value) for suit in Suit for rank in RANKS)
DECK_ORDER = {card: place for place, card in enumerate(FRESH_DECK)}
CARDS = {str(card): card for card in FRESH_DECK}


def cards(texts: Iterable[str]) -> tuple[Card, ...]:
    """Returns the cards with these names, in the order given."""
    return tuple(CARDS[text] for text in texts)


def in_deck_order(held: Iterable[Card]) -> tuple[Card, ...]:
    """Returns cards in the order of the fresh deck, as the log writes a set of cards."""
    return tuple(sorted(held, key=DECK_ORDER.__getitem__))


def as_held(held: Iterable[Card]) -> tuple[Card, ...]:
    """Returns cards as a player holds them: spades first, high to low."""
    return in_deck_order(held)[::-1]
