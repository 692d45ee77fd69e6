"""Answers as bytes: JSON written once, and the ETag that stands for a view."""

from collections.abc import Mapping

import orjson
from flask import Response, request

from spades.api.service import service
from spades.game.audience import Viewer
from spades.game.views import GameView
from spades.tables import Table

PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
SECRET = {"Cache-Control": "no-store"}


def json_answer(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Returns an answer of JSON."""
    return Response(orjson.dumps(body), status, headers, mimetype="application/json")


def game_path(game_id: str) -> str:
    """Returns where a game is found."""
    return f"/v1/games/{game_id}"


def whole_view(table: Table, viewer: Viewer) -> GameView:
    """Returns a viewer's view with the time of the answer and the links."""
    return with_links(table.view(viewer))


def with_links(view: GameView) -> GameView:
    """Returns a view with the time of the answer and the links."""
    path = game_path(view["id"])
    links = {"self": path, "actions": f"{path}/actions", "events": f"{path}/events"}
    return {**view, "server_time": service().time(), "links": links}


def etag_of(table: Table, viewer: Viewer) -> str:
    """Returns the entity tag of a viewer's view of a table."""
    aside = "-quarantined" if table.quarantined else ""
    return f'"{table.game.version}-{viewer}{aside}"'


def is_known(etag: str) -> bool:
    """Whether the caller already has what this entity tag stands for."""
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    known = {tag.strip().removeprefix("W/") for tag in header.split(",")}
    return etag in known or known == {"*"}
