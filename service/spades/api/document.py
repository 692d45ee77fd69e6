"""The OpenAPI document, put together from the operations."""

from pathlib import Path
from typing import Any

import orjson
from flask import Flask
from flask_smorest import Api

from spades.api.bodies import ACTIONS
from spades.api.components import COMPONENTS, action_name
from spades.api.errors import ANSWERS, TYPES, problem_body
from spades.api.reading import JSON

VERSION = "0.1.0"
EXAMPLES = Path(__file__).with_name("examples.json")
DESCRIPTION = """\
A headless service for the card game Spades: `two-player`, `partnership` and `pairs`.

A client draws the view it is given and sends back one of the view's `legal_actions`; the answer
tells everything that happened and holds the next view. Every move is an event in a log that is
chained by hash and can be verified.

* JSON in snake_case; times in RFC 3339, UTC, with milliseconds; durations end in `_ms`.
* Clients ignore fields that they do not know: fields may be added outside the public form of
  events.
* Every error is `application/problem+json` with a stable `code`.
"""

SECURITY_SCHEMES = {
    "platformKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "The key of a platform, `spk_...`, made by an operator: creates games and"
        " lists its own.",
    },
    "seatToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a seat, `sps_...`, from a creation or a claim: looks and acts"
        " from that seat.",
    },
    "viewerToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a spectator or an auditor of one game, `spv_...`, issued by"
        " the game's platform: looks, and never acts. An auditor's readings are recorded.",
    },
}


class ContractApi(Api):  # type: ignore[misc]  # flask-smorest has no types
    """flask-smorest for the document alone: the application answers errors itself."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, app: Flask) -> None:
        app.config.update(API_TITLE="Spades Service", API_VERSION=VERSION, OPENAPI_VERSION="3.1.0")
        info = {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}}
        super().__init__(app, spec_kwargs={"info": info, "servers": [{"url": "/"}]})
        self._add_components()

    def _add_components(self) -> None:
        parts = self.spec.components
        for name, schema in COMPONENTS.items():
            parts.schema(name, schema)
        for kind, body in ACTIONS.items():
            parts.schema(action_name(kind), schema=body)
        for name, scheme in SECURITY_SCHEMES.items():
            parts.security_scheme(name, scheme)
        for code, example in _problems().items():
            parts.example(code, example)

    def _register_error_handlers(self) -> None:
        """Leaves the application's own handlers in place."""

    def _register_responses(self) -> None:
        """Leaves out responses that no operation here gives."""

    def _register_pagination_header(self) -> None:
        """Leaves out a header that no operation here sends."""


def document_of(app: Flask) -> dict[str, Any]:
    """Returns an application's document, with the recorded examples put in."""
    api: ContractApi = app.extensions["flask-smorest"]["apis"][""]["ext_obj"]
    document: dict[str, Any] = api.spec.to_dict()
    recorded = _recorded()
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and operation["operationId"] in recorded["operations"]:
                _show(operation, recorded["operations"][operation["operationId"]])
    for code, body in recorded["problems"].items():
        document["components"]["examples"][code]["value"] = body
    plain: dict[str, Any] = _unwrapped(document)
    return plain


def _unwrapped(part: Any) -> Any:
    """Returns a part with each reference that stands alone in an `allOf` taken out of it.

    Client generators lose the discriminator of a union that is wrapped so.
    """
    if isinstance(part, list):
        return [_unwrapped(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    match part:
        case {"allOf": [{"$ref": str() as target}]} if len(part) == 1:
            return {"$ref": target}
    return {key: _unwrapped(inner) for key, inner in part.items()}


def document_bytes(app: Flask) -> bytes:
    """Returns an application's document as it is served and exported."""
    return orjson.dumps(document_of(app), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _recorded() -> dict[str, Any]:
    if not EXAMPLES.exists():
        return {"operations": {}, "problems": {}}
    recorded: dict[str, Any] = orjson.loads(EXAMPLES.read_bytes())
    return recorded


def _show(operation: dict[str, Any], recorded: dict[str, Any]) -> None:
    if recorded["request"]:
        operation["requestBody"]["content"][JSON]["examples"] = recorded["request"]
    for status, examples in recorded["responses"].items():
        operation["responses"][status]["content"][JSON]["examples"] = examples


def _problems() -> dict[str, Any]:
    """Returns an example of every problem, without the facts of an occasion."""
    return {
        row.code: {
            "summary": row.error.title,
            "value": problem_body(row, row.error.title + ".", TYPES + row.code, "8YkQ2mZ0", {}),
        }
        for row in ANSWERS
    }
