"""The `spades` command and its subcommands."""

import os
import sys

import click

from spades.cli import databases, keys, serving
from spades.cli.checkpoint import checkpoint
from spades.cli.export import export
from spades.cli.replay import replay
from spades.cli.verify import verify
from spades.config import Settings
from spades.errors import SpadesError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="spades-service", prog_name="spades")
def spades() -> None:
    """Spades as a service.

    All settings come from the environment; docs/settings.md lists them. Without DATABASE_URL
    the commands use the embedded PostgreSQL in SPADES_DATA_DIR, and start it if it sleeps.
    """


@spades.command()
def serve() -> None:
    """Serve the API until SIGINT or SIGTERM.

    Starts the embedded PostgreSQL (unless DATABASE_URL is set), brings its tables up to date
    and serves with gunicorn.
    """
    serving.serve(_settings())


@spades.command()
def migrate() -> None:
    """Bring the database's tables up to date.

    Safe to run from many places at once. Uses DATABASE_DIRECT_URL where it is set.
    """
    # Imported only here: alembic is no part of any other process.
    from spades.store.migrations import migrate as bring_up_to_date

    with databases.owners_url(_settings()) as url:
        count = bring_up_to_date(url)
    click.echo(f"{count} migrations applied." if count else "The database is up to date.")


spades.add_command(keys.keys)
spades.add_command(replay)
spades.add_command(export)
spades.add_command(checkpoint)
spades.add_command(verify)


def run() -> None:
    """Runs the command; what a user can put right is told in a line, without a traceback."""
    try:
        spades()
    except SpadesError as error:
        click.echo(f"spades: {error.detail}", err=True)
        sys.exit(1)


def _settings() -> Settings:
    return Settings.from_environment(os.environ)
