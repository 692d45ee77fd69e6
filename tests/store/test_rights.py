"""Who may do what in the database, and what nobody may."""

from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege, IntegrityConstraintViolation

from spades.store import Checkpoint, Entry, Issue, PostgresStore, Profile, Reading
from tests.support.postgres import Database
from tests.support.records import digest, game_id, new_game, told

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "statement",
    [
        "update events set public = '{}'",
        "delete from events",
        "truncate events",
    ],
)
def test_nobody_rewrites_the_log(
    database: Database, statement: str, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())
    with (
        psycopg.connect(database.owner) as owner,
        pytest.raises(IntegrityConstraintViolation, match="append-only"),
    ):
        owner.execute(statement)
    with psycopg.connect(database.serving) as serving:
        serving.execute("set role spades_app")
        with pytest.raises(InsufficientPrivilege):
            serving.execute(statement)
    assert len(told(postgres_store, 2)) == 2


LISTS = ("readings", "checkpoint_entries", "checkpoint_nodes", "checkpoints")
REWRITES = {
    "readings": "update readings set version = 9",
    "checkpoint_entries": "update checkpoint_entries set version = 9",
    "checkpoint_nodes": "update checkpoint_nodes set level = 9",
    "checkpoints": "update checkpoints set made_at = now()",
}


@pytest.mark.parametrize("table", LISTS)
def test_nobody_rewrites_what_only_grows(
    database: Database, table: str, postgres_store: PostgresStore
) -> None:
    postgres_store.note_reading(
        Reading(game_id(8), game_id(1), MONDAY, "tok-1", "auditor", "audit", 2)
    )
    postgres_store.add_checkpoint(
        0,
        Checkpoint(1, digest(1), MONDAY),
        (Entry(game_id(1), 2, digest(2)),),
        {(0, 0): digest(3)},
        1,
    )
    for statement in (REWRITES[table], f"delete from {table}", f"truncate {table}"):
        with (
            psycopg.connect(database.owner) as owner,
            pytest.raises(IntegrityConstraintViolation, match=f"{table} is append-only"),
        ):
            owner.execute(statement.encode())
        with psycopg.connect(database.serving) as serving:
            serving.execute("set role spades_app")
            with pytest.raises(InsufficientPrivilege):
                serving.execute(statement.encode())
    with psycopg.connect(database.owner) as owner:
        rows = owner.execute(f"select from {table}".encode()).fetchall()
    assert len(rows) == 1


@pytest.mark.parametrize(
    "unsaid",
    [
        "'[]'",
        "issues - 0",
        "issues - 1",
        "jsonb_set(issues, '{0,issued_at}', '\"2026-12-01T00:00:00Z\"')",
        """issues || '[{"id": 3}, {"id": 4}]'""",
        """'[{"id": 3}]' || issues""",
    ],
)
def test_what_was_issued_is_not_unsaid(
    database: Database, unsaid: str, postgres_store: PostgresStore
) -> None:
    """Nor are two added in one breath: each addition is a correction of its own."""
    postgres_store.create(new_game())
    postgres_store.issue(game_id(1), Issue(game_id(901), MONDAY))
    postgres_store.seat_player(game_id(1), "N", Profile())
    postgres_store.issue(game_id(1), Issue(game_id(902), MONDAY))
    for url in (database.owner, database.serving):
        with (
            psycopg.connect(url) as connection,
            pytest.raises(IntegrityConstraintViolation, match=r"game_notes\.issues is append-only"),
        ):
            connection.execute(f"update game_notes set issues = {unsaid}".encode())


@pytest.mark.parametrize(
    "statement",
    [
        "select secret from events",
        "select * from events",
        "select * from game_notes",
        "select * from players",
        "select * from readings",
        "select * from platform_keys",
        "select * from idempotency_keys",
        "insert into games select * from games",
        "insert into checkpoints select * from checkpoints",
        "update games set quarantined = true",
        "delete from games",
    ],
)
def test_a_follower_may_not_read_secrets_nor_write(database: Database, statement: str) -> None:
    with psycopg.connect(database.reader) as reader:
        reader.execute("set role spades_reader")
        reader.execute("select public, hash, xid from events")
        reader.execute("select version from games")
        for table in ("checkpoints", "checkpoint_entries", "checkpoint_nodes"):
            reader.execute(f"select * from {table}".encode())
        with pytest.raises(InsufficientPrivilege):
            reader.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "delete from games",
        "update games set created_at = now()",
        "update platform_keys set key_hash = ''",
        "delete from platform_keys",
        "delete from game_notes",
        "update players set owner = ''",
        "update checkpoints set upto = '3'",
        "truncate players",
        "drop table events",
        "alter table events disable trigger all",
    ],
)
def test_the_serving_role_may_do_no_more_than_it_needs(database: Database, statement: str) -> None:
    with psycopg.connect(database.serving) as serving:
        serving.execute("set role spades_app")
        with pytest.raises(InsufficientPrivilege):
            serving.execute(statement)
