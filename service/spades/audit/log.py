"""`spades/log/v1`: events sealed into records, records chained by hash.

Leaves, public forms and the chain follow the log format frozen in `docs/log-format.md`.
"""

import hmac
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import orjson

from spades.game.events import Hidden

JsonObject = dict[str, Any]

LEAF = b"spades/log/v1/leaf\0"
SALT = b"spades/log/v1/salt\0"
GENESIS = b"spades/log/v1/genesis\0"
EVENT = b"spades/log/v1/event\0"


@dataclass(frozen=True, slots=True)
class Record:
    """One event as it is stored, served and hashed.

    `public` has exactly the keys version, type, schema, at, seat, actor and data.
    `secret` holds the opening `{"salt", "value"}` of each leaf by its JSON pointer, and in
    the opening event the `game_seed`. `hash` is the chain's hash after this event, in hex.
    """

    public: JsonObject
    secret: JsonObject
    hash: str

    @property
    def version(self) -> int:
        """The event's place in its game's log, from 1."""
        return int(self.public["version"])

    @property
    def type(self) -> str:
        """The event's type, such as `bid_made`."""
        return str(self.public["type"])

    @property
    def schema(self) -> int:
        """The number of the shape of the event's data."""
        return int(self.public["schema"])


def canonical(value: object) -> bytes:
    """Returns the RFC 8785 form of a value of the log: integers, text, null, lists, objects.

    For the log's values (ASCII keys, integers below 2^53, no floats) orjson's sorted output
    is that form to the byte; a test holds the two together.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def timestamp(moment: datetime) -> str:
    """Returns a time as the log writes it: RFC 3339, UTC, with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def genesis(game_id: str) -> str:
    """Returns the hash that a game's chain starts from."""
    return sha256(GENESIS + game_id.encode()).hexdigest()


def link(previous: str, public: JsonObject) -> str:
    """Returns the chain's hash after the event with this public form."""
    return sha256(EVENT + bytes.fromhex(previous) + sha256(canonical(public)).digest()).hexdigest()


def is_unbroken(previous: str, records: Iterable[Record]) -> bool:
    """Whether records go on from a hash, and their openings fit their commitments."""
    try:
        for record in records:
            if link(previous, record.public) != record.hash or not _openings_fit(record):
                return False
            previous = record.hash
    except (LookupError, TypeError, ValueError, AttributeError):
        return False
    return True


def _openings_fit(record: Record) -> bool:
    return all(
        (leaf := leaf_in(record.public, pointer)) is not None
        and leaf["commit"] == commit(opening["salt"], opening["value"])
        for pointer, opening in record.secret.items()
        if pointer.startswith("/")
    )


def leaf_in(public: JsonObject, pointer: str) -> JsonObject | None:
    """Returns the leaf at a JSON pointer of a public form, None if there is none."""
    level: Any = {"": public}
    for key in pointer.split("/"):
        level = level.get(key) if isinstance(level, dict) else None
    return level if isinstance(level, dict) and "commit" in level else None


def salt(hand_seed: str, version: int, pointer: str) -> str:
    """Returns the salt of the leaf at a pointer of an event's public form."""
    message = SALT + version.to_bytes(4, "big") + pointer.encode()
    return hmac.digest(bytes.fromhex(hand_seed), message, "sha256").hex()


def commit(salt_hex: str, value: object) -> str:
    """Returns the commitment to a leaf's value."""
    return sha256(LEAF + bytes.fromhex(salt_hex) + canonical(value)).hexdigest()


def leaves(data: Mapping[str, Any], base: str = "/data") -> Iterator[tuple[str, Hidden]]:
    """Yields each hidden value in an event's data with its JSON pointer."""
    for key, value in data.items():
        if isinstance(value, Hidden):
            yield f"{base}/{key}", value
        elif isinstance(value, Mapping):
            yield from leaves(value, f"{base}/{key}")


def seal(previous: str, frame: JsonObject, data: JsonObject, hand_seed: str | None) -> Record:
    """Turns an event's data into its record, the next link after the hash `previous`.

    `frame` holds the public form's keys other than `data`. `hand_seed` is the seed of the
    hand that the hidden values belong to; an event without hidden values needs none.
    """
    version = frame["version"]
    openings = {
        pointer: {"salt": salt(hand_seed or "", version, pointer), "value": hidden.value}
        for pointer, hidden in leaves(data)
    }
    public = {**frame, "data": _committed(data, openings, "/data")}
    return Record(public, dict(openings), link(previous, public))


def _committed(data: Mapping[str, Any], openings: JsonObject, base: str) -> JsonObject:
    return {key: _public(value, openings, f"{base}/{key}") for key, value in data.items()}


def _public(value: object, openings: JsonObject, pointer: str) -> object:
    if isinstance(value, Hidden):
        return {"commit": commit(openings[pointer]["salt"], value.value)}
    if isinstance(value, Mapping):
        return _committed(value, openings, pointer)
    return value


def opened(record: Record) -> JsonObject:
    """Returns a record's data with each leaf replaced by its value."""
    return opened_data(record.public["data"], record.secret)


def opened_data(
    data: Mapping[str, Any], openings: Mapping[str, JsonObject], base: str = "/data"
) -> JsonObject:
    """Returns an event's data with each leaf that has an opening replaced by its value."""
    return {key: _value(value, openings, f"{base}/{key}") for key, value in data.items()}


def _value(value: object, openings: Mapping[str, JsonObject], pointer: str) -> object:
    if pointer in openings:
        return openings[pointer]["value"]
    return opened_data(value, openings, pointer) if isinstance(value, Mapping) else value
