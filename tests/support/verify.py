"""A short check of a finished game from its served events alone.

Written from `docs/log-format.md` and `docs/dealing.md`, with nothing of the service in it: it
recomputes the chain, every leaf, every salt and every deal.
"""

import hmac
import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import rfc8785

Event = dict[str, Any]

PUBLIC = ("version", "type", "schema", "at", "seat", "actor", "data")
DECK = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
ENDS = ("game_finished", "game_aborted")


def verify(game_id: str, events: list[Event]) -> list[str]:
    """Returns what is wrong with a finished game's log, as everybody sees it; [] is well."""
    return [
        *_order(events),
        *_chain(game_id, events),
        *_leaves(events),
        *_deals(game_id, events),
    ]


def _order(events: list[Event]) -> Iterator[str]:
    if [event["version"] for event in events] != list(range(1, len(events) + 1)):
        yield "versions have gaps"
    if [event["type"] for event in events if event["type"] in ENDS] != [events[-1]["type"]]:
        yield "the log does not end with the end"
    times = [event["at"] for event in events]
    if times != sorted(times):
        yield "times go back"


def _chain(game_id: str, events: list[Event]) -> Iterator[str]:
    head = sha256(b"spades/log/v1/genesis\0" + game_id.encode()).digest()
    for event in events:
        public = _without_openings({key: event[key] for key in PUBLIC})
        digest = sha256(rfc8785.dumps(public)).digest()
        head = sha256(b"spades/log/v1/event\0" + head + digest).digest()
        if head.hex() != event["hash"]:
            yield f"event {event['version']}: the chain is broken"
            head = bytes.fromhex(event["hash"])


def _without_openings(value: Any) -> Any:
    if isinstance(value, dict):
        if "commit" in value:
            return {"commit": value["commit"]}
        return {key: _without_openings(inner) for key, inner in value.items()}
    return [_without_openings(inner) for inner in value] if isinstance(value, list) else value


def _found(value: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        if "commit" in value:
            yield pointer, value
            return
        for key, inner in value.items():
            yield from _found(inner, f"{pointer}/{key}")


def _leaves(events: list[Event]) -> Iterator[str]:
    seeds = {
        e["data"]["number"]: e["data"]["hand_seed"] for e in events if e["type"] == "hand_scored"
    }
    hand = 0
    for event in events:
        hand = event["data"]["number"] if event["type"] == "hand_started" else hand
        for pointer, leaf in _found(event["data"], "/data"):
            where = f"event {event['version']} {pointer}"
            if "value" not in leaf:
                yield f"{where}: not opened"
                continue
            salt = bytes.fromhex(leaf["salt"])
            told = json.dumps(leaf["value"], separators=(",", ":"), ensure_ascii=False)
            commit = sha256(b"spades/log/v1/leaf\0" + salt + told.encode()).hexdigest()
            if commit != leaf["commit"]:
                yield f"{where}: the opening does not match"
            message = b"spades/log/v1/salt\0" + _u32(event["version"]) + pointer.encode()
            if hand in seeds and salt != hmac.digest(bytes.fromhex(seeds[hand]), message, "sha256"):
                yield f"{where}: the salt is not the hand's"


def _u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def _mac(key: bytes, label: str, rest: bytes) -> bytes:
    return hmac.digest(key, f"spades/deal/v1/{label}\0".encode() + rest, "sha256")


def _words(key: bytes, label: str, prefix: bytes) -> Iterator[int]:
    block = 0
    while True:
        digest = _mac(key, label, prefix + _u32(block))
        yield from (int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4))
        block += 1


def _below(words: Iterator[int], n: int) -> int:
    for word in words:
        if word < 2**32 - 2**32 % n:
            return word % n
    raise AssertionError("the words do not end")


def _deals(game_id: str, events: list[Event]) -> Iterator[str]:
    created, end = events[0]["data"], events[-1]["data"]
    if "game_seed" not in end:
        yield "the game seed is not told"
        return
    seats = [seat for seat in "NESW" if seat in created["seats"]]
    seed = bytes.fromhex(end["game_seed"])
    told = sha256(f"spades/deal/v1/game\0{game_id}\0".encode() + seed).hexdigest()
    if told != created["game_commit"]:
        yield "the game seed is not the one committed to"
    if not created["dealer_fixed"]:
        first = seats[_below(_words(seed, "first", b""), len(seats))]
        if first != created["dealer"]:
            yield "the first dealer was not drawn"
    mix = _mix(seats, events)
    for place, event in enumerate(events):
        if event["type"] == "hand_started":
            yield from _deal(game_id, seats, seed, mix, events[place:])


def _mix(seats: list[str], events: list[Event]) -> bytes:
    given: dict[str, str] = {}
    for event in events:
        if event["type"] == "hand_started":
            break
        if event["type"] == "seat_taken":
            given[event["seat"]] = event["data"]["client_seed"] or ""
    return sha256("".join(f"{seat}={given.get(seat, '')}\n" for seat in seats).encode()).digest()


def _deal(
    game_id: str, seats: list[str], seed: bytes, mix: bytes, events: list[Event]
) -> Iterator[str]:
    start = events[0]["data"]
    where = f"hand {start['number']}"
    hand_seed = _mac(seed, "hand", _u32(start["number"]))
    prefix = f"spades/deal/v1/commit\0{game_id}\0".encode()
    commit = sha256(prefix + _u32(start["number"]) + hand_seed).hexdigest()
    if commit != start["hand_commit"]:
        yield f"{where}: the hand seed is not the one committed to"
    words = _words(hand_seed, "stream", mix)
    deck = list(DECK)
    for i in range(51, 0, -1):
        j = _below(words, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    if "stock" in start:
        if start["stock"]["value"] != deck:
            yield f"{where}: the stock is not the shuffle"
        yield from _two_player(where, words, deck, events)
    else:
        left = (seats.index(start["dealer"]) + 1) % len(seats)
        order = seats[left:] + seats[:left]
        for place, seat in enumerate(order):
            if start["holdings"][seat]["value"] != deck[place :: len(seats)]:
                yield f"{where}: {seat} was not dealt its cards"


def _two_player(
    where: str, words: Iterator[int], deck: list[str], events: list[Event]
) -> Iterator[str]:
    pool: list[str] = []
    for event in events[1:]:
        data = event["data"]
        if event["type"] in ("hand_started", *ENDS):
            return
        if event["type"] in ("card_kept", "card_refused"):
            seen, unseen = deck[2 * data["turn"] - 2 : 2 * data["turn"]]
            away = data.get("discarded") or data["refused"]
            expected = (seen, unseen) if event["type"] == "card_kept" else (unseen, seen)
            if (data["kept"]["value"], away["value"]) != expected:
                yield f"{where}: turn {data['turn']} drew other cards"
            pool.append(expected[1])
        if event["type"] == "cards_exchanged":
            drawn = [pool.pop(_below(words, len(pool))) for _ in range(data["count"])]
            if data["drawn"]["value"] != drawn:
                yield f"{where}: the replacements were not drawn"
            pool += data["thrown"]["value"]
