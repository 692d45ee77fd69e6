"""Who may see which hidden value: the one place that knows."""

from dataclasses import dataclass
from enum import StrEnum

from spades.game.position import Game, Hand
from spades.game.seats import Seat, partner_of


class ViewerKind(StrEnum):
    """In what role somebody looks at a game."""

    SEAT = "seat"
    SPECTATOR = "spectator"
    PLATFORM = "platform"
    AUDITOR = "auditor"


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who looks at a game: from a seat, or from outside it."""

    kind: ViewerKind
    seat: Seat | None = None

    def __str__(self) -> str:
        return self.seat.value if self.seat else self.kind.value


SPECTATOR = Viewer(ViewerKind.SPECTATOR)
PLATFORM = Viewer(ViewerKind.PLATFORM)
AUDITOR = Viewer(ViewerKind.AUDITOR)


def seated(seat: Seat) -> Viewer:
    """Returns the viewer in a seat."""
    return Viewer(ViewerKind.SEAT, seat)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A hidden value of the log: `seat` is whose holding it is, or whose event it stands in."""

    hand: int
    name: str
    seat: Seat | None


OnlookersToo = frozenset[Seat | None]

EVERYBODY: OnlookersToo = frozenset({*Seat, None})
NOBODY: OnlookersToo = frozenset()


def leaf_at(hand: int, pointer: str, seat: Seat | None) -> Leaf:
    """Returns the leaf at a pointer (`/data/kept`, `/data/holdings/N`) of a seat's event."""
    _, _, name, *owner = pointer.split("/")
    return Leaf(hand, name, Seat(owner[0]) if owner else seat)


def audience(game: Game, leaf: Leaf) -> OnlookersToo:
    """Returns who may see a leaf in this position; None stands for those without a seat.

    The table of `docs/log-format.md`: a hand is revealed to everybody by its score or by the
    end of the game. Before that a holding is its seat's once it has answered, what a seat
    kept, refused, threw or drew is its own, what it gave is also the partner's once both
    gave, and the stock and the unseen discards are nobody's.
    """
    hand = game.hand
    if game.result or leaf.hand <= game.hands_scored or hand is None:
        return EVERYBODY
    if leaf.seat is None or leaf.name in ("stock", "discarded"):
        return NOBODY
    if leaf.name == "holdings" and not hand.sees_cards(leaf.seat):
        return NOBODY
    if leaf.name == "given" and _both_gave(hand, leaf.seat):
        return frozenset({leaf.seat, partner_of(hand.seats, leaf.seat)})
    return frozenset({leaf.seat})


def _both_gave(hand: Hand, seat: Seat) -> bool:
    return seat in hand.exchanges and hand.exchanges[seat].received is not None
