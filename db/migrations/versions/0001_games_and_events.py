"""The log of every game, the head of each log, and what stands beside it."""

from spades.store.migrations import run_sql

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Runs the SQL file of the same name."""
    run_sql("0001_games_and_events")
