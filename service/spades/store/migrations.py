"""Brings the database's schema up to date.

The only module that loads alembic, and no serving process loads this module. The migrations
are plain SQL files, found in `db/migrations` of a checkout or beside this module in a wheel.
"""

from pathlib import Path

import psycopg
from alembic import command, op
from alembic.config import Config
from alembic.util import CommandError
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import NullPool, create_engine
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from spades.errors import ConfigurationError, DatabaseUnavailable

PACKED = Path(__file__).parent / "migrations_of_the_wheel"
CHECKOUT = Path(__file__).parents[3] / "db" / "migrations"
SCRIPTS = PACKED if PACKED.is_dir() else CHECKOUT


def migrate(direct_url: str) -> int:
    """Applies what is pending and returns how many migrations that were.

    Any number of starters may call it at once: they take turns. `direct_url` must not lead
    through a transaction pooler. Raises ConfigurationError if the login may not do it or the
    schema is of a later version, DatabaseUnavailable if there is no answer.
    """
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(direct_url), poolclass=NullPool
    )
    try:
        with engine.connect() as connection:
            return _upgrade(connection)
    except (DBAPIError, psycopg.Error) as fault:
        raise _told(fault.orig if isinstance(fault, DBAPIError) else fault) from fault
    finally:
        engine.dispose()


def _told(fault: BaseException | None) -> Exception:
    if isinstance(fault, InsufficientPrivilege):
        reason = fault.diag.message_primary
        return ConfigurationError(f"The database login may not migrate: {reason}.")
    if isinstance(fault, psycopg.OperationalError):
        reason = str(fault).strip().partition("\n")[0]
        return DatabaseUnavailable(f"The database does not answer: {reason}")
    return RuntimeError("A migration failed.")


def _upgrade(connection: Connection) -> int:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    applied: list[str] = []
    config.attributes["applied"] = applied
    try:
        command.upgrade(config, "head")
    except CommandError as fault:
        raise ConfigurationError(f"The database is of a later version: {fault}.") from fault
    return len(applied)


def run_sql(name: str) -> None:
    """Runs the SQL file of this name within the migration that is being applied."""
    text = (SCRIPTS / "sql" / f"{name}.sql").read_text("utf-8")
    driver = op.get_bind().connection.driver_connection
    if not isinstance(driver, psycopg.Connection):
        raise TypeError("migrations run over psycopg")
    driver.execute(text.encode())
