"""What the tests of the pages share."""

from tests.support.command import spades

__all__ = ["spades"]
