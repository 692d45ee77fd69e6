"""What db/README.md tells operators to do after a restore into a new cluster."""

import re
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import IntegrityConstraintViolation

from tests.support.postgres import Database
from tests.support.records import digest, game_id, new_game, records, told

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
