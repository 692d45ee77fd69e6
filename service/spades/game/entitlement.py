"""Who may bid Double Nil in the hand that is about to start."""

from spades.game.position import Game
from spades.game.seats import Seat, side_of


def asked_for_double_nil(game: Game) -> frozenset[Seat]:
    """Returns the seats entitled to Double Nil, who must answer before they see a card.

    A `double_nil_deficit` of d asks the opponents' points to be at least d above the own
    as the hand starts (A-21); zero asks nothing.
    """
    if game.options.double_nil is None:
        return frozenset()
    return frozenset(seat for seat in game.seats if _is_behind_enough(game, seat))


def _is_behind_enough(game: Game, seat: Seat) -> bool:
    deficit = game.options.double_nil_deficit
    own = side_of(game.seats, seat)
    theirs = max(standing.points for side, standing in game.standings.items() if side is not own)
    return deficit == 0 or theirs - game.standings[own].points >= deficit
