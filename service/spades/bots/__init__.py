"""Computer players: policies over a view, by level."""

from collections.abc import Mapping

from spades.bots.level import Level
from spades.bots.novice import NOVICE
from spades.tables import Policy

LEVELS: tuple[Level, ...] = (NOVICE,)
POLICIES: Mapping[str, Policy] = {level.id: level.policy for level in LEVELS}
VERSIONS: Mapping[str, Policy] = {level.policy.version: level.policy for level in LEVELS}
"""Every policy that ever played, by the version in the log: audits ask it again, for ever."""

__all__ = ["LEVELS", "POLICIES", "VERSIONS", "Level"]
