"""The database that a command works on: the configured one, or the embedded one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from spades.config import SETTINGS, Settings
from spades.errors import ConfigurationError, DatabaseUnavailable
from spades.store import PostgresStore
from spades.store.embedded import OWNER, SERVING, Embedded, borrowed

SETTING_NAMES = {setting.name for setting in SETTINGS}


def embedded_directory(settings: Settings) -> Path:
    """Returns where the embedded database of these settings lives."""
    return settings.data_dir / "postgres"


@contextmanager
def owners_url(settings: Settings) -> Iterator[str]:
    """Gives the URL to migrate with."""
    if settings.direct_url is not None:
        yield settings.direct_url
        return
    with borrowed(embedded_directory(settings)) as server:
        yield server.url(OWNER)


@contextmanager
def ready_url(settings: Settings) -> Iterator[str]:
    """Gives the URL to read and write games with; an embedded database is brought up to date."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    directory = embedded_directory(settings)
    if not (directory / "cluster").exists():
        raise ConfigurationError(
            f"There is no database in {settings.data_dir}: serve there first, or say with"
            " SPADES_DATA_DIR where it is."
        )
    with borrowed(directory) as server:
        migrate_aside(on_server(settings, server))
        yield server.url()


@contextmanager
def ready_store(settings: Settings) -> Iterator[PostgresStore]:
    """Gives the store to read and write games with, as the service does."""
    with (
        ready_url(settings) as url,
        closing(PostgresStore(url, role=SERVING)) as store,
    ):
        yield store


def on_server(settings: Settings, server: Embedded) -> Settings:
    """Returns the settings for processes that use this embedded server."""
    return replace(settings, database_url=server.url(), database_direct_url=server.url(OWNER))


def migrate_aside(settings: Settings) -> None:
    """Migrates in a process of its own, so that this one never loads what that takes."""
    command = [sys.executable, "-m", "spades.cli", "migrate"]
    environment = process_environment(settings)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or ["it said nothing"]
        raise DatabaseUnavailable(f"The migrations failed: {words[-1].removeprefix('spades: ')}")


def process_environment(settings: Settings) -> dict[str, str]:
    """Returns this process's environment with exactly these settings in it."""
    others = {name: value for name, value in os.environ.items() if name not in SETTING_NAMES}
    return {**others, **settings.to_environment()}
