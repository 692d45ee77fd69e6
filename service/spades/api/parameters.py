"""Query parameters: read strictly, documented by the same definitions."""

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import request

from spades.errors import InvalidParameter, UnknownParameter


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a query: what it means, its JSON Schema, how its text is read."""

    name: str
    says: str
    schema: Mapping[str, Any]
    read: Callable[[str], Any]
    default: Any = None
    required: bool = False

    def value(self) -> Any:
        """Returns the present request's value; raises InvalidParameter."""
        given = request.args.getlist(self.name)
        if not given and self.required:
            raise InvalidParameter("Give the parameter.", parameter=self.name)
        if not given:
            return self.default
        if len(given) > 1:
            raise InvalidParameter("Give the parameter once.", parameter=self.name)
        try:
            return self.read(given[0])
        except ValueError as error:
            raise InvalidParameter(str(error), parameter=self.name) from None

    def documented(self) -> dict[str, Any]:
        """Returns the parameter object of the OpenAPI document."""
        default = {} if self.default is None else {"default": self.default}
        schema = {**self.schema, **default}
        told = {"in": "query", "name": self.name, "description": self.says, "schema": schema}
        return {**told, "required": True} if self.required else told


def number(
    name: str,
    says: str,
    least: int,
    most: int,
    default: int | None = None,
    *,
    required: bool = False,
) -> Parameter:
    """Returns a parameter that is a whole number in a range."""
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return Parameter(name, says, schema, lambda text: whole(text, least, most), default, required)


def word(name: str, says: str, choices: Iterable[str], default: str | None = None) -> Parameter:
    """Returns a parameter that is one of a few words."""
    words = tuple(choices)

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"Must be one of {', '.join(words)}.")
        return text

    return Parameter(name, says, {"type": "string", "enum": list(words)}, read, default)


def moment(name: str, says: str) -> Parameter:
    """Returns a parameter that is an RFC 3339 time."""
    return Parameter(name, says, {"type": "string", "format": "date-time"}, moment_of)


def whole(text: str, least: int, most: int) -> int:
    """Returns the number that plain digits write; raises ValueError outside the range."""
    if not re.fullmatch(r"[0-9]{1,16}", text) or not least <= int(text) <= most:
        raise ValueError(f"Must be a whole number from {least} to {most}.")
    return int(text)


def whole_in_path(name: str, text: str, least: int, most: int) -> int:
    """Returns the number in a path; raises InvalidParameter outside the range."""
    try:
        return whole(text, least, most)
    except ValueError as error:
        raise InvalidParameter(str(error), parameter=name) from None


def moment_of(text: str) -> datetime:
    """Returns the time that an RFC 3339 text writes; raises ValueError."""
    plain = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)"
    if not re.fullmatch(plain, text, re.ASCII):
        raise ValueError("Must be a time such as 2026-11-30T12:00:00.000Z.")
    return datetime.fromisoformat(text.upper())


def refuse_unknown(names: Container[str]) -> None:
    """Raises UnknownParameter if the query holds what the operation does not know."""
    for name in request.args if request.query_string else ():
        if name not in names:
            raise UnknownParameter("This operation has no such parameter.", parameter=name)
