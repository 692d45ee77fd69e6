"""What every store promises: the one in PostgreSQL and its twin in memory."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from spades.errors import IdempotencyKeyReused, InvalidCursor
from spades.store import (
    FeedPosition,
    GameFilter,
    Once,
    PlatformKey,
    Profile,
    Store,
)
from tests.support.records import digest, game_id, new_game, record, records, told

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANY = GameFilter()


def test_a_new_game_is_read_as_it_was_created(store: Store) -> None:
    game = new_game()
    assert store.create(game).game_id == game.game_id
    stored = store.read(game.game_id)
    assert stored is not None
    assert stored.records == game.records
    assert (stored.version, stored.head, stored.status, stored.owner) == (
        2,
        digest(2),
        "active",
        None,
    )
    assert (stored.profiles, stored.metadata) == (game.profiles, game.metadata)


def test_a_game_that_was_never_created_is_not_found(store: Store) -> None:
    assert store.read(game_id(9)) is None
    assert not store.append(game_id(9), 1, digest(1), records(2, 2), "active")


def test_what_is_appended_at_the_head_is_read_after_it(store: Store) -> None:
    store.create(new_game())
    assert store.append(game_id(1), 2, digest(2), records(3, 5), "finished")
    stored = store.read(game_id(1), after=3)
    assert stored is not None
    assert stored.records == records(4, 5)
    assert (stored.version, stored.head, stored.status) == (5, digest(5), "finished")
    at_head = store.read(game_id(1), after=5)
    assert at_head is not None
    assert at_head.records == ()


@pytest.mark.parametrize(("version", "head"), [(1, 1), (3, 3), (2, 9), (1, 2)])
def test_an_append_elsewhere_than_at_the_head_conflicts_and_changes_nothing(
    store: Store, version: int, head: int
) -> None:
    store.create(new_game())
    before = store.read(game_id(1))
    claim = ("S", Profile("Lin"))
    assert not store.append(game_id(1), version, digest(head), records(3, 3), "aborted", claim)
    assert store.read(game_id(1)) == before


def test_an_append_repeated_conflicts(store: Store) -> None:
    store.create(new_game())
    assert store.append(game_id(1), 2, digest(2), records(3, 3), "active")
    assert not store.append(game_id(1), 2, digest(2), records(3, 3), "active")


def test_a_claim_notes_its_profile_with_its_event(store: Store) -> None:
    store.create(new_game())
    store.append(game_id(1), 2, digest(2), records(3, 3), "active", ("S", Profile("Lin")))
    stored = store.read(game_id(1))
    assert stored is not None
    assert stored.profiles == {"N": Profile("Ada", "plr-ada"), "S": Profile("Lin")}


def test_text_of_every_kind_is_kept(store: Store) -> None:
    odd = "trưởng ♠ \"quote\" \\ 'x' 50% \U0001f0a1"
    changes: dict[str, Any] = {
        "metadata": {odd: [odd, 2**53 - 1, None, True]},
        "records": (record(1, note=odd),),
    }
    store.create(new_game(profiles={"N": Profile(odd)}, **changes))
    stored = store.read(game_id(1))
    assert stored is not None
    assert stored.records == changes["records"]
    assert (stored.metadata, stored.profiles["N"].name) == (changes["metadata"], odd)


def test_the_same_key_and_body_lead_to_the_first_game(store: Store) -> None:
    first = store.create(new_game(1, owner="a", once=Once("k", digest(1))))
    again = store.create(new_game(2, owner="a", once=Once("k", digest(1))))
    assert (first.game_id, first.replayed) == (game_id(1), False)
    assert (again.game_id, again.replayed) == (game_id(1), True)
    assert store.read(game_id(2)) is None


def test_the_same_key_with_another_body_is_refused(store: Store) -> None:
    store.create(new_game(1, owner="a", once=Once("k", digest(1))))
    with pytest.raises(IdempotencyKeyReused):
        store.create(new_game(2, owner="a", once=Once("k", digest(2))))
    assert store.read(game_id(2)) is None


def test_a_creation_repeated_finds_its_own_game(store: Store) -> None:
    for game in (new_game(1), new_game(2, owner="a", once=Once("k", digest(1)))):
        first, again = store.create(game), store.create(game)
        assert (again.game_id, again.replayed) == (first.game_id, False)
    games = [item.position.game_id for item in told(store, 4)]
    assert games == [game_id(1)] * 2 + [game_id(2)] * 2


def test_a_key_is_its_owners_own(store: Store) -> None:
    store.create(new_game(1, owner="a", once=Once("k", digest(1))))
    other = store.create(new_game(2, owner="b", once=Once("k", digest(2))))
    assert (other.game_id, other.replayed) == (game_id(2), False)


def test_a_key_used_by_many_at_once_makes_one_game(store: Store) -> None:
    def create(number: int) -> Any:
        return store.create(new_game(number, owner="a", once=Once("k", digest(1))))

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(create, range(1, 17)))
    assert len({one.game_id for one in made}) == 1
    assert [one.replayed for one in made].count(False) == 1


def test_a_platform_lists_its_own_games_newest_first(store: Store) -> None:
    for number in range(1, 6):
        store.create(new_game(number, owner="a" if number != 3 else "b"))
    listed = store.games("a", ANY, None, 10)
    assert [game.game_id for game in listed] == [game_id(n) for n in (5, 4, 2, 1)]
    assert listed[0].profiles == {"N": Profile("Ada", "plr-ada")}
    assert (listed[0].metadata, listed[0].version) == ({"room": "t7"}, 2)
    assert store.games("nobody", ANY, None, 10) == ()


def test_a_list_goes_on_below_the_last_game_shown(store: Store) -> None:
    for number in range(1, 6):
        store.create(new_game(number, owner="a"))
    first = store.games("a", ANY, None, 2)
    second = store.games("a", ANY, first[-1].game_id, 2)
    assert [game.game_id for game in second] == [game_id(3), game_id(2)]


def test_a_list_is_filtered(store: Store) -> None:
    store.create(new_game(1, owner="a", ruleset="two-player"))
    store.create(new_game(2, owner="a", status="seating"))
    by_ruleset = store.games("a", GameFilter(ruleset="two-player"), None, 10)
    by_status = store.games("a", GameFilter(status="seating"), None, 10)
    assert [g.game_id for g in by_ruleset] == [game_id(1)]
    assert [g.game_id for g in by_status] == [game_id(2)]
    assert store.games("a", GameFilter("seating", "two-player"), None, 10) == ()


def test_a_list_tells_what_has_changed_since(store: Store) -> None:
    store.create(new_game(1, owner="a"))
    store.create(new_game(2, owner="a"))
    seen = max(game.updated_at for game in store.games("a", ANY, None, 10))
    assert store.games("a", GameFilter(updated_after=seen), None, 10) == ()
    store.append(game_id(1), 2, digest(2), records(3, 3), "active")
    changed = store.games("a", GameFilter(updated_after=seen), None, 10)
    assert [game.game_id for game in changed] == [game_id(1)]
    assert changed[0].created_at < changed[0].updated_at


def test_keys_are_added_found_listed_and_revoked(store: Store) -> None:
    first = PlatformKey("k1", "cup", digest(1), MONDAY)
    second = PlatformKey("k2", "club", digest(2), MONDAY + timedelta(days=1))
    for key in (second, first):
        store.add_key(key)
    assert store.keys() == (first, second)
    assert store.key_by_hash(digest(2)) == second
    assert store.key_by_hash(digest(3)) is None
    assert store.revoke_key("k1", MONDAY + timedelta(days=2))
    assert store.revoke_key("k1", MONDAY + timedelta(days=2))
    assert not store.revoke_key("k1", MONDAY + timedelta(days=3))
    assert not store.revoke_key("k9", MONDAY)
    found = store.key_by_hash(digest(1))
    assert found is not None
    assert found.revoked_at == MONDAY + timedelta(days=2)


def test_the_feed_tells_every_event_once_and_no_secret(store: Store) -> None:
    store.create(new_game(1))
    store.create(new_game(2))
    store.append(game_id(1), 2, digest(2), records(3, 4, secret=True), "active")
    seen = told(store, 6, page=2)
    assert [(item.position.game_id, item.position.version) for item in seen] == [
        (game_id(1), 1),
        (game_id(1), 2),
        (game_id(2), 1),
        (game_id(2), 2),
        (game_id(1), 3),
        (game_id(1), 4),
    ]
    assert [item.hash for item in seen[-2:]] == [digest(3), digest(4)]
    assert "AS" not in str(seen)


@pytest.mark.parametrize("cursor", ["", "x", "1.2.3", "-1." + "0" * 32 + ".1", "1" * 400])
def test_a_cursor_that_was_not_issued_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        FeedPosition.decode(cursor)


def test_a_store_answers_when_asked(store: Store) -> None:
    store.ping()
