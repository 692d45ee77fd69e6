"""Whether the process lives, and whether it wants requests."""

from flask import Response, current_app

from spades.api.answers import SECRET, json_answer
from spades.api.contract import HEALTHZ, READYZ
from spades.api.operations import Operations

health = Operations("health", "For those who watch over the service.")


@health.operation("GET", "/healthz", HEALTHZ)
def healthz() -> Response:
    """Answers as long as the process lives."""
    return json_answer({"status": "ok"}, headers=SECRET)


@health.operation("GET", "/readyz", READYZ)
def readyz() -> Response:
    """Answers yes if the database does, and nobody has told the process to drain."""
    current_app.extensions["readiness"].check()
    return json_answer({"status": "ok"}, headers=SECRET)
