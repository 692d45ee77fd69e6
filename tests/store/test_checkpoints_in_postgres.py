"""What only a real database can show of checkpoints: races, lost answers, late commits."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import psycopg
import pytest

from spades.store import Checkpoint, Entry, PostgresStore
from tests.support.postgres import Database, overtaken, wait_until_somebody_waits
from tests.support.records import changed, digest, game_id, new_game, records

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
GAMES, LAST = 400, 8


def entry(number: int) -> Entry:
    return Entry(game_id(number), 2, digest(2))


def test_a_checkpoint_of_which_the_answer_was_lost_is_added_once(
    postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    made = Checkpoint(2, digest(1), MONDAY)
    lost_answer()
    assert postgres_store.add_checkpoint(0, made, (entry(1), entry(2)), {(0, 0): digest(3)}, 5)
    assert postgres_store.checkpoints(None, 10) == (made,)
    assert postgres_store.entries_of(game_id(1)) == (entry(1),)


ANOTHERS = (
    "insert into checkpoints (size, after, root, made_at, upto)"
    f" values (2, 0, decode('{digest(8)}', 'hex'), now(), '1')"
)


@pytest.mark.parametrize("size", [2, 3])
def test_a_checkpoint_that_waited_for_another_after_the_same_is_refused(
    database: Database, postgres_store: PostgresStore, size: int
) -> None:
    mine = Checkpoint(size, digest(9), MONDAY)
    entries = tuple(entry(number) for number in range(size))

    def add() -> bool:
        return postgres_store.add_checkpoint(0, mine, entries, {(0, 0): digest(7)}, 1)

    with overtaken(database, add, ANOTHERS) as added:
        assert not added.result()
    assert [one.size for one in postgres_store.checkpoints(None, 10)] == [2]
    assert postgres_store.nodes([(0, 0)]) == {}
    assert postgres_store.entries_of(game_id(0)) == ()


def test_a_checkpoint_waits_for_one_that_is_given_up_and_takes_its_place(
    database: Database, postgres_store: PostgresStore
) -> None:
    mine = Checkpoint(1, digest(9), MONDAY)
    with ThreadPoolExecutor(1) as pool, psycopg.connect(database.owner) as other:
        other.execute(ANOTHERS.encode())
        added = pool.submit(postgres_store.add_checkpoint, 0, mine, (entry(1),), {}, 1)
        wait_until_somebody_waits(database)
        other.rollback()
        assert added.result()
    assert postgres_store.checkpoints(None, 10) == (mine,)


def test_of_checkpoints_added_at_once_each_place_is_taken_once(
    postgres_store: PostgresStore,
) -> None:
    start = threading.Barrier(6)

    def add(worker: int) -> list[int]:
        won = []
        for after in range(12):
            start.wait()
            mine = Checkpoint(after + 1, digest(worker), MONDAY)
            if postgres_store.add_checkpoint(after, mine, (entry(after),), {}, 1):
                won.append(after)
            start.wait()
        return won

    with ThreadPoolExecutor(6) as pool:
        won = [after for each in pool.map(add, range(6)) for after in each]
    assert sorted(won) == list(range(12))
    assert [one.size for one in postgres_store.checkpoints(None, 20)] == list(range(12, 0, -1))


def test_a_checkpoint_that_lists_a_game_twice_at_one_version_is_not_kept_in_part(
    postgres_store: PostgresStore,
) -> None:
    with pytest.raises(psycopg.IntegrityError):
        postgres_store.add_checkpoint(
            0, Checkpoint(2, digest(1), MONDAY), (entry(1), entry(1)), {}, 1
        )
    assert postgres_store.checkpoint() is None
    assert postgres_store.entries_of(game_id(1)) == ()


def take(store: PostgresStore) -> bool:
    """Takes a checkpoint of what changed, as one of many might; tells whether it was added."""
    changes = store.changes()
    after = changes.last.size if changes.last else 0
    size = after + len(changes.entries)
    if size == after:
        return False
    nodes = {(0, after + place): one.head for place, one in enumerate(changes.entries)}
    made = Checkpoint(size, digest(size), datetime.now(UTC))
    return store.add_checkpoint(after, made, changes.entries, nodes, changes.upto)


def test_no_checkpoint_misses_a_transaction_that_began_early_and_commits_late(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game(1))
    with psycopg.connect(database.owner) as early:
        early.execute("select pg_current_xact_id()")
        postgres_store.create(new_game(2))
        assert changed(postgres_store, 1).entries == (entry(1),)
        assert take(postgres_store)
        assert not take(postgres_store)
        early.execute(
            "insert into events (game_id, version, type, schema, public, hash)"
            " values (%s, 2, 'bid_made', 1, '{}', decode(%s, 'hex'))",
            (game_id(3), digest(2)),
        )
        assert postgres_store.changes().entries == ()
    assert changed(postgres_store, 2).entries == (entry(2), entry(3))


@pytest.mark.slow
def test_checkpoints_miss_no_change_while_eight_write(database: Database) -> None:
    """Three take checkpoints meanwhile, and some transactions stay open for long.

    The games are short, so that one missed event is likely to be a game's last.
    """
    store, done = database.store(most=24), threading.Event()

    def keep_taking() -> int:
        added = 0
        while not done.is_set():
            added += take(store)
        return added

    def dawdle() -> None:
        chance = random.Random(1)
        with psycopg.connect(database.owner) as slow:
            while not done.is_set():
                slow.execute("select pg_current_xact_id()")
                time.sleep(chance.uniform(0, 0.05))
                slow.commit()

    with ThreadPoolExecutor(12) as pool:
        others = [pool.submit(keep_taking) for _ in range(3)]
        dawdler = pool.submit(dawdle)
        list(pool.map(lambda number: write(store, number), range(GAMES)))
        done.set()
        assert sum(taker.result() for taker in others) > 1
        dawdler.result()
    list_is_whole(store)
    store.close()


def write(store: PostgresStore, number: int) -> None:
    """Plays a whole game, an event at a time."""
    store.create(new_game(number))
    for version in range(2, LAST):
        later = records(version + 1, version + 1)
        assert store.append(game_id(number), version, digest(version), later, "active")


def list_is_whole(store: PostgresStore) -> None:
    """Each game's last event is listed soon, each place is one game's, and no game goes back."""
    end = time.monotonic() + 10
    games = [store.entries_of(game_id(number)) for number in range(GAMES)]
    while missing := [one for one in games if one[-1:] == () or one[-1].version < LAST]:
        assert time.monotonic() < end, f"{len(missing)} games miss their last event"
        take(store)
        games = [store.entries_of(game_id(number)) for number in range(GAMES)]
    listed = [one for entries in games for one in entries]
    assert all(one.head == digest(one.version) for one in listed)
    for versions in ([one.version for one in entries] for entries in games):
        assert versions == sorted(set(versions))
    latest = store.checkpoint()
    assert latest is not None
    assert latest.size == len(listed)
    leaves = store.nodes([(0, place) for place in range(latest.size + 1)])
    assert set(leaves) == {(0, place) for place in range(latest.size)}
