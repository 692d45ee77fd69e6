"""Readings, players, issues of results, and checkpoints of all games' heads."""

from spades.store.migrations import run_sql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Runs the SQL file of the same name."""
    run_sql("0002_audits_players_and_checkpoints")
