"""What every store promises to keep beside the log: quarantine, tokens, players, issues."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from spades.errors import DatabaseUnavailable, GameNotFound
from spades.store import Issue, Issued, Player, Profile, Reading, Store, Stored
from tests.support.records import digest, game_id, new_game, records

MONDAY = datetime(2026, 11, 30, 12, 0, 0, 125000, tzinfo=UTC)
TUESDAY = MONDAY + timedelta(days=1)
ADA, LIN = Profile("Ada", "plr-ada"), Profile("Lin", "plr-lin")
NOBODY = Profile()
FIRST = Issue(game_id(901), MONDAY)
SECOND = Issue(game_id(902), TUESDAY)
THIRD = Issue(game_id(903), TUESDAY)


def stored(store: Store, number: int = 1) -> Stored:
    """Returns a game that is there."""
    found = store.read(game_id(number))
    assert found is not None
    return found


def reading(number: int, game: int = 1, version: int = 2) -> Reading:
    """Returns a reading; greater numbers are later readings."""
    return Reading(game_id(number), game_id(game), MONDAY, "tok-1", "auditor", "audit", version)


def test_a_new_game_has_nothing_noted_beside_it(store: Store) -> None:
    store.create(new_game())
    game = stored(store)
    assert (game.generations, game.issue, game.quarantined) == ({}, None, False)
    assert store.readings(game_id(1), None, 10) == ()


def test_a_quarantined_game_takes_no_append_until_it_is_released(store: Store) -> None:
    store.create(new_game())
    store.quarantine(game_id(1), True)
    claim = ("S", LIN)
    assert not store.append(game_id(1), 2, digest(2), records(3, 3), "active", claim)
    kept = stored(store)
    assert (kept.version, kept.profiles, kept.quarantined) == (2, {"N": ADA}, True)
    store.quarantine(game_id(1), False)
    assert store.append(game_id(1), 2, digest(2), records(3, 3), "active", claim)
    assert not stored(store).quarantined


def test_a_quarantine_is_one_games_own_and_may_be_noted_twice(store: Store) -> None:
    store.create(new_game(1))
    store.create(new_game(2))
    for _ in range(2):
        store.quarantine(game_id(1), True)
    store.quarantine(game_id(9), True)
    assert stored(store, 1).quarantined
    assert store.append(game_id(2), 2, digest(2), records(3, 3), "active")


def test_generations_of_tokens_go_on_from_the_first_by_game_and_kind(store: Store) -> None:
    store.create(new_game(1))
    store.create(new_game(2))
    assert store.next_generation(game_id(1), "auditor") == 2
    assert store.next_generation(game_id(1), "auditor") == 3
    assert store.next_generation(game_id(1), "spectator") == 2
    assert stored(store, 1).generations == {"auditor": 3, "spectator": 2}
    assert stored(store, 2).generations == {}


def test_tokens_revoked_by_many_at_once_get_a_generation_each(store: Store) -> None:
    store.create(new_game())
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: store.next_generation(game_id(1), "auditor"), range(16)))
    assert sorted(made) == list(range(2, 18))


def test_a_game_that_is_not_there_has_no_tokens_and_no_issue(store: Store) -> None:
    with pytest.raises(GameNotFound):
        store.next_generation(game_id(9), "auditor")
    with pytest.raises(GameNotFound):
        store.issue(game_id(9), FIRST)
    with pytest.raises(GameNotFound):
        store.seat_player(game_id(9), "N", ADA)
    assert store.read(game_id(9)) is None


def test_readings_of_a_game_are_listed_newest_first_and_page_by_page(store: Store) -> None:
    for number in (2, 1, 4, 3):
        store.note_reading(reading(number))
    store.note_reading(reading(5, game=2))
    assert store.readings(game_id(1), None, 10) == tuple(reading(n) for n in (4, 3, 2, 1))
    assert store.readings(game_id(1), None, 2) == (reading(4), reading(3))
    assert store.readings(game_id(1), game_id(3), 2) == (reading(2), reading(1))
    assert store.readings(game_id(2), None, 10) == (reading(5, game=2),)


def test_a_reading_noted_twice_stays_as_it_was(store: Store) -> None:
    store.note_reading(reading(1, version=2))
    store.note_reading(reading(1, version=7))
    assert store.readings(game_id(1), None, 10) == (reading(1, version=2),)


def test_a_player_is_known_once_noted_or_seated(store: Store) -> None:
    assert store.player("cup", "plr-ada") is None
    store.put_player("cup", "plr-lin", "Lin", MONDAY)
    store.create(new_game(1, owner="cup"))
    assert store.player("cup", "plr-lin") == Player("plr-lin", "Lin", 0)
    assert store.player("cup", "plr-ada") == Player("plr-ada", "Ada", 1)
    assert store.player("cup", "plr") is None
    assert store.player("club", "plr-ada") is None


def test_a_players_games_are_counted_once_whichever_their_seats(store: Store) -> None:
    store.create(new_game(1, owner="cup", profiles={"N": ADA, "S": ADA}))
    store.create(new_game(2, owner="cup", profiles={"E": ADA, "W": LIN}))
    store.create(new_game(3, owner="cup", profiles={"W": LIN}))
    store.create(new_game(4, owner="club", profiles={"W": ADA}))
    store.append(game_id(3), 2, digest(2), records(3, 3), "active", ("N", ADA))
    assert store.player("cup", "plr-ada") == Player("plr-ada", "Ada", 3)


def test_a_name_that_is_not_noted_is_that_of_the_latest_game_that_shows_one(store: Store) -> None:
    for number, name in ((1, "Ada"), (2, "Countess"), (3, None)):
        store.create(new_game(number, owner="cup", profiles={"N": Profile(name, "plr-ada")}))
    assert store.player("cup", "plr-ada") == Player("plr-ada", "Countess", 3)


def test_a_players_name_is_shown_in_every_seat_of_theirs(store: Store) -> None:
    store.create(new_game(1, owner="cup", profiles={"N": ADA, "S": LIN}))
    store.create(new_game(2, owner="cup", profiles={"E": Profile(None, "plr-ada")}))
    store.create(new_game(3, owner="club", profiles={"E": ADA}))
    store.create(new_game(4, owner="cup", profiles={"E": Profile("Ada"), "S": NOBODY}))
    for _ in range(2):
        store.put_player("cup", "plr-ada", "Countess", MONDAY)
    countess = Profile("Countess", "plr-ada")
    assert stored(store, 1).profiles == {"N": countess, "S": LIN}
    assert stored(store, 2).profiles == {"E": countess}
    assert stored(store, 3).profiles == {"E": ADA}
    assert stored(store, 4).profiles == {"E": Profile("Ada"), "S": NOBODY}


def test_a_player_may_be_noted_without_a_name(store: Store) -> None:
    store.create(new_game(1, owner="cup"))
    store.put_player("cup", "plr-ada", "Countess", MONDAY)
    store.put_player("cup", "plr-ada", None, TUESDAY)
    assert stored(store).profiles == {"N": Profile(None, "plr-ada")}
    assert store.player("cup", "plr-ada") == Player("plr-ada", None, 1)


def test_who_comes_without_a_name_gets_the_one_noted(store: Store) -> None:
    store.put_player("cup", "plr-ada", "Ada", MONDAY)
    store.put_player("cup", "plr-lin", None, MONDAY)
    store.put_player("club", "plr-bo", "Bo", MONDAY)
    refs = {"N": "plr-ada", "E": "plr-lin", "S": "plr-bo", "W": "plr-ada"}
    profiles = {seat: Profile(None, ref) for seat, ref in refs.items()}
    profiles["W"] = Profile("Countess", "plr-ada")
    shown = {**profiles, "N": ADA}
    created = store.create(new_game(1, owner="cup", profiles=profiles))
    assert created.profiles == stored(store, 1).profiles == shown
    assert store.create(new_game(2, profiles=profiles)).profiles == profiles
    store.create(new_game(3, owner="cup", profiles={}))
    for seat, profile in profiles.items():
        assert store.seat_player(game_id(3), seat, profile) == shown[seat]
    assert stored(store, 3).profiles == shown
    assert store.seat_player(game_id(2), "N", Profile(None, "plr-ada")) == profiles["N"]


BO = Profile("Bo", "plr-bo")


@pytest.mark.parametrize(
    ("noted", "claim", "seated"),
    [
        (None, NOBODY, NOBODY),
        (None, Profile("Kim"), Profile("Kim")),
        (None, Profile(None, "plr-lin"), LIN),
        (None, Profile("Kim", "plr-lin"), Profile("Kim", "plr-lin")),
        (None, Profile(None, "plr-eve"), Profile(None, "plr-eve")),
        (NOBODY, Profile(None, "plr-lin"), LIN),
        (Profile("Guest"), NOBODY, Profile("Guest")),
        (Profile("Guest"), Profile("Kim"), Profile("Kim")),
        (Profile("Guest"), Profile(None, "plr-lin"), LIN),
        (Profile("Guest"), Profile(None, "plr-eve"), Profile("Guest", "plr-eve")),
        (BO, NOBODY, BO),
        (BO, Profile("Kim"), Profile("Kim", "plr-bo")),
        (BO, Profile(None, "plr-lin"), BO),
        (BO, Profile("Kim", "plr-lin"), Profile("Kim", "plr-bo")),
        (Profile(None, "plr-bo"), Profile(None, "plr-lin"), Profile(None, "plr-bo")),
    ],
)
def test_a_claim_is_merged_with_what_is_noted_of_the_seat_by_then(
    store: Store, noted: Profile | None, claim: Profile, seated: Profile
) -> None:
    """The reference noted stands, a name given replaces the one noted."""
    store.put_player("cup", "plr-lin", "Lin", MONDAY)
    store.create(new_game(owner="cup"))
    if noted:
        store.seat_player(game_id(1), "S", noted)
    assert store.append(game_id(1), 2, digest(2), records(3, 3), "active", ("S", claim))
    assert stored(store).profiles == {"N": ADA, "S": seated}


def test_a_claim_of_a_game_that_nobody_owns_brings_no_platforms_name(store: Store) -> None:
    store.put_player("cup", "plr-lin", "Lin", MONDAY)
    store.create(new_game())
    claim = Profile(None, "plr-lin")
    assert store.append(game_id(1), 2, digest(2), records(3, 3), "active", ("S", claim))
    assert stored(store).profiles["S"] == claim


def test_a_claim_brings_nobody_back_who_was_erased_while_it_was_made(store: Store) -> None:
    store.create(new_game(owner="cup"))
    seen = stored(store)
    store.erase_player("cup", "plr-ada")
    claim = ("N", Profile("Lovelace"))
    assert store.append(game_id(1), seen.version, seen.head, records(3, 3), "active", claim)
    assert stored(store).profiles == {"N": Profile("Lovelace")}
    assert store.player("cup", "plr-ada") is None


@pytest.mark.parametrize("ref", ['"', "\\", "$.*", "%s", "plr'--", "trưởng ♠", "null", "1"])
def test_a_reference_may_be_any_text(store: Store, ref: str) -> None:
    store.create(new_game(1, owner="cup", profiles={"N": Profile("Odd", ref), "S": ADA}))
    store.put_player("cup", ref, ref, MONDAY)
    assert stored(store).profiles == {"N": Profile(ref, ref), "S": ADA}
    assert store.player("cup", ref) == Player(ref, ref, 1)
    assert store.seat_player(game_id(1), "E", Profile(None, ref)) == Profile(ref, ref)
    claim = ("W", Profile(None, ref))
    assert store.append(game_id(1), 2, digest(2), records(3, 3), "active", claim)
    assert stored(store).profiles["W"] == Profile(ref, ref)
    assert store.erase_player("cup", ref) == 1
    assert stored(store).profiles == {"N": NOBODY, "E": NOBODY, "S": ADA, "W": NOBODY}


def test_a_player_who_is_erased_is_nowhere_any_more(store: Store) -> None:
    store.put_player("cup", "plr-ada", "Ada", MONDAY)
    store.create(new_game(1, owner="cup", profiles={"N": ADA, "E": ADA, "S": LIN}))
    store.create(new_game(2, owner="cup", profiles={"W": ADA}))
    assert store.erase_player("cup", "plr-ada") == 2
    assert stored(store, 1).profiles == {"N": NOBODY, "E": NOBODY, "S": LIN}
    assert stored(store, 2).profiles == {"W": NOBODY}
    assert store.player("cup", "plr-ada") is None
    unnamed = Profile(None, "plr-ada")
    assert store.seat_player(game_id(1), "W", unnamed) == unnamed


def test_only_the_platforms_own_player_is_erased(store: Store) -> None:
    store.put_player("club", "plr-ada", "Ada", MONDAY)
    store.create(new_game(1, owner="club"))
    store.create(new_game(2))
    store.create(new_game(3, owner="cup", profiles={"N": LIN}))
    assert store.erase_player("cup", "plr-ada") == 0
    assert stored(store, 1).profiles == stored(store, 2).profiles == {"N": ADA}
    assert stored(store, 3).profiles == {"N": LIN}
    assert store.player("club", "plr-ada") == Player("plr-ada", "Ada", 1)


def told(store: Store, fresh: Issue, number: int = 1) -> Issue:
    """Tells a game's result, under a fresh issue if need be; returns which issue that was."""
    issued = store.issue(game_id(number), fresh)
    assert (stored(store, number).issue, stored(store, number).profiles) == (
        issued.issue,
        issued.profiles,
    )
    return issued.issue


def test_the_first_issue_of_a_result_stays_the_last_until_it_is_corrected(store: Store) -> None:
    store.create(new_game())
    assert store.issue(game_id(1), FIRST) == Issued(FIRST, {"N": ADA})
    assert store.issue(game_id(1), SECOND) == Issued(FIRST, {"N": ADA})
    assert stored(store).issue == FIRST


def test_a_result_asked_for_by_many_at_once_is_issued_once(store: Store) -> None:
    store.create(new_game())
    wanted = [Issue(game_id(900 + number), MONDAY) for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        issued = list(pool.map(lambda fresh: store.issue(game_id(1), fresh), wanted))
    assert len({one.issue for one in issued}) == 1
    assert issued[0].issue in wanted


def test_a_correction_asked_for_by_many_at_once_is_issued_once(store: Store) -> None:
    store.create(new_game())
    told(store, FIRST)
    store.seat_player(game_id(1), "S", LIN)
    wanted = [Issue(game_id(910 + number), MONDAY) for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        issued = list(pool.map(lambda fresh: store.issue(game_id(1), fresh), wanted))
    assert len({one.issue for one in issued}) == 1
    assert {one.issue.supersedes for one in issued} == {FIRST.id}
    assert all(one.profiles == {"N": ADA, "S": LIN} for one in issued)


def test_who_sat_in_a_seat_may_be_noted_later(store: Store) -> None:
    store.create(new_game())
    store.seat_player(game_id(1), "S", LIN)
    store.seat_player(game_id(1), "N", NOBODY)
    assert stored(store).profiles == {"N": NOBODY, "S": LIN}
    assert stored(store).issue is None
    assert told(store, FIRST) == FIRST


def test_another_reference_corrects_a_result_that_was_told(store: Store) -> None:
    store.create(new_game())
    told(store, FIRST)
    store.seat_player(game_id(1), "S", LIN)
    assert stored(store).issue is None
    assert told(store, SECOND) == Issue(SECOND.id, TUESDAY, supersedes=FIRST.id)
    store.seat_player(game_id(1), "S", NOBODY)
    assert told(store, THIRD) == Issue(THIRD.id, TUESDAY, supersedes=SECOND.id)


def test_what_nobody_was_told_is_not_superseded(store: Store) -> None:
    store.create(new_game())
    told(store, FIRST)
    for profile in (LIN, NOBODY, BO):
        store.seat_player(game_id(1), "S", profile)
    assert told(store, SECOND) == Issue(SECOND.id, TUESDAY, supersedes=FIRST.id)


def test_the_same_reference_or_another_name_corrects_nothing(store: Store) -> None:
    store.create(new_game(owner="cup"))
    told(store, FIRST)
    store.seat_player(game_id(1), "N", ADA)
    store.seat_player(game_id(1), "N", Profile("Countess", "plr-ada"))
    store.seat_player(game_id(1), "S", Profile("Lin"))
    store.put_player("cup", "plr-ada", "Lovelace", MONDAY)
    assert stored(store).profiles["N"] == Profile("Lovelace", "plr-ada")
    assert told(store, SECOND) == FIRST


def test_an_erasure_corrects_the_results_that_were_told(store: Store) -> None:
    for number, profile in ((1, ADA), (2, ADA), (3, ADA), (4, LIN)):
        store.create(new_game(number, owner="cup", profiles={"N": profile, "S": profile}))
    first = {number: Issue(game_id(910 + number), MONDAY) for number in (1, 2, 4)}
    for number, issue in first.items():
        told(store, issue, number)
    for erased in (3, 0):
        assert store.erase_player("cup", "plr-ada") == erased
    for number in (1, 2):
        assert stored(store, number).issue is None
        assert told(store, SECOND, number).supersedes == first[number].id
    assert told(store, SECOND, 3).supersedes is None
    assert told(store, SECOND, 4) == first[4]


def test_a_claim_with_a_reference_corrects_too(store: Store) -> None:
    store.create(new_game())
    told(store, FIRST)
    claim = ("N", Profile("Countess"))
    assert store.append(game_id(1), 2, digest(2), records(3, 3), "active", claim)
    assert told(store, SECOND) == FIRST
    assert store.append(game_id(1), 3, digest(3), records(4, 4), "active", ("S", LIN))
    assert told(store, SECOND).supersedes == FIRST.id


def test_an_issue_made_twice_is_one(store: Store) -> None:
    store.create(new_game())
    told(store, FIRST)
    store.seat_player(game_id(1), "S", LIN)
    for _ in range(2):
        assert told(store, SECOND) == Issue(SECOND.id, TUESDAY, supersedes=FIRST.id)


def test_an_issue_that_was_outdated_between_two_tries_is_not_told(store: Store) -> None:
    store.create(new_game())
    told(store, FIRST)
    store.seat_player(game_id(1), "S", LIN)
    with pytest.raises(DatabaseUnavailable):
        store.issue(game_id(1), FIRST)
    assert stored(store).issue is None
    assert told(store, SECOND).supersedes == FIRST.id
