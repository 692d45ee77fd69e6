"""What every store promises of the list of all games' heads and of games that are over."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from spades.store import Checkpoint, Entry, FeedPosition, Store
from tests.support.records import changed, digest, game_id, new_game, record, records

MONDAY = datetime(2026, 11, 30, 12, 0, 0, 125000, tzinfo=UTC)


def entry(number: int, version: int) -> Entry:
    """Returns the entry of a game whose versions' hashes are their digests."""
    return Entry(game_id(number), version, digest(version))


def checkpoint(size: int) -> Checkpoint:
    """Returns a checkpoint of a size, made that many hours after noon."""
    return Checkpoint(size, digest(size), MONDAY + timedelta(hours=size))


def take(store: Store, after: int, expected: int) -> Checkpoint:
    """Takes a checkpoint of everything that changed."""
    changes = changed(store, expected)
    made = checkpoint(after + len(changes.entries))
    assert store.add_checkpoint(after, made, changes.entries, {}, changes.upto)
    return made


def ended(store: Store, expected: int, page: int = 500) -> list[FeedPosition]:
    """Follows the list of games that are over until it has told as many as expected."""
    seen: list[FeedPosition] = []
    position: FeedPosition | None = None
    while (page_of := store.finished(position, page)) or len(seen) < expected:
        seen += page_of
        position = seen[-1] if seen else None
    return seen


def end_game(store: Store, number: int, event: str = "game_finished") -> None:
    """Ends a new game at its third event."""
    store.append(game_id(number), 2, digest(2), (record(3, event=event),), "finished")


def test_nothing_has_changed_and_no_checkpoint_is_there_where_no_game_is(store: Store) -> None:
    changes = store.changes()
    assert (changes.last, changes.entries) == (None, ())
    assert store.checkpoint() is None
    assert store.checkpoints(None, 10) == ()
    assert store.nodes([(0, 0)]) == store.nodes([]) == {}
    assert store.entry_of(game_id(1), 1) is None
    assert store.entries_of(game_id(1)) == ()


def test_the_first_checkpoint_takes_in_every_game_at_its_last_event(store: Store) -> None:
    for number in (3, 1, 2):
        store.create(new_game(number))
    store.append(game_id(2), 2, digest(2), records(3, 7), "active")
    changes = changed(store, 3)
    assert changes.last is None
    assert changes.entries == (entry(1, 2), entry(2, 7), entry(3, 2))


def test_the_next_checkpoint_takes_in_what_has_changed_since(store: Store) -> None:
    for number in (1, 2):
        store.create(new_game(number))
    first = take(store, 0, 2)
    store.append(game_id(2), 2, digest(2), records(3, 4), "active")
    store.append(game_id(2), 4, digest(4), records(5, 5), "active")
    store.create(new_game(3))
    changes = changed(store, 2)
    assert changes.last == first == checkpoint(2)
    assert changes.entries == (entry(2, 5), entry(3, 2))


def test_nothing_changes_while_nobody_plays(store: Store) -> None:
    store.create(new_game(1))
    first = take(store, 0, 1)
    for _ in range(2):
        changes = store.changes()
        assert (changes.last, changes.entries) == (first, ())
    store.quarantine(game_id(1), True)
    assert store.changes().entries == ()


def test_what_changed_can_be_asked_for_again_until_it_is_taken_in(store: Store) -> None:
    store.create(new_game(1))
    assert changed(store, 1).entries == changed(store, 1).entries == (entry(1, 2),)


def test_entries_have_their_place_in_the_list_by_the_order_of_checkpoints(store: Store) -> None:
    for number in (1, 2):
        store.create(new_game(number))
    take(store, 0, 2)
    store.append(game_id(1), 2, digest(2), records(3, 3), "active")
    take(store, 2, 1)
    assert store.entry_of(game_id(1), 3) == (2, entry(1, 3))
    assert store.entry_of(game_id(1), 2) == (0, entry(1, 2))
    assert store.entry_of(game_id(2), 3) == (1, entry(2, 2))
    assert store.entry_of(game_id(2), 1) is None
    assert store.entry_of(game_id(9), 3) is None
    assert store.entries_of(game_id(1)) == (entry(1, 2), entry(1, 3))


def test_a_checkpoint_after_another_than_the_last_changes_nothing(store: Store) -> None:
    store.create(new_game(1))
    first = take(store, 0, 1)
    for after in (0, 2):
        late = checkpoint(after + 1)
        late = Checkpoint(late.size, digest(77), late.made_at)
        assert not store.add_checkpoint(after, late, (entry(2, 2),), {(0, after): digest(9)}, 1)
    assert store.checkpoints(None, 10) == (first,)
    assert store.entries_of(game_id(2)) == ()
    assert store.nodes([(0, 0), (0, 2)]) == {}


def test_a_checkpoint_added_twice_is_there_once(store: Store) -> None:
    store.create(new_game(1))
    changes = changed(store, 1)
    for _ in range(2):
        assert store.add_checkpoint(
            0, checkpoint(1), changes.entries, {(0, 0): digest(5)}, changes.upto
        )
    assert store.checkpoints(None, 10) == (checkpoint(1),)
    assert store.entries_of(game_id(1)) == (entry(1, 2),)


def test_checkpoints_are_listed_latest_first_and_page_by_page(store: Store) -> None:
    sizes: Sequence[int] = (1, 3, 4, 6)
    for after, size in zip((0, *sizes), sizes, strict=False):
        entries = tuple(entry(place + 1, 2) for place in range(after, size))
        assert store.add_checkpoint(after, checkpoint(size), entries, {}, 1)
    assert store.checkpoints(None, 3) == (checkpoint(6), checkpoint(4), checkpoint(3))
    assert store.checkpoints(3, 3) == (checkpoint(1),)
    assert store.checkpoint() == checkpoint(6)
    assert store.checkpoint(3) == checkpoint(3)
    assert store.checkpoint(2) is None


def test_nodes_of_the_tree_are_found_by_level_and_place(store: Store) -> None:
    grown = {(0, 0): digest(1), (0, 1): digest(2), (1, 0): digest(3)}
    store.add_checkpoint(0, checkpoint(2), (entry(1, 2), entry(2, 2)), grown, 1)
    more = {(0, 2): digest(4)}
    store.add_checkpoint(2, checkpoint(3), (entry(3, 2),), more, 1)
    assert store.nodes([(1, 0), (0, 2), (0, 3), (2, 0)]) == {(1, 0): digest(3), (0, 2): digest(4)}
    assert store.nodes(list(grown | more)) == grown | more


def test_places_beyond_four_thousand_million_are_kept(store: Store) -> None:
    far = 2**40
    store.add_checkpoint(0, checkpoint(1), (entry(1, 2**33),), {(40, far): digest(1)}, 2**33)
    assert store.nodes([(40, far)]) == {(40, far): digest(1)}
    assert store.entries_of(game_id(1)) == (entry(1, 2**33),)


def test_ids_of_all_games_are_listed_in_order_and_page_by_page(store: Store) -> None:
    assert (store.game_ids(None, 5), store.count_games()) == ((), 0)
    for number in (3, 1, 4, 2):
        store.create(new_game(number))
    assert store.game_ids(None, 3) == (game_id(1), game_id(2), game_id(3))
    assert store.game_ids(game_id(3), 3) == (game_id(4),)
    assert store.game_ids(str(UUID(int=1)), 1) == (game_id(1),)
    assert store.count_games() == 4


@pytest.mark.parametrize("page", [1, 2, 500])
def test_games_that_are_over_are_listed_in_the_order_in_which_they_ended(
    store: Store, page: int
) -> None:
    for number in range(1, 6):
        store.create(new_game(number))
    end_game(store, 4)
    end_game(store, 1, "game_aborted")
    store.append(game_id(2), 2, digest(2), records(3, 3), "active")
    end_game(store, 5)
    over = ended(store, 3, page)
    assert [end.game_id for end in over] == [game_id(4), game_id(1), game_id(5)]
    assert [end.version for end in over] == [3, 3, 3]
    assert store.count_finished(None) == 3
    assert store.count_finished(over[0]) == 2
    assert store.count_finished(over[2]) == 0


def test_a_game_is_over_at_its_last_events_place_in_the_feed(store: Store) -> None:
    store.create(new_game(1))
    end_game(store, 1)
    over = ended(store, 1)[0]
    assert [item.position for item in store.feed(None, 10)][-1] == over
