"""What only a real database can show of what is kept beside the log: races, lost answers."""

import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import count

import orjson
import psycopg
import pytest

from spades.errors import DatabaseUnavailable
from spades.store import Issue, Issued, PostgresStore, Profile, Reading
from tests.support.postgres import Database, overtaken
from tests.support.records import digest, game_id, new_game, records

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIN, UNNAMED = Profile("Lin", "plr-lin"), Profile(None, "plr-lin")
COUNTESS, NOBODY = Profile("Countess", "plr-lin"), Profile()
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


def as_issues(*made: Issue, corrected: bool = False) -> str:
    """Returns the SQL that gives the first game these issues."""
    packed = ", ".join(
        f"jsonb_build_object('id', '{one.id}', 'issued_at', '{one.issued_at.isoformat()}')"
        for one in made
    )
    return f"update game_notes set issues = jsonb_build_array({packed}), corrected = {corrected}"


def as_players(**profiles: Profile) -> str:
    """Returns the SQL that seats these players, and outdates what was issued of the result."""
    packed = orjson.dumps({seat: asdict(profile) for seat, profile in profiles.items()}).decode()
    return f"update game_notes set profiles = profiles || '{packed}', corrected = issues <> '[]'"


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


def test_an_issue_that_waited_for_anothers_is_that_one(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())

    def ask() -> Issued:
        return postgres_store.issue(game_id(1), THIRD)

    with overtaken(database, ask, as_issues(FIRST)) as told:
        assert told.result().issue == FIRST
    postgres_store.seat_player(game_id(1), "S", LIN)
    with overtaken(database, ask, as_issues(FIRST, SECOND)) as told:
        assert told.result().issue == Issue(SECOND.id, MONDAY, supersedes=FIRST.id)


def test_an_issue_that_waited_for_a_correction_tells_of_who_sits_there_then(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())
    postgres_store.issue(game_id(1), FIRST)

    def ask() -> Issued:
        return postgres_store.issue(game_id(1), SECOND)

    with overtaken(database, ask, as_players(N=LIN)) as told:
        corrected = Issue(SECOND.id, MONDAY, supersedes=FIRST.id)
        assert told.result() == Issued(corrected, {"N": LIN})


def test_a_change_of_seats_that_waited_for_the_first_issue_corrects_it(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game())

    def seat() -> Profile:
        return postgres_store.seat_player(game_id(1), "N", LIN)

    with overtaken(database, seat, as_issues(FIRST)) as seated:
        assert seated.result() == LIN
    assert issue_of(postgres_store) is None


def test_an_erasure_that_waited_for_the_first_issue_corrects_it(
    database: Database, postgres_store: PostgresStore
) -> None:
    postgres_store.create(new_game(owner="cup"))

    def erase() -> int:
        return postgres_store.erase_player("cup", "plr-ada")

    with overtaken(database, erase, as_issues(FIRST)) as erased:
        assert erased.result() == 1
    assert issue_of(postgres_store) is None


def issue_of(store: PostgresStore, number: int = 1) -> Issue | None:
    stored = store.read(game_id(number))
    assert stored is not None
    return stored.issue


@pytest.mark.parametrize(
    ("by_then", "claim", "seated"),
    [
        (NOBODY, NOBODY, NOBODY),
        (NOBODY, Profile("Kim"), Profile("Kim")),
        (NOBODY, Profile(None, "plr-lin"), LIN),
        (NOBODY, Profile("Kim", "plr-lin"), Profile("Kim", "plr-lin")),
        (Profile("Bo", "plr-bo"), NOBODY, Profile("Bo", "plr-bo")),
        (Profile("Bo", "plr-bo"), Profile("Kim"), Profile("Kim", "plr-bo")),
        (Profile(None, "plr-bo"), Profile(None, "plr-lin"), Profile(None, "plr-bo")),
        (Profile("Guest"), Profile(None, "plr-lin"), LIN),
    ],
)
@pytest.mark.parametrize("before", [NOBODY, Profile("Ada", "plr-ada")])
def test_a_claim_that_waited_for_a_change_of_its_seat_is_merged_with_that(
    database: Database,
    postgres_store: PostgresStore,
    before: Profile,
    by_then: Profile,
    claim: Profile,
    seated: Profile,
) -> None:
    postgres_store.put_player("cup", "plr-lin", "Lin", MONDAY)
    postgres_store.create(new_game(owner="cup", profiles={"N": before}))

    def append() -> bool:
        new = records(3, 3)
        return postgres_store.append(game_id(1), 2, digest(2), new, "active", ("N", claim))

    with overtaken(database, append, as_players(N=by_then)) as appended:
        assert appended.result()
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    assert (stored.version, stored.profiles) == (3, {"N": seated})


SEATED: list[tuple[str, Callable[[PostgresStore], object]]] = [
    ("create", lambda store: store.create(new_game(2, owner="cup", profiles={"S": UNNAMED}))),
    ("seat_player", lambda store: store.seat_player(game_id(1), "S", UNNAMED)),
    (
        "append",
        lambda store: store.append(
            game_id(1), 2, digest(2), records(3, 3), "active", ("S", UNNAMED)
        ),
    ),
]


@pytest.mark.parametrize("seat", [seat for _, seat in SEATED], ids=[name for name, _ in SEATED])
@pytest.mark.parametrize(
    ("change", "name"),
    [("update players set name = 'Countess'", "Countess"), ("delete from players", None)],
)
def test_a_name_that_is_looked_up_is_never_the_one_before(
    database: Database,
    postgres_store: PostgresStore,
    seat: Callable[[PostgresStore], object],
    change: str,
    name: str | None,
) -> None:
    postgres_store.put_player("cup", "plr-lin", "Lin", MONDAY)
    postgres_store.create(new_game(1, owner="cup"))
    with overtaken(database, lambda: seat(postgres_store), change) as seated:
        seated.result()
    found = [postgres_store.read(game_id(number)) for number in (1, 2)]
    shown = [game.profiles["S"] for game in found if game and "S" in game.profiles]
    assert shown == [Profile(name, "plr-lin")]


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda store: store.put_player("cup", "plr-lin", "Countess", MONDAY), COUNTESS),
        (lambda store: store.erase_player("cup", "plr-lin"), NOBODY),
    ],
    ids=["put_player", "erase_player"],
)
def test_whoever_is_being_seated_by_their_name_is_renamed_or_erased_after(
    database: Database,
    postgres_store: PostgresStore,
    change: Callable[[PostgresStore], object],
    left: Profile,
) -> None:
    """Another's seating holds the name, is not seen yet, and is committed while this waits."""
    postgres_store.put_player("cup", "plr-lin", "Lin", MONDAY)
    postgres_store.create(new_game(1, owner="cup"))
    seating = (
        "with named as (select name from players for share)"
        " update game_notes set profiles = jsonb_build_object('S', jsonb_build_object("
        "'name', (select name from named), 'player_ref', 'plr-lin'))"
    )
    with overtaken(database, lambda: change(postgres_store), seating) as changed:
        changed.result()
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    assert stored.profiles == {"S": left}


@pytest.mark.parametrize(
    ("change", "shown"),
    [("update players set name = 'Countess'", COUNTESS), ("delete from players", LIN)],
)
def test_a_name_is_shown_as_it_is_noted_by_then(
    database: Database, postgres_store: PostgresStore, change: str, shown: Profile
) -> None:
    """Another's later name, or none any more: nobody's erasure is undone by showing a name."""
    postgres_store.create(new_game(1, owner="cup", profiles={"S": LIN}))
    postgres_store.put_player("cup", "plr-lin", "Lin", MONDAY)
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute("update players set name = 'Linda'")

    def show() -> object:
        return postgres_store._rows("show_player", {"owner": "cup", "ref": "plr-lin"})

    with overtaken(database, show, change) as done:
        done.result()
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    assert stored.profiles == {"S": shown}


def test_claims_and_erasures_at_once_leave_nobody_who_was_erased(
    postgres_store: PostgresStore,
) -> None:
    for turn in range(15):
        ref, games = f"plr-{turn}", range(10 * turn + 1, 10 * turn + 5)
        postgres_store.put_player("cup", ref, "Ada", MONDAY)
        for number in games:
            reserved = {"N": Profile(None, ref)}
            postgres_store.create(new_game(number, owner="cup", profiles=reserved))
        start = threading.Barrier(5)

        def claim(number: int, start: threading.Barrier = start) -> bool:
            start.wait()
            claim, new = ("N", Profile("Kim")), records(3, 3)
            return postgres_store.append(game_id(number), 2, digest(2), new, "active", claim)

        def erase(ref: str = ref, start: threading.Barrier = start) -> int:
            start.wait()
            return postgres_store.erase_player("cup", ref)

        with ThreadPoolExecutor(5) as pool:
            erased, claimed = pool.submit(erase), list(pool.map(claim, games))
        assert (erased.result(), claimed) == (4, [True] * 4)
        assert postgres_store.player("cup", ref) is None
        for number in games:
            stored = postgres_store.read(game_id(number))
            assert stored is not None
            assert stored.profiles in ({"N": NOBODY}, {"N": Profile("Kim")})


def test_two_players_of_one_game_erased_at_once_are_one_correction(
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
        while True:
            try:
                postgres_store.erase_player("cup", players[number])
                return
            except DatabaseUnavailable:  # a deadlock's victim more than once: ask again
                continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(erase, range(4)))
    nobody = dict.fromkeys(("N", "E", "S", "W"), NOBODY)
    for number in range(1, 11):
        assert issue_of(postgres_store, number) is None
        told = postgres_store.issue(game_id(number), Issue(game_id(900 + number), MONDAY))
        assert told.profiles == nobody
        assert issues(database, number) == [game_id(800 + number), game_id(900 + number)]


def test_one_id_of_a_result_never_has_two_contents(
    database: Database, postgres_store: PostgresStore
) -> None:
    """Players change while results are told: each issue goes with one reference, and was told."""
    postgres_store.create(new_game(owner="cup"))
    told: dict[str, set[str | None]] = defaultdict(set)
    superseded: dict[str, str | None] = {}
    fresh = (Issue(game_id(number), MONDAY) for number in count(1000))
    lock, done = threading.Lock(), threading.Event()

    def tell() -> None:
        while not done.is_set():
            stored = postgres_store.read(game_id(1))
            assert stored is not None
            issue, profiles = stored.issue, stored.profiles
            if issue is None:
                with lock:
                    wanted = next(fresh)
                issued = postgres_store.issue(game_id(1), wanted)
                issue, profiles = issued.issue, issued.profiles
            with lock:
                told[issue.id].add(profiles["N"].player_ref)
                superseded[issue.id] = issue.supersedes

    def change(writer: int) -> None:
        for number in range(60):
            ref = f"plr-{writer}-{number}"
            postgres_store.seat_player(game_id(1), "N", Profile(None, ref))
            if number % 3 == 0:
                postgres_store.erase_player("cup", ref)

    with ThreadPoolExecutor(6) as pool:
        tellers = [pool.submit(tell) for _ in range(4)]
        list(pool.map(change, range(2)))
        done.set()
    for teller in tellers:
        teller.result()
    assert all(len(refs) == 1 for refs in told.values())
    made = issues(database)
    assert set(told) == set(made)
    assert superseded == dict(zip(made, [None, *made], strict=False))


def test_an_answer_lost_issues_nothing_twice(
    database: Database, postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    postgres_store.create(new_game(owner="cup"))
    lost_answer()
    assert postgres_store.issue(game_id(1), FIRST).issue == FIRST
    lost_answer()
    assert postgres_store.seat_player(game_id(1), "S", LIN) == LIN
    lost_answer()
    assert postgres_store.erase_player("cup", "plr-ada") == 1
    lost_answer()
    assert postgres_store.issue(game_id(1), SECOND).issue.supersedes == FIRST.id
    assert issues(database) == [FIRST.id, SECOND.id]


def test_a_creation_whose_answer_was_lost_is_there(
    postgres_store: PostgresStore, lost_answer: Callable[[], None]
) -> None:
    lost_answer()
    created = postgres_store.create(new_game(owner="cup"))
    assert (created.replayed, created.profiles) == (False, None)
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    assert stored.profiles == {"N": Profile("Ada", "plr-ada")}


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
    unnamed = Profile(None, "plr-ada")
    assert postgres_store.seat_player(game_id(1), "N", unnamed).name == "Countess"
    lost_answer()
    postgres_store.quarantine(game_id(1), True)
    stored = postgres_store.read(game_id(1))
    assert stored is not None
    assert stored.quarantined
