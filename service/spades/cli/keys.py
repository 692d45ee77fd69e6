"""`spades keys`: who may create games and see their own, and what results are signed with."""

import os
import secrets
from contextlib import AbstractContextManager
from datetime import UTC, datetime

import click
from uuid_utils import uuid7

from spades.audit.signing import SigningKeys
from spades.cli import databases
from spades.config import NEW_KEY_COMMAND, Settings
from spades.errors import ConfigurationError
from spades.store import PLATFORM_PREFIX, PlatformKey, PostgresStore, hash_of_key

LONGEST_NAME = 64


@click.group()
def keys() -> None:
    """Make, list and revoke platform keys; change the signing key.

    A platform creates games with its key and lists its own. Keys of one name belong to one
    platform: to change keys, make a second one and then revoke the first.
    """


@keys.command()
@click.argument("name")
def create(name: str) -> None:
    """Make a key for the platform NAME and show it, this once."""
    if not name.isprintable() or not 1 <= len(name.strip()) <= LONGEST_NAME:
        raise click.BadParameter(f"1 to {LONGEST_NAME} printable characters.", param_hint="NAME")
    secret = PLATFORM_PREFIX + secrets.token_urlsafe(32)
    key = PlatformKey(str(uuid7()), name.strip(), hash_of_key(secret), datetime.now(UTC), None)
    with _store() as store:
        store.add_key(key)
    click.echo(f"id   {key.id}\nkey  {secret}")
    click.echo("Keep the key: only its hash is stored, so it can't be shown again.", err=True)


@keys.command("list")
def list_keys() -> None:
    """List the keys: id, when made, when revoked, name."""
    with _store() as store:
        for key in store.keys():  # noqa: SIM118 - a store is no dict
            revoked = f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else "valid"
            click.echo(f"{key.id}  {key.created_at:%Y-%m-%d}  {revoked:18}  {key.name}")


@keys.command()
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Revoke the key ID: from now on it opens nothing. Its games stay."""
    with _store() as store:
        if not store.revoke_key(key_id, datetime.now(UTC)):
            raise ConfigurationError(f"There is no valid key {key_id}.")
    click.echo(f"Revoked {key_id}.")


@keys.command()
def rotate() -> None:
    """Make a new signing key in the data directory.

    The service signs with it from its next start on. The old keys stay in the file and stay
    published, so that what they signed can still be verified.
    """
    settings = Settings.from_environment(os.environ)
    if settings.signing_keys or not settings.is_embedded:
        raise ConfigurationError(
            "The signing keys are those of SPADES_SIGNING_KEYS: put a new one in front of them,"
            f" with a comma between, and restart. Make one with: {NEW_KEY_COMMAND}"
        )
    file = settings.signing_key_file
    if not file.path.exists():
        raise ConfigurationError(
            f"There is no signing key in {settings.data_dir}: serve there first, or say with"
            " SPADES_DATA_DIR where it is."
        )
    newest, *older = SigningKeys(file.rotate()).jwks()["keys"]
    click.echo(f"{newest['kid']}  signs from the next start on")
    for key in older:
        click.echo(f"{key['kid']}  stays published")


def _store() -> AbstractContextManager[PostgresStore]:
    return databases.ready_store(Settings.from_environment(os.environ))
