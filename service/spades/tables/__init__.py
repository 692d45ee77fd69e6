"""Where the core meets the store: games played at their tables."""

from spades.audit.ledger import Entry, Ledger, ledger_of
from spades.tables.policies import Policy
from spades.tables.tables import Acted, Opened, Opening, Table, Tables

__all__ = [
    "Acted",
    "Entry",
    "Ledger",
    "Opened",
    "Opening",
    "Policy",
    "Table",
    "Tables",
    "ledger_of",
]
