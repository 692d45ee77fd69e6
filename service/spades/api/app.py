"""The application: its parts put together."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Flask, request
from flask_cors import CORS
from uuid_utils import uuid7
from werkzeug.routing import PathConverter

from spades.api.access import access
from spades.api.audits import audits
from spades.api.catalog import catalog
from spades.api.checkpoints import checkpoints
from spades.api.document import ContractApi
from spades.api.errors import answer_errors
from spades.api.games import games
from spades.api.health import health
from spades.api.operations import Terms
from spades.api.pages import pages
from spades.api.players import players
from spades.api.reading import MOST_BYTES
from spades.api.service import EXTENSION, Readiness, Service
from spades.api.tokens import Tokens
from spades.api.traffic import ID_HEADER, watch_traffic, write_log
from spades.audit.signing import SigningKeys
from spades.bots import POLICIES, VERSIONS
from spades.config import Settings
from spades.errors import ConfigurationError
from spades.store import PostgresStore, Store
from spades.tables import Audits, Checkpoints, Results, Tables

SERVING_ROLE = "spades_app"
CONNECTIONS, CONNECTIONS_OF_A_WORKER = 160, 16  # of the 200 that the embedded server takes
SENT = ["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", ID_HEADER]
EXPOSED = ["ETag", "Location", "Idempotent-Replayed", "Retry-After", ID_HEADER]
PREFLIGHT_SECONDS = 600


class Remainder(PathConverter):
    """All that is left of a path, also where that begins with a slash or breaks its line."""

    regex = "(?s:.+)"
    part_isolating = False


@dataclass(frozen=True, slots=True)
class Chance:
    """Where time, seeds and ids come from."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    new_seed: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    new_id: Callable[[], str] = lambda: str(uuid7())


def create_app(
    settings: Settings, store: Store | None = None, chance: Chance | None = None
) -> Flask:
    """Makes the application; without a store it uses the database of the settings."""
    settings = settings.ready_to_serve()
    app = Flask("spades.api", static_folder=None)
    # A chunked body is cut off at this limit without an error: one byte more tells.
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES + 1
    app.url_map.merge_slashes = False
    app.url_map.converters["path"] = Remainder
    write_log(settings.log_level)
    watch_traffic(app)
    answer_errors(app)
    _allow_browsers(app, settings)
    _add_service(app, settings, store or _database(settings), chance or Chance())
    _add_operations(app)
    return app


def _database(settings: Settings) -> PostgresStore:
    if settings.database_url is None:
        raise ConfigurationError("The embedded database has not been started: use spades serve.")
    most = max(2, min(CONNECTIONS_OF_A_WORKER, CONNECTIONS // settings.workers))
    return PostgresStore(settings.database_url, role=SERVING_ROLE, most=most)


def _add_service(app: Flask, settings: Settings, store: Store, chance: Chance) -> None:
    tables = Tables(
        store,
        POLICIES,
        now=chance.now,
        new_seed=chance.new_seed,
        new_id=chance.new_id,
    )
    app.extensions[EXTENSION] = Service(
        settings=settings,
        store=store,
        tables=tables,
        audits=Audits(store, VERSIONS),
        results=Results(store, tables, chance.now, chance.new_id),
        checkpoints=Checkpoints(store, chance.now),
        tokens=Tokens(settings.secret_keys),
        signing=SigningKeys(settings.signing_keys),
        now=chance.now,
        new_id=chance.new_id,
    )
    app.extensions["readiness"] = Readiness(store)


def _add_operations(app: Flask) -> None:
    api, terms = ContractApi(app), dict[str | None, Terms]()
    for blueprint in (games, access, audits, checkpoints, players, catalog, health, pages):
        api.register_blueprint(blueprint)
        terms.update(blueprint.terms)

    def check() -> None:
        if asked := terms.get(request.endpoint):
            asked.check()

    app.before_request(check)


def _allow_browsers(app: Flask, settings: Settings) -> None:
    if settings.cors_origins:
        CORS(
            app,
            origins=list(settings.cors_origins),
            allow_headers=SENT,
            expose_headers=EXPOSED,
            methods=["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"],
            max_age=PREFLIGHT_SECONDS,
            send_wildcard=settings.cors_origins == ("*",),
            always_send=False,
        )
