"""Where the core meets the store: games played at their tables."""

from spades.tables.audits import Audit, Audits
from spades.tables.checkpoints import Checkpoints
from spades.tables.policies import Policy
from spades.tables.results import Results
from spades.tables.tables import Acted, Opened, Opening, Table, Tables

__all__ = [
    "Acted",
    "Audit",
    "Audits",
    "Checkpoints",
    "Opened",
    "Opening",
    "Policy",
    "Results",
    "Table",
    "Tables",
]
