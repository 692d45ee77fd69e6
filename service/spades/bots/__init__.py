"""Computer players: policies over a view, by level."""

from collections.abc import Mapping

from spades.bots.level import Level
from spades.bots.novice import NOVICE
from spades.tables import Policy

LEVELS: tuple[Level, ...] = (NOVICE,)
POLICIES: Mapping[str, Policy] = {level.id: level.policy for level in LEVELS}

__all__ = ["LEVELS", "POLICIES", "Level"]
