"""What the tests of the commands share."""

from tests.support.command import spades

__all__ = ["spades"]
