"""Results of games that are over, each issued under an id of its own."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from spades.audit.evidence import of_served
from spades.audit.log import JsonObject, timestamp
from spades.audit.results import result_of
from spades.errors import GameNotOver
from spades.game.audience import PLATFORM
from spades.store import Issue, Store
from spades.tables.tables import Table, Tables


class Results:
    """Tells results; `new_id` makes the id of one that nobody was told before."""

    def __init__(
        self, store: Store, tables: Tables, now: Callable[[], datetime], new_id: Callable[[], str]
    ) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._new_id = new_id

    def result(self, game_id: str) -> JsonObject:
        """Returns the payload of a game's result as it was last issued, or is from now on.

        Raises GameNotOver.
        """
        table = self._tables.whole(game_id)
        if table.game.result is None:
            raise GameNotOver()
        if table.issue is None:
            issued = self._store.issue(game_id, Issue(self._new_id(), self._now()))
            table = replace(table, issue=issued.issue, profiles=issued.profiles)
        return _payload(table)


def _payload(table: Table) -> JsonObject:
    """Returns the payload; the store gave issue and references together, from one row."""
    ledger, issue = table.ledger, table.issue
    evidence = of_served(ledger.game_id, ledger.served(PLATFORM, 0), str(PLATFORM))
    payload = issue and result_of(
        evidence,
        id=issue.id,
        supersedes=issue.supersedes,
        issued_at=timestamp(issue.issued_at),
        refs={seat: profile.player_ref for seat, profile in table.profiles.items()},
    )
    if not payload:
        raise GameNotOver()
    return payload
