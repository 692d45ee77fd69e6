"""JSON texts read strictly: what two readers could understand differently is refused."""

import json
from typing import Any, NoReturn

import orjson

from spades.audit.values import SAFE_INTEGER

LONGEST_NUMBER = 17


class KeyTwice(ValueError):
    """A key stands twice in one object."""


def read_json(text: bytes) -> Any:
    """Returns the value of a JSON text; raises ValueError.

    A key that stands twice, a number that is not a whole one, and text that is no UTF-8 are
    refused: none of them stands in anything that a verifier is given to read.
    """
    try:
        orjson.loads(text)
        return json.loads(
            text,
            object_pairs_hook=each_once,
            parse_int=_integer,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object's members; raises KeyTwice."""
    read = dict(pairs)
    if len(read) < len(pairs):
        raise KeyTwice("a key stands twice in one object")
    return read


def _integer(text: str) -> int:
    if len(text) > LONGEST_NUMBER or abs(int(text)) > SAFE_INTEGER or text == "-0":
        raise ValueError(f"{text[:20]} is not between -2^53 and 2^53")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no whole number")
