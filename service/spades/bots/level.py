"""What the service tells of a level of computer player."""

from dataclasses import dataclass

from spades.game.rulesets import RULESETS
from spades.tables import Policy


@dataclass(frozen=True, slots=True)
class Level:
    """A level that a bot seat may have: its name, its policy, what to expect of it.

    `typical_ms` is the time of one decision in milliseconds.
    """

    id: str
    policy: Policy
    summary: str
    typical_ms: float
    deterministic: bool = True
    rulesets: tuple[str, ...] = tuple(RULESETS)
