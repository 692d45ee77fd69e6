"""Games in the store, as a command asks for them."""

from collections.abc import Iterator
from uuid import UUID

from spades.audit.form import check_records
from spades.audit.ledger import Ledger, ledger_of
from spades.errors import GameNotFound
from spades.store import Store, Stored

PAGE = 500


def all_games(store: Store) -> Iterator[str]:
    """Yields the ids of all games, page by page."""
    after: str | None = None
    while page := store.game_ids(after, PAGE):
        yield from page
        after = page[-1]


def canonical_id(game_id: str) -> str:
    """Returns a game's id as the log writes it; raises GameNotFound for what is none."""
    try:
        return str(UUID(game_id))
    except ValueError as error:
        raise GameNotFound(f"{game_id} is no game's id.") from error


def read_game(store: Store, game_id: str) -> Stored:
    """Returns a game from the store; raises GameNotFound."""
    stored = store.read(game_id)
    if stored is None:
        raise GameNotFound(f"There is no game {game_id}.")
    return stored


def legible_ledger(stored: Stored) -> Ledger:
    """Returns a stored game's ledger; raises DamagedLog if it has not the form of one."""
    check_records(stored.records)
    return ledger_of(stored.game_id, stored.records)
