"""Whether a value of a JSON text is of a kind: the words of every form that an audit asks for.

No `bool` is a number here, though Python has it so.
"""

import re
from datetime import datetime

from spades.game.rulesets import RULESETS

SAFE_INTEGER = 2**53 - 1
"""The greatest integer that every reader of JSON understands alike (RFC 8259, section 6)."""

DIGEST = re.compile(r"[0-9a-f]{64}")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


def is_text(value: object) -> bool:
    """Whether a value is text."""
    return isinstance(value, str)


def is_some_text(value: object) -> bool:
    """Whether a value is text, and not empty."""
    return isinstance(value, str) and value != ""


def is_text_or_null(value: object) -> bool:
    """Whether a value is text or null."""
    return value is None or isinstance(value, str)


def is_number(value: object) -> bool:
    """Whether a value is a whole number that every reader understands alike."""
    return type(value) is int and abs(value) <= SAFE_INTEGER


def is_count(value: object) -> bool:
    """Whether a value is a whole number from 0."""
    return type(value) is int and 0 <= value <= SAFE_INTEGER


def is_number_up_to(value: object, most: int) -> bool:
    """Whether a value is a whole number from 0 to a greatest one."""
    return type(value) is int and 0 <= value <= most


def is_size(value: object) -> bool:
    """Whether a value is a whole number from 1, as sizes and versions are."""
    return type(value) is int and 1 <= value <= SAFE_INTEGER


def is_u32(value: object) -> bool:
    """Whether a value is a whole number from 0 that four bytes hold, as `u32` asks."""
    return type(value) is int and 0 <= value < 2**32


def is_digest(value: object) -> bool:
    """Whether a value is 32 bytes in lower-case hex: a hash, a seed or a salt."""
    return isinstance(value, str) and DIGEST.fullmatch(value) is not None


def is_moment(value: object) -> bool:
    """Whether a value is a time as the log writes it."""
    if not isinstance(value, str) or not MOMENT.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_uuid(value: object) -> bool:
    """Whether a value is a UUID as the log writes the ids of games: in lower case."""
    return isinstance(value, str) and UUID.fullmatch(value) is not None


def is_ruleset(value: object) -> bool:
    """Whether a value is the name of a ruleset."""
    return isinstance(value, str) and value in RULESETS


def is_totals(value: object) -> bool:
    """Whether a value is an object of whole numbers, as points and bags by side are."""
    return isinstance(value, dict) and all(map(is_number, value.values()))
