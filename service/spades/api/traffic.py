"""What every request gets: an id, the headers of every answer, one line in the log."""

import logging
import re
import secrets
import sys
import time

from flask import Flask, Response, g, request

from spades.audit.values import is_uuid

ID_HEADER = "X-Request-Id"
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

log = logging.getLogger("spades.access")


def request_id() -> str:
    """Returns the id of the present request: the caller's own if it is a plain one."""
    known: str = g.request_id
    return known


def watch_traffic(app: Flask) -> None:
    """Has every request get its id and its line in the log."""
    app.before_request(_arrive)
    app.after_request(_leave)


def write_log(level: str) -> None:
    """Sends the service's log lines to standard error, unless logging is set up already."""
    logger = logging.getLogger("spades")
    logger.setLevel(level.upper())
    if logger.handlers or logging.getLogger().handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger.addHandler(handler)


def _arrive() -> None:
    g.began = time.perf_counter()
    given = request.headers.get(ID_HEADER, "")
    g.request_id = given if GIVEN_ID.fullmatch(given) else secrets.token_hex(8)


def _leave(response: Response) -> Response:
    response.headers[ID_HEADER] = g.request_id
    response.headers["X-Content-Type-Options"] = "nosniff"
    log.info(
        "method=%s route=%s status=%d ms=%.1f request_id=%s game=%s",
        request.method if request.method in METHODS else "-",
        _route(),
        response.status_code,
        (time.perf_counter() - g.began) * 1000,
        g.request_id,
        _game(),
    )
    return response


def _route() -> str:
    """Returns the template of the route: a raw path or query may hold what nobody may log."""
    rule = request.url_rule
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule) if rule else "-"


def _game() -> str:
    game_id = (request.view_args or {}).get("game_id", "")
    return game_id if is_uuid(game_id) else "-"
