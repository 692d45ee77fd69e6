"""Bringing the schema up to date: by many at once, again, and by those who may not."""

import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from spades.errors import ConfigurationError, DatabaseUnavailable
from spades.store import Player, PostgresStore
from spades.store.migrations import SCRIPTS, migrate
from tests.support.postgres import Database, a_cluster
from tests.support.records import changed, digest, game_id, new_game

MIGRATE = "import sys; from spades.store.migrations import migrate; print(migrate(sys.argv[1]))"
FILES = sorted(path.stem for path in (SCRIPTS / "sql").glob("*.sql"))


def test_an_empty_database_is_brought_up_to_date_once(empty_database: Database) -> None:
    assert migrate(empty_database.owner) == len(FILES)
    assert migrate(empty_database.owner) == 0


def migrate_at_once(urls: list[str]) -> list[int]:
    """Migrates by one process a URL, all at once; returns what each has applied."""
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", MIGRATE, url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for url in urls
    ]
    said = [starter.communicate(timeout=60) for starter in starters]
    assert [starter.returncode for starter in starters] == [0] * len(urls), said
    return sorted(int(out) for out, _ in said)


@pytest.mark.slow
def test_many_starters_at_once_apply_each_migration_once(empty_database: Database) -> None:
    applied = migrate_at_once([empty_database.owner] * 6)
    assert applied == [0] * 5 + [len(FILES)]


def test_every_migration_is_a_sql_file_that_says_why() -> None:
    versions = sorted(path.stem for path in (SCRIPTS / "versions").glob("[0-9]*.py"))
    assert versions == FILES
    for name in FILES:
        assert (SCRIPTS / "sql" / f"{name}.sql").read_text().startswith("-- ")


def sql_of(name: str) -> bytes:
    """Returns the text of a migration."""
    return (SCRIPTS / "sql" / f"{name}.sql").read_bytes()


BY_THE_FIRST_VERSION = """
insert into games (game_id, version, head, status, ruleset, owner)
values (%(game_id)s, 1, decode(%(head)s, 'hex'), 'active', 'pairs', 'cup');
"""
ITS_NOTES = "insert into game_notes (game_id, profiles) values (%(game_id)s, %(profiles)s)"
ITS_EVENT = """
insert into events (game_id, version, type, schema, public, hash)
values (%(game_id)s, 1, 'bid_made', 1, '{}', decode(%(head)s, 'hex'))
"""


def test_the_first_version_goes_on_serving_after_the_second_migration(
    empty_database: Database,
) -> None:
    """What it wrote before and writes after is read as a game with nothing else noted."""
    with psycopg.connect(empty_database.owner, autocommit=True) as owner:
        owner.execute(sql_of(FILES[0]))
        for number in (1, 2):
            if number == 2:
                owner.execute(sql_of(FILES[1]))
            owner.execute("set role spades_app")
            profiles = Jsonb({"N": {"name": "Ada", "player_ref": "plr-ada"}})
            parts = {"game_id": game_id(number), "head": digest(1), "profiles": profiles}
            for statement in (BY_THE_FIRST_VERSION, ITS_NOTES, ITS_EVENT):
                owner.execute(statement, parts)
            owner.execute("reset role")
    store = empty_database.store()
    for number in (1, 2):
        found = store.read(game_id(number))
        assert found is not None
        assert (found.generations, found.issue, found.quarantined) == ({}, None, False)
    assert store.player("cup", "plr-ada") == Player("plr-ada", "Ada", 2)
    assert len(changed(store, 2).entries) == 2
    store.close()


def test_a_schema_of_a_later_version_is_left_alone(database: Database) -> None:
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute("update alembic_version set version_num = '9999'")
    with pytest.raises(ConfigurationError, match="later version"):
        migrate(database.owner)


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
    with pytest.raises(DatabaseUnavailable, match="Connection refused"):
        migrate("postgresql://nobody@127.0.0.1:9/none?connect_timeout=2")


class Bare:
    """A server on which nobody has made the service's roles."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.run("drop owned by spades_app, spades_reader", "spades")
        self.run("drop role spades_app, spades_reader")

    def run(self, statement: str, database: str = "postgres") -> None:
        """Runs a statement as a superuser."""
        url = self._url.replace("@/postgres", f"@/{database}")
        with psycopg.connect(url, autocommit=True) as superuser:
            superuser.execute(statement.encode())

    def database(self, name: str, owner: str) -> str:
        """Makes a database and returns its owner's URL."""
        self.run(f"create database {name} owner {owner}")
        return self._url.replace("//postgres@/postgres", f"//{owner}@/{name}")


@pytest.fixture
def bare() -> Iterator[Bare]:
    with a_cluster() as cluster:
        if cluster.server is None:
            pytest.skip("the roles of a server from outside are not this test's to drop")
        yield Bare(cluster.server.url("postgres", "postgres"))


def test_one_login_that_may_make_roles_migrates_and_serves(bare: Bare) -> None:
    bare.run("create role one login createrole")
    url = bare.database("first", "one")
    assert migrate(url) == len(FILES)
    store = PostgresStore(url, role="spades_app")
    store.create(new_game())
    assert store.read(game_id(1))
    store.close()


def test_a_login_that_may_not_make_the_roles_is_told_so(bare: Bare) -> None:
    bare.run("create role plain login")
    with pytest.raises(ConfigurationError, match="permission denied to create role"):
        migrate(bare.database("first", "plain"))


def test_roles_that_an_operator_made_are_taken_as_they_are(bare: Bare) -> None:
    """A login that neither may make roles nor has any part in these can migrate all the same."""
    for role in ("plain login", "spades_app", "spades_reader", "serving login in role spades_app"):
        bare.run(f"create role {role}")
    owner = bare.database("first", "plain")
    assert migrate(owner) == len(FILES)
    store = PostgresStore(owner.replace("//plain@", "//serving@"), role="spades_app")
    store.create(new_game())
    assert store.read(game_id(1))
    store.close()


@pytest.mark.slow
def test_starters_on_many_databases_of_one_server_share_the_roles(bare: Bare) -> None:
    """Their lock is each database's own, the roles are the server's."""
    bare.run("create role one login createrole")
    urls = [bare.database(f"number_{number}", "one") for number in range(6)]
    assert migrate_at_once(urls) == [len(FILES)] * 6
    for url in urls:
        with psycopg.connect(url) as one:
            one.execute("set role spades_app")
            one.execute("select from events")
