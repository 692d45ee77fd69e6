"""`spades checkpoint`: a signed tree head over all games, for a scheduler to make."""

import os
from datetime import UTC, datetime

import click
import orjson

from spades.audit.checkpoints import TYP
from spades.audit.signing import SigningKeys
from spades.cli import databases
from spades.config import Settings
from spades.tables import Checkpoints


@click.command()
def checkpoint() -> None:
    """Make a checkpoint of all games and write it, signed, to standard output.

    Takes in every game that changed since the last checkpoint; if none did, the last one is
    written again. Whoever keeps a checkpoint can prove any later rewriting of what it covers.
    """
    settings = Settings.from_environment(os.environ)
    with databases.ready_store(settings) as store:
        keys = SigningKeys(settings.ready_to_serve().signing_keys)
        head = Checkpoints(store, lambda: datetime.now(UTC)).make()
    click.echo(orjson.dumps({**head, "jws": keys.sign(head, TYP)}))
