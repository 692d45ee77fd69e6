"""The form of a served event: its keys, their types, and the data of its type.

What has no form cannot be hashed or replayed, so this is asked first. The form is that of
`docs/log-format.md`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spades.audit.evidence import CLOSED, OPENED, Evidence, Exhibit, all_opened, is_leaf, of_served
from spades.audit.findings import Check, Finding
from spades.audit.log import JsonObject, Record, canonical, leaves, opened_data
from spades.audit.values import (
    SAFE_INTEGER,
    is_count,
    is_digest,
    is_moment,
    is_number,
    is_number_up_to,
    is_ruleset,
    is_size,
    is_some_text,
    is_totals,
    is_u32,
)
from spades.errors import DamagedLog, ValidationFailed
from spades.game.cards import FRESH_DECK
from spades.game.commands import PlayerKind
from spades.game.dealing import is_client_seed
from spades.game.events import (
    READERS,
    SCHEMAS,
    Event,
    GameCreated,
    GameFinished,
    Hidden,
    read_event,
)
from spades.game.position import DRAFT_TURNS, TRICKS_IN_HAND
from spades.game.rulesets import RULESETS, resolve_options
from spades.game.seats import Seat

PUBLIC_KEYS = {"version", "type", "schema", "at", "seat", "actor", "data"}
SERVED_KEYS = PUBLIC_KEYS | {"hash"}
OPENS_KEYS = {"version", "pointer", "salt", "value"}
ENDERS = ("game", "clock", "platform")
ACTORS = {"seat", "bot", "game", "platform", "clock"}
SEATS = {None, *(seat.value for seat in Seat)}
DEEPEST = 8
ONE_CARD = ("kept", "refused", "discarded")


def sound_events(events: Sequence[Any]) -> tuple[list[Finding], int]:
    """Returns what is wrong with events' form, and how many there are before the first fault."""
    findings: list[Finding] = []
    sound = len(events)
    for place, event in enumerate(events):
        if fault := next(_faults(event), None):
            pointer, detail = fault
            findings.append(Finding(Check.FORMAT, detail, place + 1, pointer))
            sound = min(sound, place)
    return findings, sound


def check_records(records: Iterable[Record]) -> None:
    """Raises DamagedLog if a stored event has not the form of one."""
    findings, _ = sound_events([all_opened(record) for record in records])
    if findings:
        raise DamagedLog(f"What is stored has no form: {findings[0]}.")


def misplaced_events(evidence: Evidence) -> Iterator[Finding]:
    """Yields each event that does not stand in its place or goes back in time."""
    last = ""
    for number, exhibit in enumerate(evidence.exhibits, 1):
        if exhibit.version != number:
            yield Finding(Check.FORMAT, f"stands where event {number} should", exhibit.version)
        if exhibit.public["at"] < last:
            yield Finding(Check.FORMAT, "the time goes back", number, "/at")
        last = exhibit.public["at"]


def _faults(event: Any) -> Iterator[tuple[str | None, str]]:
    if not isinstance(event, dict):
        yield None, "the line is no event in JSON"
        return
    if event.keys() - {"opens"} != SERVED_KEYS:
        yield None, "the event does not have exactly its keys"
        return
    yield from _frame_faults(event)
    yield from _value_faults(event["data"], "/data", DEEPEST)
    yield from _leaf_faults(event["data"], "/data")
    if "opens" in event:
        yield from _opens_faults(event["opens"])
    yield from _member_faults(event["data"])
    yield from _data_faults(event)


def _frame_faults(event: dict[str, Any]) -> Iterator[tuple[str, str]]:
    known_actor = isinstance(event["actor"], str) and event["actor"] in ACTORS
    known_seat = event["seat"] is None or isinstance(event["seat"], str)
    good = {
        "version": is_u32(event["version"]) and is_size(event["version"]),
        "type": isinstance(event["type"], str) and event["type"] in READERS,
        "schema": is_count(event["schema"]),
        "at": is_moment(event["at"]),
        "seat": known_seat and event["seat"] in SEATS,
        "actor": known_actor,
        "data": isinstance(event["data"], dict),
        "hash": is_digest(event["hash"]),
    }
    bad = (key for key, is_good in good.items() if not is_good)
    return ((f"/{key}", "not of the form it must have") for key in bad)


def _value_faults(value: Any, pointer: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yields values that cannot stand in a log: they could not be hashed by everybody alike."""
    if depth < 0 or not isinstance(value, dict | list | str | int | None):
        yield pointer, "not a value of the log"
    elif isinstance(value, int) and abs(value) > SAFE_INTEGER:
        yield pointer, "a number beyond 2^53"
    elif isinstance(value, str) and "\0" in value:
        yield pointer, "a text with U+0000"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _value_faults(inner, f"{pointer}/{key}", depth - 1)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _value_faults(inner, f"{pointer}/{place}", depth - 1)


def _leaf_faults(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if is_leaf(value):
        texts = [text for key, text in value.items() if key != "value"]
        known = value.keys() in (CLOSED, OPENED)
        if not known or not all(map(is_digest, texts)):
            yield pointer, "not a leaf"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaf_faults(inner, f"{pointer}/{key}")


def _opens_faults(opens: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(opens, list) or not opens:
        yield "/opens", "not a list of openings"
        return
    for place, opening in enumerate(opens):
        good = (
            isinstance(opening, dict)
            and opening.keys() == OPENS_KEYS
            and is_size(opening["version"])
            and isinstance(opening["pointer"], str)
            and is_digest(opening["salt"])
        )
        if not good:
            yield f"/opens/{place}", "not an opening"
        else:
            yield from _value_faults(opening["value"], f"/opens/{place}/value", DEEPEST)


def _member_faults(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the seeds, numbers and names that are of another kind, wherever they stand."""
    for name, value in data.items():
        if name in MEMBERS and not MEMBERS[name](value):
            yield f"/data/{name}", "not of the form it must have"


def _data_faults(served: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Asks whether the data are exactly those of an event of this type.

    A leaf that is closed counts as a value that could stand there.
    """
    exhibit = of_served("", [served], "").exhibits[0]
    data = opened_data(exhibit.public["data"], {**_stand_ins(exhibit), **exhibit.openings})
    try:
        event = read_event(exhibit.public, data)
    except DamagedLog:
        yield "/data", "not the data of such an event"
        return
    if exhibit.public["schema"] != SCHEMAS[event.type]:
        return
    frame = (exhibit.public["type"], exhibit.public["seat"], exhibit.public["actor"])
    if frame != (event.type, event.seat, event.actor):
        yield "/actor", "the seat and the actor do not go with such an event"
    if canonical(data) != canonical(plain(event)):
        yield "/data", "not exactly the data of such an event"
    if dict(leaves(event.data())).keys() != exhibit.leaves.keys():
        yield "/data", "not the leaves of such an event"
    if isinstance(event, GameCreated):
        yield from _creation_faults(event)
    if isinstance(event, GameFinished) and event.actor not in ENDERS:
        yield "/actor", "nobody who can end a game"


def _creation_faults(event: GameCreated) -> Iterator[tuple[str, str]]:
    ruleset = RULESETS[event.ruleset]
    if tuple(event.chairs) != ruleset.seats:
        yield "/data/seats", "not the seats of this ruleset"
    try:
        resolve_options(ruleset, event.options.as_json())
    except ValidationFailed:
        yield "/data/options", "not options that a game may have"


def _stand_ins(exhibit: Exhibit) -> dict[str, JsonObject]:
    """Returns openings of an event's leaves with values that could stand in them."""
    count = exhibit.public["data"].get("count")
    exchanged = list(FRESH_DECK[:count]) if is_count(count) else []
    values = {"thrown": exchanged, "drawn": exchanged, **dict.fromkeys(ONE_CARD, FRESH_DECK[0])}
    return {
        pointer: {"value": values.get(pointer.removeprefix("/data/"), [])}
        for pointer in exhibit.leaves
    }


def plain(event: Event) -> dict[str, Any]:
    """Returns an event's data with the hidden values in the open."""
    opened: dict[str, Any] = _plain(event.data())
    return opened


def _plain(value: Any) -> Any:
    if isinstance(value, Hidden):
        return value.value
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _are_seats(value: object) -> bool:
    """Whether each seat is that of a bot, which has a level, or has none."""
    return isinstance(value, dict) and all(map(_is_chair, value.values()))


def _is_chair(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    level = value.get("level")
    return is_some_text(level) if value.get("kind") == PlayerKind.BOT else level is None


def _is_client_seed_or_null(value: object) -> bool:
    return value is None or (isinstance(value, str) and is_client_seed(value))


def _is_turn(value: object) -> bool:
    return is_size(value) and is_number_up_to(value, DRAFT_TURNS)


def _are_tricks(value: object) -> bool:
    """Whether a value is a bid's number of tricks, or one for each seat."""
    counts = list(value.values()) if isinstance(value, dict) else [value]
    return all(is_number_up_to(count, TRICKS_IN_HAND) for count in counts)


def _are_sides(value: object) -> bool:
    return isinstance(value, dict) and all(map(_are_parts, value.values()))


def _are_parts(value: object) -> bool:
    if not isinstance(value, dict) or type(value.get("made")) is not bool:
        return False
    return all(is_number(part) for name, part in value.items() if name != "made")


MEMBERS: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(("game_commit", "hand_commit", "hand_seed", "game_seed"), is_digest),
    **dict.fromkeys(("number", "generation", "count", "hands"), is_u32),
    **dict.fromkeys(("algorithm", "policy", "reason"), is_some_text),
    **dict.fromkeys(("tricks", "bids"), _are_tricks),
    **dict.fromkeys(("points", "bags"), is_totals),
    "ruleset": is_ruleset,
    "turn": _is_turn,
    "sides": _are_sides,
    "client_seed": _is_client_seed_or_null,
    "seats": _are_seats,
}
