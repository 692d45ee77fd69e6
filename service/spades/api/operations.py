"""Operations: routes with everything that the OpenAPI document says about them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import Response
from flask_smorest import Blueprint

from spades.api import errors as http
from spades.api.errors import BY_CLASS, PROBLEM_JSON, Answer
from spades.api.parameters import Parameter, refuse_unknown
from spades.api.reading import JSON, accepts
from spades.errors import SpadesError, UnknownParameter

View = Callable[..., Response]
Described = Mapping[str, Any]
Errors = Sequence[type[SpadesError]]

PLATFORM_KEY: dict[str, list[str]] = {"platformKey": []}
SEAT_TOKEN: dict[str, list[str]] = {"seatToken": []}
VIEWER_TOKEN: dict[str, list[str]] = {"viewerToken": []}
NO_TOKEN: dict[str, list[str]] = {}

ALWAYS: Errors = (http.NotAcceptable, UnknownParameter, http.InternalError)


@dataclass(frozen=True, slots=True)
class Success:
    """One way in which an operation succeeds; `others` are its other media types' schemas."""

    says: str
    schema: Any = None
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Terms:
    """What an operation asks of every request before it looks closer."""

    query: frozenset[str]
    media_types: tuple[str, ...]

    def check(self) -> None:
        """Raises UnknownParameter, NotAcceptable."""
        refuse_unknown(self.query)
        accepts(*self.media_types)


@dataclass(frozen=True, slots=True)
class Operation:
    """What the document says about one operation besides its route."""

    id: str
    summary: str
    description: str
    successes: Mapping[int, Success]
    security: Sequence[Mapping[str, list[str]]] = (NO_TOKEN,)
    errors: Errors = ()
    query: Sequence[Parameter] = ()
    headers: Sequence[Described] = ()
    body: Any = None

    @property
    def terms(self) -> "Terms":
        """What is asked of every request."""
        ways = [way for way in self.successes.values() if way.schema is not None]
        media_types = (ways[0].media_type, *ways[0].others) if ways else (JSON,)
        return Terms(frozenset(p.name for p in self.query), media_types)

    def documented(self) -> dict[str, Any]:
        """Returns the operation object of the OpenAPI document."""
        document: dict[str, Any] = {
            "operationId": self.id,
            "summary": self.summary,
            "description": self.description,
            "security": [dict(way) for way in self.security],
            "responses": {**self._successes(), **self._problems()},
        }
        if self.query or self.headers:
            document["parameters"] = [*(p.documented() for p in self.query), *self.headers]
        if self.body is not None:
            document["requestBody"] = {"required": True, "content": {JSON: {"schema": self.body}}}
        return document

    def _successes(self) -> dict[str, Any]:
        return {str(status): _success(way) for status, way in self.successes.items()}

    def _problems(self) -> dict[str, Any]:
        rows = [BY_CLASS[error] for error in dict.fromkeys((*self.errors, *ALWAYS))]
        statuses = sorted({row.status for row in rows})
        return {str(s): _problem([row for row in rows if row.status == s]) for s in statuses}


class Operations(Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """A group of operations: a blueprint whose routes cannot be left undescribed."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, __name__, description=description)
        self.terms: dict[str, Terms] = {}

    def operation(
        self, method: str, rule: str, operation: Operation, *path: Described
    ) -> Callable[[View], View]:
        """Routes a view and describes it."""

        def add(view: View) -> View:
            described = self.doc(**operation.documented())(view)
            self.add_url_rule(rule, operation.id, described, parameters=[*path], methods=[method])
            self.terms[f"{self.name}.{operation.id}"] = operation.terms
            return view

        return add


def in_path(name: str, says: str, **schema: Any) -> dict[str, Any]:
    """Returns a path parameter."""
    described = {"type": "string", **schema}
    return {"in": "path", "name": name, "required": True, "description": says, "schema": described}


def in_header(name: str, says: str, **schema: Any) -> dict[str, Any]:
    """Returns a request header."""
    described = {"type": "string", **schema}
    return {"in": "header", "name": name, "description": says, "schema": described}


def _success(way: Success) -> dict[str, Any]:
    document: dict[str, Any] = {"description": way.says}
    if way.schema is not None:
        schemas = {way.media_type: way.schema, **way.others}
        document["content"] = {name: {"schema": schema} for name, schema in schemas.items()}
    if way.headers:
        document["headers"] = {
            name: {"description": says, "schema": {"type": "string"}}
            for name, says in way.headers.items()
        }
    return document


def _problem(rows: Sequence[Answer]) -> dict[str, Any]:
    codes = [row.code for row in rows]
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"properties": {"code": {"enum": codes}}},
        ]
    }
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    return {
        "description": " ".join(f"`{row.code}`: {row.when}" for row in rows),
        "content": {PROBLEM_JSON: {"schema": schema, "examples": examples}},
    }
