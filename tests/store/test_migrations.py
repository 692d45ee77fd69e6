"""Bringing the schema up to date: by many at once, again, and by those who may not."""

import os
import subprocess
import sys

import psycopg
import pytest

from spades.errors import ConfigurationError, DatabaseUnavailable
from spades.store.migrations import SCRIPTS, migrate
from tests.support.postgres import Database

MIGRATE = "import sys; from spades.store.migrations import migrate; print(migrate(sys.argv[1]))"
FILES = sorted(path.stem for path in (SCRIPTS / "sql").glob("*.sql"))


def test_an_empty_database_is_brought_up_to_date_once(empty_database: Database) -> None:
    assert migrate(empty_database.owner) == len(FILES)
    assert migrate(empty_database.owner) == 0


@pytest.mark.slow
def test_many_starters_at_once_apply_each_migration_once(empty_database: Database) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", MIGRATE, empty_database.owner],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        for _ in range(6)
    ]
    said = [starter.communicate(timeout=60) for starter in starters]
    assert [starter.returncode for starter in starters] == [0] * 6, said
    assert sorted(int(out) for out, _ in said) == [0] * 5 + [len(FILES)]


def test_every_migration_is_a_sql_file_that_says_why() -> None:
    versions = sorted(path.stem for path in (SCRIPTS / "versions").glob("[0-9]*.py"))
    assert versions == FILES
    for name in FILES:
        assert (SCRIPTS / "sql" / f"{name}.sql").read_text().startswith("-- ")


def test_a_login_that_may_not_migrate_is_told_so(
    database: Database, empty_database: Database
) -> None:
    with psycopg.connect(empty_database.owner, autocommit=True) as owner:
        owner.execute("revoke create on schema public from public")
    sign = "&" if "?" in empty_database.owner else "?"
    as_reader = f"{empty_database.owner}{sign}options=-c%20role%3Dspades_reader"
    with pytest.raises(ConfigurationError, match="may not migrate"):
        migrate(as_reader)


def test_a_database_that_does_not_answer_is_unavailable() -> None:
    with pytest.raises(DatabaseUnavailable):
        migrate("postgresql://nobody@127.0.0.1:9/none?connect_timeout=2")
