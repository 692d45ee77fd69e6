"""`spades replay` tells a game as onlookers may see it, and notices a damaged log."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from uuid_utils import uuid7

from spades.audit.auditing import audited_records
from spades.audit.findings import Finding
from spades.bots import POLICIES, VERSIONS
from spades.cli.replay import story
from spades.game.audience import seated
from spades.game.commands import Chair, CreateGame, PlayerKind, action_of
from spades.game.rulesets import RULESETS, resolve_options
from spades.game.seats import Seat
from spades.store import MemoryStore, Stored
from spades.tables import Opening, Table, Tables
from tests.support.command import Spades


def played(ruleset: str, moves: int = 1000) -> Stored:
    """A game of one hand by people who move at random."""
    chance = Random(7)
    store = MemoryStore()
    tables = Tables(
        store,
        POLICIES,
        now=lambda: datetime(2026, 11, 30, tzinfo=UTC),
        new_seed=lambda: bytes(32),
        new_id=lambda: str(uuid7()),
    )
    rules = RULESETS[ruleset]
    chairs = {seat: Chair(PlayerKind.HUMAN) for seat in rules.seats}
    order = CreateGame(rules, resolve_options(rules, {"max_hands": 1}), chairs, dealer=Seat.N)
    table = tables.create(Opening(order)).table
    for _ in range(moves):
        if not table.game.to_act:
            break
        seat, body = _move(table, chance)
        table = tables.act(table.ledger.game_id, action_of(body, seat), table.game.version).table
    stored = store.read(table.ledger.game_id)
    assert stored is not None
    return stored


def _move(table: Table, chance: Random) -> tuple[Seat, dict[str, Any]]:
    seat = table.game.to_act[0]
    body = chance.choice(table.view(seated(seat))["legal_actions"])
    if choose := body.get("choose"):
        body = {**body, "cards": chance.sample(choose["from"], choose["min"])}
    return seat, body


def findings_of(stored: Stored) -> tuple[Finding, ...]:
    return audited_records(
        stored.game_id, stored.version, stored.head, stored.records, VERSIONS
    ).findings


@pytest.mark.parametrize("ruleset", ["pairs", "partnership", "two-player"])
def test_a_finished_game_is_told_whole(ruleset: str) -> None:
    stored = played(ruleset)
    assert findings_of(stored) == ()
    told = list(story(stored))
    text = "\n".join(told)
    assert told[0] == f"Game {stored.game_id}: {ruleset}"
    assert "Hand 1, dealer N" in told
    assert sum(line.startswith("  trick ") for line in told) == 13
    assert sum(line.startswith("  bid ") for line in told) == len(RULESETS[ruleset].seats)
    assert sum(line.startswith("  score ") for line in told) == 2
    assert "(hidden)" not in text
    assert "finished" in text
    assert "won (max_hands)" in text


def test_a_hand_in_play_keeps_its_cards_hidden() -> None:
    stored = played("pairs", moves=20)
    text = "\n".join(story(stored))
    assert text.count("(hidden)") == 4
    assert "active" in text


def test_a_changed_event_is_noticed() -> None:
    stored = played("pairs", moves=6)
    third = stored.records[2]
    changed = replace(third, public={**third.public, "at": "2026-11-30T00:00:00.001Z"})
    records = (*stored.records[:2], changed, *stored.records[3:])
    found = findings_of(replace(stored, records=records))
    assert {(finding.check, finding.version) for finding in found} >= {("chain", 3)}


def test_a_log_cut_short_is_noticed() -> None:
    stored = played("pairs", moves=6)
    found = findings_of(replace(stored, records=stored.records[:-1]))
    assert [finding.check for finding in found] == ["end"]


def test_what_is_no_id_is_no_game(spades: Spades) -> None:
    refused = spades("replay", "nonsense")
    assert (refused.returncode, refused.stderr) == (1, "spades: nonsense is no game's id.\n")


@pytest.mark.slow
def test_an_unknown_game_is_told_so(spades: Spades) -> None:
    assert spades("migrate").returncode == 0
    game_id = str(uuid7())
    refused = spades("replay", game_id)
    assert (refused.returncode, refused.stderr) == (1, f"spades: There is no game {game_id}.\n")
