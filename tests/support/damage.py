"""Exports damaged bit by bit, and files that are no exports at all."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from tests.support.exports import Event, Log, read

TOKEN = re.compile(rb'"([^"\\]+)"|(-?\d+|true|false|null)')
DIGEST = re.compile(rb"[0-9a-f]{64}")
ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2**53, 2**31, 2**70, 1.5, "", "\0", "\ud800", "__proto__", "N", "4C",
    "0" * 64, [], {}, ["4C"], [[]], {"commit": "0" * 64}, {"commit": 1}, {"__proto__": None},
    {"commit": "0" * 64, "salt": "0" * 64, "value": []}, [{"commit": "0" * 64}], "9" * 5000,
)  # fmt: skip


def flipped(export: bytes, version: int, place: int) -> bytes:
    """The export with one bit changed in a byte of the event with this version, 0 the header."""
    lines = export.splitlines(keepends=True)
    line = bytearray(lines[version])
    line[place] ^= 1
    lines[version] = bytes(line)
    return b"".join(lines)


def places(line: bytes) -> list[int]:
    """The middle byte of every key and every value in a line of JSON."""
    spans = [match.span(match.lastindex or 0) for match in TOKEN.finditer(line)]
    return [(start + end) // 2 for start, end in spans]


def nearly_all_places(line: bytes) -> list[int]:
    """Every byte of a line of JSON, of a hash or seed every ninth."""
    passed = {
        place
        for match in DIGEST.finditer(line)
        for place in range(*match.span())
        if (place - match.start()) % 9
    }
    return [place for place in range(len(line)) if place not in passed]


def first_of_each_type(log: Log) -> list[Event]:
    found: dict[str, Event] = {}
    for event in log.events:
        found.setdefault(event["type"], event)
    return list(found.values())


def garbage(export: bytes) -> Iterator[tuple[str, bytes]]:
    """Files that no verifier may stumble over: each is to be found wrong."""
    header, first, *rest = export.splitlines()
    deep, twice = (
        b"[" * 100_000 + b"]" * 100_000,
        first.replace(b'"schema":1', b'"schema":1,"schema":1'),
    )

    def instead(line: bytes) -> bytes:
        return b"\n".join([header, line, *rest, b""])

    yield "empty", b""
    yield "one newline", b"\n"
    yield "binary", bytes(range(256)) * 20
    yield "zeros", b"\0" * 5000
    yield "ten megabytes in a line", b"a" * 10_000_000
    yield "ten megabytes in a text", instead(b'{"version":"' + b"a" * 10_000_000 + b'"}')
    yield "deep nesting", deep
    yield "deep nesting in an event", instead(b'{"version":' + deep + b"}")
    yield "deep objects in an event", instead(b'{"a":' * 50_000 + b"1" + b"}" * 50_000)
    yield "a huge number", instead(first.replace(b'"version":1', b'"version":' + b"9" * 9000))
    yield "2^53", instead(first.replace(b'"version":1', b'"version":9007199254740992'))
    yield "a fraction", instead(first.replace(b'"version":1', b'"version":1.0'))
    yield "an exponent", instead(first.replace(b'"version":1', b'"version":1e0'))
    yield "minus zero", instead(first.replace(b'"version":1', b'"version":-0'))
    yield "not a number", instead(first.replace(b'"version":1', b'"version":NaN'))
    yield "a key twice", instead(twice)
    yield "a lone surrogate", instead(first.replace(b'"seat":null', b'"seat":"\\ud800"'))
    yield "a surrogate in utf-8", instead(first.replace(b'"seat":null', b'"seat":"\xed\xa0\x80"'))
    yield "a prototype", instead(first.replace(b'"seat":null', b'"seat":null,"__proto__":{}'))
    yield "a prototype's type", instead(first.replace(b'"game_created"', b'"__proto__"'))
    yield "a constructor", instead(first.replace(b'"game_created"', b'"constructor"'))
    yield "a byte order mark", b"\xef\xbb\xbf" + export
    yield "utf-16", export.decode().encode("utf-16")
    yield "cut off within a line", export[: len(export) // 2]
    yield "cut off at the last newline", export[:-1]
    yield "an empty line", export.replace(b"\n", b"\n\n", 1)
    yield "no header", b"\n".join([first, *rest, b""])
    yield "only a header", header + b"\n"
    yield "two headers", header + b"\n" + export
    yield "an event in a list", instead(b"[" + first + b"]")
    yield "null for an event", instead(b"null")
    yield "null for a header", b"null\n" + first + b"\n"
    yield "a list", b"[]"
    yield "an object", b"{}"
    yield "another format", b'{"format":"spades-export/2"}'
    yield "a format that is no text", b'{"format":["spades-export/1"]}'
    yield "dots", b"a.b.c"
    yield "only dots", b".."
    yield "a result with nothing in it", b'{"format":"spades-result/1"}'
    yield "a checkpoint with nothing in it", b'{"format":"spades-checkpoint/1","jws":null}'
    yield "a proof with nothing in it", b'{"format":"spades-inclusion/1"}'


def mutated(export: bytes, chance: Random) -> bytes:
    """An export with an odd value, key or line in some place of it."""
    log = read(export)
    event = chance.choice(log.events)
    holder = chance.choice(list(holders(event)))
    key = chance.choice(list(holder) or ["key"])
    odd = deepcopy(chance.choice([*ODD_VALUES, *chance.choice(log.events)["data"].values()]))
    match chance.randrange(4):
        case 0:
            holder.pop(key, None)
        case 1:
            holder[chance.choice(["__proto__", "commit", "seat", "toString"])] = odd
        case _:
            holder[key] = odd
    lines = [log.header, *log.events]
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def holders(value: Any) -> Iterator[dict[str, Any]]:
    """Yields the objects in a value."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from holders(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from holders(inner)
