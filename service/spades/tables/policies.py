"""What a computer player is: a view and a seed in, one of the view's legal actions out."""

from typing import Protocol

from spades.game.views import ActionBody, GameView


class Policy(Protocol):
    """A way of playing. The same view and seed always give the same action."""

    @property
    def version(self) -> str:
        """The name recorded with every event of this policy, such as `novice/1`."""

    def decide(self, view: GameView, seed: int) -> ActionBody:
        """Returns the action for the seat that looks: nothing but its own view is known."""
