"""What db/README.md tells operators to do after a restore into a new cluster."""

import re
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import IntegrityConstraintViolation

from spades.store import Checkpoint, Entry, PostgresStore
from tests.support.postgres import Database
from tests.support.records import changed, digest, game_id, new_game, records, told

README = Path(__file__).parents[2] / "db" / "README.md"


def recipe() -> bytes:
    """Returns the SQL under the heading about restores."""
    section = README.read_text("utf-8").partition("## Copies and restores")[2]
    found = re.search(r"```sql\n(.*?)```", section, re.DOTALL)
    assert found
    return found[1].encode()


def test_the_feed_of_a_restored_log_is_whole_and_goes_on(database: Database) -> None:
    store = database.store()
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute("alter table events alter xid set default '4000000000'")
        for number in (2, 1):
            store.create(new_game(number))
        owner.execute("alter table events alter xid set default pg_current_xact_id()")
        assert store.feed(None, 10) == ()
        owner.execute(recipe())
        store.append(game_id(2), 2, digest(2), records(3, 3), "active")
        seen = [(item.position.game_id, item.position.version) for item in told(store, 5)]
        with pytest.raises(IntegrityConstraintViolation):
            owner.execute("update events set xid = '3'")
    store.close()
    assert seen == [(game_id(g), v) for g, v in ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3))]


def dumped(database: Database, upto: int, stamp: int) -> PostgresStore:
    """Returns a store as a dump brings it: two games, of which a checkpoint had taken in one.

    The old cluster stamped the events with `stamp`; its last checkpoint had looked `upto` there.
    """
    store = database.store()
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute(f"alter table events alter xid set default '{stamp}'".encode())
        for number in (1, 2):
            store.create(new_game(number))
        owner.execute("alter table events alter xid set default pg_current_xact_id()")
    made = Checkpoint(1, digest(1), datetime(2026, 11, 30, tzinfo=UTC))
    assert store.add_checkpoint(0, made, (Entry(game_id(1), 2, digest(2)),), {}, upto)
    return store


@pytest.mark.parametrize(
    "upto", [4, 4_000_000_000], ids=["a-younger-cluster-s-count", "an-older-cluster-s-count"]
)
def test_the_next_checkpoint_of_a_restored_log_takes_in_what_none_had(
    database: Database, upto: int
) -> None:
    store = dumped(database, upto, stamp=upto)
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute(recipe())
    assert changed(store, 1).entries == (Entry(game_id(2), 2, digest(2)),)
    store.close()


def test_a_checkpoint_that_has_looked_further_than_the_cluster_has_come_looks_at_all_again(
    database: Database,
) -> None:
    store = dumped(database, upto=4_000_000_000, stamp=3)
    changes = changed(store, 1)
    assert changes.entries == (Entry(game_id(2), 2, digest(2)),)
    made = Checkpoint(2, digest(2), datetime(2026, 12, 1, tzinfo=UTC))
    assert store.add_checkpoint(1, made, changes.entries, {}, changes.upto)
    store.append(game_id(1), 2, digest(2), records(3, 3), "active")
    assert changed(store, 1).entries == (Entry(game_id(1), 3, digest(3)),)
    store.close()
