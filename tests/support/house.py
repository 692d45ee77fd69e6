"""A house of tables in memory, with its chance and its clock in hand."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

from spades.bots import POLICIES
from spades.game.commands import Chair, CreateGame, PlayerKind, Spectators, action_of
from spades.game.rulesets import RULESETS, resolve_options
from spades.game.seats import Seat
from spades.game.views import ActionBody, GameView
from spades.store import MemoryStore, Store
from spades.tables import Acted, Opening, Policy, Table, Tables

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class House:
    """Tables over a store; `clock` holds the moments that the next appends will be given."""

    def __init__(
        self,
        store: Store | None = None,
        policies: Mapping[str, Policy] = POLICIES,
        seed: int = 7,
        first_id: int = 1,
    ) -> None:
        self.store = store or MemoryStore()
        self.policies = policies
        self.now = NOON
        self._chance, self._ids = Random(seed), count(first_id)
        self.tables = self.another_process()

    def another_process(self) -> Tables:
        """Returns tables over the same store that remember nothing."""
        return Tables(
            self.store,
            self.policies,
            now=self._tick,
            new_seed=lambda: self._chance.randbytes(32),
            new_id=lambda: str(UUID(int=next(self._ids))),
        )

    def open(self, ruleset: str, options: Mapping[str, Any] | None = None, **kinds: str) -> Table:
        """Opens a game; seats not named are human, the north deals first."""
        rules = RULESETS[ruleset]
        chairs = {seat: _chair(kinds.get(seat.value, "human")) for seat in rules.seats}
        resolved = resolve_options(rules, options or {})
        order = CreateGame(rules, resolved, chairs, Spectators.PUBLIC, dealer=Seat.N)
        return self.tables.create(Opening(order)).table

    def act(self, table: Table, seat: str, expected: int | None = None, **body: Any) -> Acted:
        """Acts at the table's version, or the one given."""
        version = table.game.version if expected is None else expected
        action = action_of(body, Seat(seat))
        return self.tables.act(table.ledger.game_id, action, version)

    def _tick(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


def _chair(kind: str) -> Chair:
    return Chair(PlayerKind(kind), "novice" if kind == "bot" else None)


def chosen(view: GameView, chance: Random) -> ActionBody:
    """Returns one of a view's legal actions, an exchange with cards chosen."""
    action: ActionBody = dict(chance.choice(view["legal_actions"]))
    if choice := action.pop("choose", None):
        wanted = chance.randint(choice["min"], choice["max"])
        action["cards"] = chance.sample(choice["from"], wanted)
    return action
