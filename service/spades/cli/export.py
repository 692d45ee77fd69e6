"""`spades export`: whole games as anybody may see them, to be verified or read."""

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from spades.audit.exports import export_of, text_of
from spades.cli import databases
from spades.cli.games import canonical_id, legible_ledger, read_game
from spades.cli.progress import progress
from spades.config import Settings
from spades.errors import DamagedLog
from spades.game.audience import SPECTATOR
from spades.store import FeedPosition, Store

PAGE = 100


@click.command()
@click.argument("game_id", metavar="[GAME]", required=False)
@click.option("--finished", is_flag=True, help="Every game that is over, in the order of ending.")
@click.option("--after", metavar="CURSOR", help="With --finished: only games after this cursor.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["ndjson", "ptn"]),
    default="ndjson",
    help="JSON lines to verify (default), or text to read.",
)
@click.option(
    "--output", type=click.File("wb", lazy=True), default="-", help="A file; default: stdout."
)
def export(
    game_id: str | None, finished: bool, after: str | None, form: str, output: BinaryIO
) -> None:
    """Write the game GAME, or with --finished all games that are over, as a spectator sees it.

    With --finished the last line on standard error is a cursor: give it to --after to go on
    where this export ended. A game whose log can't be read is told there and left out.
    """
    if (game_id is None) is not finished or (after and not finished):
        raise click.UsageError("Say either which GAME, or --finished [--after CURSOR].")
    with databases.ready_store(Settings.from_environment(os.environ)) as store:
        if game_id is not None:
            output.write(written(store, canonical_id(game_id), form))
        elif not export_finished(store, after, form, output):
            sys.exit(1)


def export_finished(store: Store, after: str | None, form: str, output: BinaryIO) -> bool:
    """Writes all games that are over after a cursor; returns whether all could be read."""
    start = FeedPosition.decode(after) if after else None
    left_out, cursor = 0, after
    with progress(_finished(store, start), store.count_finished(start), "Exporting") as ends:
        for end in ends:
            try:
                output.write(written(store, end.game_id, form))
            except DamagedLog as damage:
                left_out += 1
                click.echo(f"{end.game_id}: left out: {damage.detail}", err=True)
            cursor = end.encode()
    click.echo(cursor or "No game is over yet.", err=True)
    return not left_out


def written(store: Store, game_id: str, form: str) -> bytes:
    """Returns a game's export as a spectator may see it.

    Raises GameNotFound, DamagedLog.
    """
    ledger = legible_ledger(read_game(store, game_id))
    if form == "ndjson":
        return export_of(ledger, SPECTATOR)
    return text_of(ledger, SPECTATOR).encode()


def _finished(store: Store, after: FeedPosition | None) -> Iterator[FeedPosition]:
    while page := store.finished(after, PAGE):
        yield from page
        after = page[-1]
