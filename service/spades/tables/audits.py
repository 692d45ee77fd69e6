"""Audits of games in the store: the whole log checked, and a game that diverges set aside."""

from collections.abc import Mapping
from dataclasses import dataclass

from spades.audit.auditing import audited_records
from spades.audit.findings import Report
from spades.errors import DamagedLog, GameNotFound
from spades.store import Store, Stored
from spades.tables.policies import Policy


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit of a game came to; a divergence quarantines the game."""

    game_id: str
    version: int
    head: str
    report: Report

    @property
    def quarantined(self) -> bool:
        """Whether the game takes no more actions."""
        return not self.report.is_clean


class Audits:
    """Audits games with all that the store knows; `policies` are the bots by their version."""

    def __init__(self, store: Store, policies: Mapping[str, Policy]) -> None:
        self._store = store
        self._policies = policies

    def audit(self, game_id: str) -> Audit:
        """Checks a game's whole log, and quarantines the game or releases it by what is found.

        The recorded result stands whatever is found. Raises GameNotFound, and DamagedLog for
        one of which the store can't even give the records.
        """
        entries = self._store.entries_of(game_id)  # first, so that the log reaches as far
        stored = self._read(game_id)
        if stored is None:
            raise GameNotFound()
        report = audited_records(
            game_id,
            stored.version,
            stored.head,
            stored.records,
            self._policies,
            checkpointed={entry.version: entry.head for entry in entries},
        )
        audit = Audit(game_id, stored.version, stored.head, report)
        if audit.quarantined is not stored.quarantined:
            self._store.quarantine(game_id, audit.quarantined)
        return audit

    def _read(self, game_id: str) -> Stored | None:
        try:
            return self._store.read(game_id)
        except DamagedLog:
            self._store.quarantine(game_id, True)
            raise
