"""The rules of Spades: pure, no clock, no chance, no input or output.

`decide` answers an order with events, `evolve` folds them into a `Game`, `observe` shows
each viewer what that viewer may see.
"""

from spades.game.decide import decide
from spades.game.evolve import evolve, fold
from spades.game.position import Game
from spades.game.views import observe

__all__ = ["Game", "decide", "evolve", "fold", "observe"]
