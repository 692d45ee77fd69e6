"""The ceiling: the same server, which answers constant bytes after one append statement.

A request's body is the version that the game stands at; four events are appended to it, as
many as a move with its computer players' answers brings on average.
"""

import os
from collections.abc import Callable, Iterable

from spades.audit.log import Record
from spades.store import NewGame, PostgresStore

ANSWER = b'{"constant": "' + b"x" * 6000 + b'"}'
EVENTS = 4
HASH = "00" * 32

StartResponse = Callable[[str, list[tuple[str, str]]], object]

store = PostgresStore(os.environ["DATABASE_URL"])


def records(after: int) -> tuple[Record, ...]:
    """Returns events of an ordinary size."""
    return tuple(_record(version) for version in range(after + 1, after + EVENTS + 1))


def _record(version: int) -> Record:
    public = {
        "version": version,
        "type": "card_played",
        "schema": 1,
        "at": "2026-11-30T12:00:00.000Z",
        "seat": "N",
        "actor": "bot",
        "data": {"card": "TD", "policy": "novice/1"},
    }
    return Record(public, {}, HASH)


def app(environ: dict[str, object], start_response: StartResponse) -> Iterable[bytes]:
    """Creates a game (POST without a body) or appends to one, and answers the constant."""
    game_id = str(environ["PATH_INFO"]).strip("/")
    body = environ["wsgi.input"].read()  # type: ignore[attr-defined]
    if body:
        version = int(body)
        done = store.append(game_id, version, HASH, records(version), "active")
    else:
        new = NewGame(game_id, "pairs", "active", None, {}, {}, records(0))
        done = bool(store.create(new))
    start_response(
        "200 OK" if done else "409 Conflict",
        [("Content-Type", "application/json"), ("Content-Length", str(len(ANSWER)))],
    )
    return [ANSWER]
