"""`spades replay`: a game told hand by hand, as an onlooker may see it now."""

import os
import sys
from collections.abc import Iterable, Iterator

import click

from spades.audit.log import JsonObject
from spades.bots import VERSIONS
from spades.cli import databases
from spades.cli.games import all_games, canonical_id, legible_ledger, read_game
from spades.cli.progress import progress
from spades.config import Settings
from spades.errors import DamagedLog, GameNotFound
from spades.game.audience import PLATFORM
from spades.game.cards import as_held, cards
from spades.game.position import Game, Player
from spades.game.seats import Seat
from spades.store import Store, Stored
from spades.tables import Audits
from spades.tables.hands import hand_record


@click.command()
@click.argument("game_id", metavar="[GAME]", required=False)
@click.option("--check", is_flag=True, help="Audit the game, or without GAME every game there is.")
def replay(game_id: str | None, check: bool) -> None:
    """Tell the game GAME hand by hand: deal, bids, tricks, scores.

    Reads the whole log and replays it by the rules. Cards that nobody but a seat may see yet
    are left out, so the output of a running game may be shown around. With --check only what
    diverges is told, a line for each finding; a game that diverges is quarantined. Ends with 1
    if anything was found.
    """
    if game_id is None and not check:
        raise click.UsageError("Say which GAME, or --check all.")
    wanted = canonical_id(game_id) if game_id else None
    with databases.ready_store(Settings.from_environment(os.environ)) as store:
        if check:
            is_clean = check_games(store, [wanted] if wanted else None)
        else:
            is_clean = _tell(store, wanted or "")
    sys.exit(0 if is_clean else 1)


def check_games(store: Store, wanted: list[str] | None) -> bool:
    """Audits games, by default all, and tells what diverges; returns whether nothing does."""
    audits, diverging = Audits(store, VERSIONS), 0
    games: Iterable[str] = wanted if wanted is not None else all_games(store)
    count = len(wanted) if wanted is not None else store.count_games()
    with progress(games, count, "Checking") as checked:
        for number, game_id in enumerate(checked, 1):
            found = _found(audits, game_id)
            diverging += bool(found)
            for line in found:
                click.echo(f"{game_id}: {line}")
            count = number
    click.echo(f"{count} games checked, {diverging} diverge.")
    return not diverging


def _found(audits: Audits, game_id: str) -> list[str]:
    """Returns what an audit finds in a game, in lines."""
    try:
        return [str(finding) for finding in audits.audit(game_id).report.findings]
    except (DamagedLog, GameNotFound) as damage:
        return [damage.detail]


def _tell(store: Store, game_id: str) -> bool:
    stored = read_game(store, game_id)
    try:
        for line in story(stored):
            click.echo(line)
    except DamagedLog as damage:
        click.echo(f"The rest can't be told: {damage.detail}")
    found = _found(Audits(store, VERSIONS), game_id)
    for finding in found:
        click.echo(f"Diverges: {finding}")
    return not found


def story(stored: Stored) -> Iterator[str]:
    """Yields the game's story in lines."""
    ledger = legible_ledger(stored)
    events = ledger.served(PLATFORM, 0)
    yield from _opening(stored, ledger.game)
    number = 1
    while hand := hand_record(events, number):
        yield from ("", *_hand(hand))
        number += 1
    yield from ("", *_end(stored, events[-1]))


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
