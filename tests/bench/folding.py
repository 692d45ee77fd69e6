"""How fast logs are read and folded, without a server."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from random import Random
from uuid import UUID

from spades.audit.log import Record, opened
from spades.bots import POLICIES
from spades.game import fold
from spades.game.audience import seated
from spades.game.commands import Chair, CreateGame, PlayerKind, action_of
from spades.game.events import read_event
from spades.game.rulesets import PAIRS, resolve_options
from spades.game.seats import Seat
from spades.store import MemoryStore
from spades.tables import Opening, Tables


def a_log(hands: int) -> tuple[Record, ...]:
    """Plays a game of this many hands in memory and returns its records."""
    store, chance, ids = MemoryStore(), Random(1), count(1)
    tables = Tables(
        store,
        POLICIES,
        now=lambda: datetime(2026, 11, 30, tzinfo=UTC),
        new_seed=lambda: chance.randbytes(32),
        new_id=lambda: str(UUID(int=next(ids))),
    )
    chairs = {seat: Chair(PlayerKind.BOT, "novice") for seat in PAIRS.bots}
    options = resolve_options(PAIRS, {"max_hands": hands, "lose_at": None, "target": 10000})
    order = CreateGame(PAIRS, options, {Seat.N: Chair(PlayerKind.HUMAN), **chairs})
    table = tables.create(Opening(order)).table
    game_id = table.ledger.game_id
    while table.game.result is None:
        body = chance.choice(table.view(seated(Seat.N))["legal_actions"])
        table = tables.act(game_id, action_of(body, Seat.N), table.game.version).table
    stored = store.read(game_id)
    return stored.records if stored else ()


def events_per_second(hands: int = 20, rounds: int = 5) -> tuple[float, float]:
    """Returns events folded a second, and events read from their records and folded."""
    log = a_log(hands)
    events = [read_event(record.public, opened(record)) for record in log]
    folding = min(_time(lambda: fold(events)) for _ in range(rounds))
    reading = min(
        _time(lambda: [read_event(r.public, opened(r)) for r in log]) for _ in range(rounds)
    )
    return len(log) / folding, len(log) / (folding + reading)


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
