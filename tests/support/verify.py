"""A short check of a finished game from its served events alone.

Written from `docs/log-format.md` and `docs/dealing.md`, with nothing of the service in it: it
recomputes the chain, every leaf, every salt and every deal. It does not ask whether the plays
were legal or the scores right.
"""

import hmac
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
    broken = [*_order(events), *_chain(game_id, events)]
    if not events or events[0]["type"] != "game_created" or events[-1]["type"] not in ENDS:
        return [*broken, "the log is not that of a whole game"]
    hidden = [f"{where}: not opened" for where, leaf in _leaves(events) if "value" not in leaf]
    if hidden:
        return [*broken, *hidden]
    return [*broken, *_hands(events), *_openings(events), *_deals(game_id, events)]


def _order(events: list[Event]) -> Iterator[str]:
    if [event["version"] for event in events] != list(range(1, len(events) + 1)):
        yield "versions have gaps"
    if any(event["type"] in ENDS for event in events[:-1]):
        yield "the game goes on after its end"
    times = [event["at"] for event in events]
    if times != sorted(times):
        yield "times go back"


def _hands(events: list[Event]) -> Iterator[str]:
    seats = _seats(events)
    dealer = seats.index(events[0]["data"]["dealer"])
    started = [event["data"] for event in events if event["type"] == "hand_started"]
    scored = [event["data"]["number"] for event in events if event["type"] == "hand_scored"]
    if [hand["number"] for hand in started] != list(range(1, len(started) + 1)):
        yield "a hand was left out"
    if scored != list(range(1, events[-1]["data"]["hands"] + 1)):
        yield "a score was left out"
    for place, hand in enumerate(started):
        if hand["dealer"] != seats[(dealer + place) % len(seats)]:
            yield f"hand {hand['number']}: the deal did not move on by a seat"


def _seats(events: list[Event]) -> list[str]:
    return [seat for seat in "NESW" if seat in events[0]["data"]["seats"]]


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


def _leaves(events: list[Event]) -> Iterator[tuple[str, dict[str, Any]]]:
    for event in events:
        for pointer, leaf in _found(event["data"], "/data"):
            yield f"event {event['version']} {pointer}", leaf


def _openings(events: list[Event]) -> Iterator[str]:
    seed, hand = bytes.fromhex(events[-1]["data"]["game_seed"]), 0
    for event in events:
        hand = event["data"]["number"] if event["type"] == "hand_started" else hand
        hand_seed = _mac(seed, "hand", _u32(hand))
        if event["type"] == "hand_scored" and event["data"]["hand_seed"] != hand_seed.hex():
            yield f"event {event['version']}: the hand's seed is not the game's"
        for pointer, leaf in _found(event["data"], "/data"):
            where = f"event {event['version']} {pointer}"
            salt = bytes.fromhex(leaf["salt"])
            text = rfc8785.dumps(leaf["value"])
            if sha256(b"spades/log/v1/leaf\0" + salt + text).hexdigest() != leaf["commit"]:
                yield f"{where}: the opening does not match"
            message = b"spades/log/v1/salt\0" + _u32(event["version"]) + pointer.encode()
            if salt != hmac.digest(hand_seed, message, "sha256"):
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
    created, seats = events[0]["data"], _seats(events)
    seed = bytes.fromhex(events[-1]["data"]["game_seed"])
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
            pool += sorted(data["thrown"]["value"], key=DECK.index)
