"""What somebody with the rights of a superuser put into the database, and how far it reaches."""

from collections.abc import Callable
from datetime import UTC, datetime

import psycopg
import pytest

from spades.errors import DamagedLog
from spades.store import GameFilter, Issue, PostgresStore, Profile
from tests.support.postgres import Database
from tests.support.records import game_id, new_game

ADA = {"N": Profile("Ada", "plr-ada")}
ROOM = {"room": "t7"}
FIRST, SECOND = (Issue(game_id(900 + n), datetime(2026, 11, 30, tzinfo=UTC)) for n in (1, 2))


def deep(depth: int) -> str:
    """An object with lists within lists, as SQL."""
    return f"""('{{"a": ' || repeat('[', {depth}) || repeat(']', {depth}) || '}}')::jsonb"""


UNREADABLE = {
    "profiles": (
        '\'{"N": {"x": 1}}\'',
        '\'{"N": {"name": "Ada", "player_ref": null, "x": 1}}\'',
        '\'{"N": {"name": 5}}\'',
        '\'{"N": {"name": ["Ada"], "player_ref": "plr-ada"}}\'',
        '\'{"N": {"name": "Ada", "player_ref": {}}}\'',
        "'{\"N\": null}'",
        '\'{"N": "Ada"}\'',
        "'{\"N\": []}'",
        "'{\"N\": 3}'",
        deep(3000),
    ),
    "metadata": (deep(3000),),
    "generations": (
        '\'{"auditor": "2"}\'',
        "'{\"auditor\": null}'",
        "'{\"auditor\": 2.5}'",
        "'{\"auditor\": true}'",
        "'{\"auditor\": [2]}'",
        deep(3000),
    ),
    "issues": (
        "'[null]'",
        "'[3]'",
        "'[\"id\"]'",
        "'[[]]'",
        "'[{}]'",
        '\'[{"id": 3, "issued_at": "2026-11-30T12:00:00+00:00"}]\'',
        '\'[{"id": "x", "issued_at": "2026-11-30T12:00:00+00:00"}]\'',
        f'\'[{{"id": "{game_id(1)}"}}]\'',
        f'\'[{{"id": "{game_id(1)}", "issued_at": 3}}]\'',
        f'\'[{{"id": "{game_id(1)}", "issued_at": "noon"}}]\'',
        f"jsonb_build_array({deep(3000)})",
    ),
}
NOTES = [(column, value) for column, values in UNREADABLE.items() for value in values]


@pytest.fixture
def damaged(database: Database, postgres_store: PostgresStore) -> Callable[[str], None]:
    """Damages the first of two games by a statement that no trigger sees."""
    for number in (1, 2):
        postgres_store.create(new_game(number, owner="cup"))

    def damage(statement: str) -> None:
        with psycopg.connect(database.owner) as owner:
            owner.execute("alter table events disable trigger all")
            owner.execute("alter table game_notes disable trigger all")
            owner.execute(f"{statement} where game_id = '{game_id(1)}'".encode())

    return damage


def whole(store: PostgresStore) -> bool:
    """Whether the game that nobody damaged is read as it was created."""
    stored = store.read(game_id(2))
    return stored is not None and (stored.records, stored.profiles) == (new_game(2).records, ADA)


@pytest.mark.parametrize(("column", "value"), NOTES)
def test_notes_that_cannot_be_read_are_a_damage_of_their_game_alone(
    damaged: Callable[[str], None], postgres_store: PostgresStore, column: str, value: str
) -> None:
    damaged(f"update game_notes set {column} = {value}")
    with pytest.raises(DamagedLog):
        postgres_store.read(game_id(1))
    assert whole(postgres_store)
    sound, hurt = postgres_store.games("cup", GameFilter(), None, 10)
    assert (sound.game_id, sound.profiles, sound.metadata) == (game_id(2), ADA, ROOM)
    assert (hurt.game_id, hurt.version, hurt.status) == (game_id(1), 2, "active")
    assert hurt.profiles == ({} if column == "profiles" else ADA)
    assert hurt.metadata == ({} if column == "metadata" else ROOM)


@pytest.mark.parametrize("column", ["public", "secret"])
def test_an_event_that_cannot_be_read_is_a_damage_of_its_game_alone(
    damaged: Callable[[str], None], postgres_store: PostgresStore, column: str
) -> None:
    damaged(f"update events set {column} = {deep(3000)}")
    with pytest.raises(DamagedLog):
        postgres_store.read(game_id(1))
    assert whole(postgres_store)
    assert len(postgres_store.games("cup", GameFilter(), None, 10)) == 2


def test_metadata_that_cannot_be_told_again_is_left_out_of_the_list(
    damaged: Callable[[str], None], postgres_store: PostgresStore
) -> None:
    damaged(f"update game_notes set metadata = {deep(900)}")
    listed = postgres_store.games("cup", GameFilter(), None, 10)
    assert [game.metadata for game in listed] == [ROOM, {}]


@pytest.mark.parametrize("column", ["created_at", "updated_at"])
def test_a_time_that_no_calendar_has_is_a_damage(
    damaged: Callable[[str], None], postgres_store: PostgresStore, column: str
) -> None:
    damaged(f"update games set {column} = 'infinity'")
    with pytest.raises(DamagedLog):
        postgres_store.games("cup", GameFilter(), None, 10)
    assert whole(postgres_store)


@pytest.mark.parametrize("value", UNREADABLE["profiles"])
def test_a_player_may_be_renamed_and_erased_though_a_game_was_damaged(
    damaged: Callable[[str], None], postgres_store: PostgresStore, value: str
) -> None:
    damaged(f"update game_notes set profiles = {value}")
    postgres_store.put_player("cup", "plr-ada", "Countess", FIRST.issued_at)
    stored = postgres_store.read(game_id(2))
    assert stored is not None
    assert stored.profiles == {"N": Profile("Countess", "plr-ada")}
    assert postgres_store.erase_player("cup", "plr-ada") >= 1
    assert postgres_store.player("cup", "plr-ada") is None


@pytest.mark.parametrize("value", [*UNREADABLE["profiles"], *UNREADABLE["issues"]])
def test_no_result_is_issued_of_damaged_notes(
    damaged: Callable[[str], None], postgres_store: PostgresStore, value: str
) -> None:
    column = "profiles" if value in UNREADABLE["profiles"] else "issues"
    damaged(f"update game_notes set {column} = {value}")
    with pytest.raises(DamagedLog):
        postgres_store.issue(game_id(1), FIRST)
    assert postgres_store.issue(game_id(2), SECOND).issue == SECOND
