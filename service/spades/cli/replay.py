"""`spades replay`: a game told hand by hand, as an onlooker may see it now."""

import os
from collections.abc import Iterator
from contextlib import closing
from uuid import UUID

import click

from spades.audit.log import JsonObject, genesis, link
from spades.cli import databases
from spades.config import Settings
from spades.errors import DamagedLog, GameNotFound
from spades.game.audience import PLATFORM
from spades.game.cards import as_held, cards
from spades.game.position import Game, Player
from spades.game.seats import Seat
from spades.store import PostgresStore, Stored
from spades.store.embedded import SERVING
from spades.tables import ledger_of
from spades.tables.hands import hand_record


@click.command()
@click.argument("game_id", metavar="GAME")
def replay(game_id: str) -> None:
    """Tell the game GAME hand by hand: deal, bids, tricks, scores.

    Reads the whole log and checks its chain. Cards that nobody but a seat may see yet are
    left out, so the output of a running game may be shown around.
    """
    stored = _stored(_canonical(game_id))
    check_chain(stored)
    for line in story(stored):
        click.echo(line)


def check_chain(stored: Stored) -> None:
    """Raises DamagedLog at the first event that does not follow from the one before it."""
    head = genesis(stored.game_id)
    for number, record in enumerate(stored.records, start=1):
        head = link(head, record.public)
        if record.hash != head or record.version != number:
            raise DamagedLog(f"Event {number} of game {stored.game_id} breaks the chain.")
    if head != stored.head:
        raise DamagedLog(f"The head of game {stored.game_id} is not its last event.")


def story(stored: Stored) -> Iterator[str]:
    """Yields the game's story in lines."""
    ledger = ledger_of(stored.game_id, stored.records)
    events = ledger.served(PLATFORM, 0)
    yield from _opening(stored, ledger.game)
    number = 1
    while hand := hand_record(events, number):
        yield from ("", *_hand(hand))
        number += 1
    yield from ("", *_end(stored, events[-1]))


def _canonical(game_id: str) -> str:
    try:
        return str(UUID(game_id))
    except ValueError as error:
        raise GameNotFound(f"{game_id} is no game's id.") from error


def _stored(game_id: str) -> Stored:
    settings = Settings.from_environment(os.environ)
    with (
        databases.ready_url(settings) as url,
        closing(PostgresStore(url, role=SERVING)) as store,
    ):
        stored = store.read(game_id)
    if stored is None:
        raise GameNotFound(f"There is no game {game_id}.")
    return stored


def _opening(stored: Stored, game: Game) -> Iterator[str]:
    yield f"Game {stored.game_id}: {game.ruleset.name}"
    seats = (f"{seat} {_player(game.players[seat], stored, seat)}" for seat in game.seats)
    yield f"  seats     {', '.join(seats)}"


def _player(player: Player, stored: Stored, seat: Seat) -> str:
    profile = stored.profiles.get(seat.value)
    known_as = player.level or (profile.name if profile else None)
    return f"{player.kind} ({known_as})" if known_as else player.kind.value


def _hand(hand: JsonObject) -> Iterator[str]:
    yield f"Hand {hand['number']}, dealer {hand['dealer']}"
    for seat, dealt in (hand["holdings"] or {}).items():
        yield f"  dealt     {seat}  {_cards(dealt)}"
    for choice in hand["draft"] or ():
        yield f"  draft {choice['turn']:>2}  {choice['seat']}  {_choice(choice)}"
    for bid in hand["bids"]:
        yield f"  bid       {bid['seat']}  {_bid(bid)}"
    for exchange in hand["exchanges"]:
        drawn = f", drew {_cards(exchange['drawn'])}" if exchange["drawn"] else ""
        yield f"  exchange  {exchange['seat']}  gave {_cards(exchange['given'])}{drawn}"
    for trick in hand["tricks"]:
        yield f"  trick {trick['number']:>2}  {trick['leader']}  {_trick(trick)}"
    for side, parts in (hand["sides"] or {}).items():
        yield f"  score     {side}  {_score(parts)}"


def _choice(choice: JsonObject) -> str:
    first = "kept the first" if choice["kept_first"] else "refused the first"
    seen = f": {choice['kept']}, not {choice['discarded']}" if choice["kept"] else ""
    return first + seen


def _bid(bid: JsonObject) -> str:
    if bid["double_nil"]:
        return "Double Nil"
    return "Nil" if bid["nil"] else str(bid["tricks"])


def _trick(trick: JsonObject) -> str:
    return f"{' '.join(trick['cards'])}, {trick['winner']} takes it"


def _cards(texts: list[str] | None) -> str:
    if texts is None:
        return "(hidden)"
    return " ".join(as_held(cards(texts))) or "none"


def _score(parts: JsonObject) -> str:
    return (
        f"bid {parts['bid']}, took {parts['tricks']}: {parts['hand_points']:+}"
        f" -> {parts['points']} points, {parts['bags']} bags"
    )


def _end(stored: Stored, last: JsonObject) -> Iterator[str]:
    yield f"Version {stored.version}, {stored.status}, log head {stored.head}"
    if last["type"] == "game_finished":
        data = last["data"]
        points = ", ".join(f"{side} {points}" for side, points in data["points"].items())
        yield f"{data['winner'] or 'Nobody'} won ({data['reason']}): {points}"
