"""What a call costs the database: one statement, by index."""

from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from spades.store import Checkpoint, Issue, PostgresStore, Profile
from spades.store.postgres import QUERIES
from tests.support.postgres import Database
from tests.support.records import changed, digest, game_id, new_game, records

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_move_is_one_statement_to_read_and_one_to_append(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call executes its one query once, without a transaction around it."""
    store = database.store(most=1)  # one connection, so that none is set up meanwhile
    store.create(new_game())
    executed: list[Any] = []
    execute = psycopg.Connection.execute

    def spy(connection: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        assert connection.autocommit
        executed.append(query)
        return execute(connection, query, *args, **kwargs)

    monkeypatch.setattr(psycopg.Connection, "execute", spy)
    store.read(game_id(1), after=1)
    store.append(game_id(1), 2, digest(2), records(3, 5), "active")
    store.append(game_id(1), 5, digest(5), records(6, 6), "active", ("S", Profile("Lin")))
    store.close()
    assert executed == [QUERIES["read"], QUERIES["append"], QUERIES["append_claim"]]


def test_what_is_noted_beside_the_log_is_one_statement_each_and_of_a_player_two(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = database.store(most=1)
    store.create(new_game(owner="cup"))
    changes, issue = changed(store, 1), Issue(game_id(901), MONDAY)
    executed: list[str] = []
    rows = PostgresStore._rows

    def spy(self: PostgresStore, name: str, *args: Any) -> Any:
        executed.append(name)
        return rows(self, name, *args)

    monkeypatch.setattr(PostgresStore, "_rows", spy)
    store.issue(game_id(1), issue)
    store.issue(game_id(1), issue)
    store.seat_player(game_id(1), "S", Profile())
    store.put_player("cup", "plr-ada", "Ada", MONDAY)
    store.erase_player("cup", "plr-ada")
    store.changes()
    store.add_checkpoint(0, Checkpoint(1, digest(1), MONDAY), changes.entries, {}, changes.upto)
    store.close()
    assert executed == [
        *("issue", "issue", "seat_player"),
        *("put_player", "show_player", "forget_player", "erase_player"),
        *("changes", "add_checkpoint"),
    ]


MANY_GAMES = """
with made as (
    insert into games (game_id, version, head, status, ruleset)
    select ('00000000-0000-7000-8000-' || lpad(g::text, 12, '0'))::uuid, 100,
           decode(lpad('64', 64, '0'), 'hex'), 'active', 'pairs'
      from generate_series(1, 1000) g
    returning game_id
), noted as (
    insert into game_notes (game_id) select game_id from made
), known as (
    insert into players (owner, ref, created_at, updated_at)
    select 'cup', 'plr-' || g, now(), now() from generate_series(1, 1000) g
)
insert into events (game_id, version, type, schema, public, hash)
select game_id, v, 'bid_made', 1, '{}', decode(repeat('00', 32), 'hex')
  from made, generate_series(1, 100) v
"""


def test_moves_and_the_feed_go_by_index_among_a_hundred_thousand_events(
    database: Database,
) -> None:
    one = {"game_id": "00000000-0000-7000-8000-000000000007"}
    head = {"version": 100, "head": digest(100), "next": 101, "next_head": digest(101)}
    change = {"status": "active", "records": Jsonb([])}
    claim = {"seat": "N", "name": None, "ref": "plr-ada"}
    asked = {
        "read": {**one, "after": 90},
        "append": {**one, **head, **change},
        "append_claim": {**one, **head, **change, **claim},
        "feed": {"xid": "0", "game_id": game_id(0), "version": 0, "limit": 100},
    }
    with psycopg.connect(database.owner) as owner:
        owner.execute(MANY_GAMES)
        owner.execute("analyze")
        plans = {
            name: str(owner.execute("explain " + QUERIES[name].rstrip(";"), with_).fetchall())
            for name, with_ in asked.items()
        }
    assert not [name for name, plan in plans.items() if "Seq Scan" in plan]
    assert "Sort" not in plans["feed"]


MANY_PLAYERS = """
with made as (
    insert into games (game_id, version, head, status, ruleset, owner)
    select ('00000000-0000-7000-8000-' || lpad(g::text, 12, '0'))::uuid, 9,
           decode(lpad('9', 64, '0'), 'hex'), 'active', 'pairs', 'cup'
      from generate_series(1, 20000) g
    returning game_id
), noted as (
    insert into game_notes (game_id, profiles)
    select game_id, jsonb_build_object('N', jsonb_build_object(
               'name', 'Ada', 'player_ref', 'plr-' || right(game_id::text, 4)))
      from made
), listed as (
    insert into checkpoint_entries (place, game_id, version, head)
    select row_number() over () - 1, game_id, v, decode(lpad(v::text, 64, '0'), 'hex')
      from made, generate_series(1, 9) v
)
insert into events (game_id, version, type, schema, public, hash)
select game_id, v, case v when 9 then 'game_finished' else 'bid_made' end, 1, '{}',
       decode(lpad(v::text, 64, '0'), 'hex')
  from made, generate_series(1, 9) v;
insert into checkpoint_nodes (level, place, hash)
select 0, place, head from checkpoint_entries;
insert into checkpoints (size, after, root, made_at, upto)
select 180000, 0, decode(repeat('00', 32), 'hex'), now(), pg_current_xact_id()
"""


def test_what_grew_and_who_sat_where_go_by_index_among_many_games(database: Database) -> None:
    one = {"game_id": "00000000-0000-7000-8000-000000000007"}
    whose = {"owner": "cup", "ref": "plr-0007"}
    asked: dict[str, dict[str, Any]] = {
        "finished": {"xid": "0", "game_id": game_id(0), "version": 0, "limit": 100},
        "count_finished": {"xid": "9" * 12, "game_id": game_id(0), "version": 0},
        "game_ids": {"after": game_id(0), "limit": 100},
        "nodes": {"levels": [0, 0, 1], "places": [7, 70_000, 3]},
        "entry_of": {**one, "size": 150_000},
        "player": whose,
        "show_player": whose,
        "erase_player": {**whose, "nobody": Jsonb({})},
        "changes": {},
    }
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute(MANY_PLAYERS)
        owner.execute("analyze")
        plans = {
            name: str(owner.execute("explain " + QUERIES[name].rstrip(";"), with_).fetchall())
            for name, with_ in asked.items()
        }
    large = ("games", "game_notes", "events", "checkpoint_entries", "checkpoint_nodes")
    scanned = [(n, table) for n in plans for table in large if f"Seq Scan on {table} " in plans[n]]
    assert scanned == []
    assert "Sort" not in plans["finished"]
    assert "events_feed" in plans["changes"]
