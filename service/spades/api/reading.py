"""Reading requests: JSON taken literally, shapes checked, nothing guessed."""

import json
from typing import Any, NoReturn

import orjson
from flask import request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import HTTPException

from spades.api.errors import BodyTooLarge, NotAcceptable, UnsupportedMediaType
from spades.api.faults import NO_OBJECT, faults_of
from spades.audit.json_text import KeyTwice, each_once
from spades.errors import MalformedJson, ValidationFailed

JSON = "application/json"
MOST_BYTES = 64 * 1024
MOST_FAULTS = 20
LONGEST_NUMBER = 20


def json_body() -> Any:
    """Returns the JSON of the request's body; raises UnsupportedMediaType, MalformedJson."""
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != JSON or charset != "utf-8" or "Content-Encoding" in request.headers:
        raise UnsupportedMediaType("Send Content-Type: application/json, in UTF-8.")
    data = _data()
    if len(data) > MOST_BYTES:
        raise BodyTooLarge()
    return parsed(data)


def _data() -> bytes:
    """Reads the body; every server has errors of its own for chunks that make no sense."""
    try:
        return request.get_data(cache=False)
    except HTTPException:
        raise
    except Exception as fault:
        raise MalformedJson("The body can't be read.") from fault


def json_object() -> dict[str, Any]:
    """Returns the JSON object in the request's body; raises ValidationFailed for another type."""
    body = json_body()
    if not isinstance(body, dict):
        raise ValidationFailed(errors=[{"pointer": "", **NO_OBJECT}])
    return body


def parsed(data: bytes) -> Any:
    """Returns the value of a JSON text.

    orjson refuses what is no JSON (NaN, broken UTF-8, lone surrogates, endless nesting); the
    standard reader then tells of keys that stand twice, and keeps integers whole.
    """
    try:
        orjson.loads(data)
        return json.loads(
            data, object_pairs_hook=each_once, parse_int=_integer, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        raise MalformedJson(_reason(error)) from None


def loaded(schema: Schema, body: Any) -> Any:
    """Returns a body read through its schema; raises ValidationFailed with every fault."""
    try:
        return schema.load(body)
    except ValidationError as error:
        faults = sorted(faults_of(error.messages), key=lambda fault: str(fault["pointer"]))
        raise ValidationFailed(errors=faults[:MOST_FAULTS]) from None


def accepts(*media_types: str) -> None:
    """Raises NotAcceptable if the caller takes an answer of none of these types."""
    accepted = request.headers.get("Accept")
    if accepted in (None, "", "*/*", *media_types):
        return
    if request.accept_mimetypes.best_match(media_types) is None:
        raise NotAcceptable(f"The answer would be {' or '.join(media_types)}.")


def _integer(text: str) -> int:
    """Reads an integer, and a very long one only as far as to know that it is too long."""
    return int(text[:LONGEST_NUMBER])


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _reason(error: Exception) -> str:
    return "A key stands twice in one object." if isinstance(error, KeyTwice) else ""
