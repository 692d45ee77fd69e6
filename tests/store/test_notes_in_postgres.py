"""What only a real database can show of what is kept beside the log: races, lost answers."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import psycopg

from spades.errors import DatabaseUnavailable
from spades.store import Issue, PostgresStore, Profile, Reading
from tests.support.postgres import Database, overtaken
from tests.support.records import digest, game_id, new_game, records

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIN = Profile("Lin", "plr-lin")
FIRST, SECOND, THIRD = (Issue(game_id(900 + number), MONDAY) for number in (1, 2, 3))


def issues(database: Database, number: int = 1) -> list[str]:
    """Returns the ids of all issues of a game's result, oldest first."""
    with psycopg.connect(database.owner) as owner:
        row = owner.execute(
            "select array(select i ->> 'id' from jsonb_array_elements(issues) i)"
            "  from game_notes where game_id = %s",
            (game_id(number),),
        ).fetchone()
    assert row
    return list(row[0])


def as_issues(*made: Issue) -> str:
    """Returns the SQL that gives the first game these issues."""
    packed = ", ".join(
        f"jsonb_build_object('id', '{one.id}', 'issued_at', '{one.issued_at.isoformat()}')"
        for one in made
    )
    return f"update game_notes set issues = jsonb_build_array({packed})"


def test_an_append_that_waited_for_a_quarantine_is_refused(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())

    def append() -> bool:
        return postgres_store.append(game_id(1), 2, digest(2), records(3, 3), "active")

    with overtaken(database, append, "update games set quarantined = true") as appended:
        assert not appended.result()
    kept = postgres_store.read(game_id(1))
    assert kept is not None
    assert (kept.version, kept.quarantined) == (2, True)


def test_an_issue_that_waited_for_anothers_first_is_that_one(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())

    def ask() -> Issue:
        return postgres_store.issue(game_id(1), SECOND)

    with overtaken(database, ask, as_issues(FIRST)) as told:
        assert told.result() == FIRST


def test_a_change_of_seats_that_waited_for_the_first_issue_corrects_it(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())

    def seat() -> None:
        postgres_store.seat_player(game_id(1), "N", LIN, SECOND)

    with overtaken(database, seat, as_issues(FIRST)) as seated:
        seated.result()
    assert issues(database) == [FIRST.id, SECOND.id]


def test_an_erasure_that_waited_for_the_first_issue_corrects_it(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game(owner="cup"))

    def erase() -> int:
        return postgres_store.erase_player("cup", "plr-ada", SECOND)

    with overtaken(database, erase, as_issues(FIRST)) as erased:
        assert erased.result() == 1
    first, correction = issues(database)
    assert first == FIRST.id
    assert correction not in {FIRST.id, SECOND.id}


def test_two_players_of_one_game_erased_at_once_are_two_corrections(
    database: Database, postgres_store: PostgresStore
) -> None:
    players = [f"plr-{number}" for number in range(4)]
    profiles = {
        seat: Profile(ref, ref) for seat, ref in zip(("N", "E", "S", "W"), players, strict=True)
    }
    for number in range(1, 11):
        postgres_store.create(new_game(number, owner="cup", profiles=profiles))
        postgres_store.issue(game_id(number), Issue(game_id(800 + number), MONDAY))
    start = threading.Barrier(4)

    def erase(number: int) -> None:
        start.wait()
        asked = Issue(game_id(900 + number), MONDAY)
        while True:
            try:
                postgres_store.erase_player("cup", players[number], asked)
                return
            except DatabaseUnavailable:  # a deadlock's victim more than once: ask again
                continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(erase, range(4)))
    for number in range(1, 11):
        made = issues(database, number)
        assert (made[0], len(made), len(set(made))) == (game_id(800 + number), 5, 5)
        stored = postgres_store.read(game_id(number))
        assert stored is not None
        assert stored.profiles == dict.fromkeys(("N", "E", "S", "W"), Profile())


def test_an_answer_lost_issues_nothing_twice(
    database: Database, postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    postgres_store.create(new_game(owner="cup"))
    lost_answer()
    assert postgres_store.issue(game_id(1), FIRST) == FIRST
    lost_answer()
    postgres_store.seat_player(game_id(1), "S", LIN, SECOND)
    lost_answer()
    postgres_store.erase_player("cup", "plr-ada", THIRD)
    made = issues(database)
    assert (made[:2], len(made)) == ([FIRST.id, SECOND.id], 3)


def test_an_answer_lost_notes_nothing_twice(
    postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    postgres_store.create(new_game(owner="cup"))
    seen = Reading(game_id(7), game_id(1), MONDAY, "tok-1", "auditor", "audit", 2)
    lost_answer()
    postgres_store.note_reading(seen)
    assert postgres_store.readings(game_id(1), None, 10) == (seen,)
    lost_answer()
    postgres_store.put_player("cup", "plr-ada", "Countess", MONDAY)
    assert postgres_store.player_names("cup", ["plr-ada"]) == {"plr-ada": "Countess"}
    lost_answer()
    postgres_store.quarantine(game_id(1), True)
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    assert stored.quarantined
