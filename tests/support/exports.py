"""Exports for the tests of verifiers: games to export, and logs to change and make good again."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import orjson

from spades.audit.exports import export_of
from spades.audit.log import commit, genesis, link, salt
from spades.bots import POLICIES
from spades.game.audience import SPECTATOR, Viewer, seated
from spades.game.commands import Chair, CreateGame, PlayerKind
from spades.game.rulesets import RULESETS, resolve_options
from spades.game.seats import Seat
from spades.store import Profile
from spades.tables import Opening, Policy, Table, Tables
from tests.support.house import House, chosen

Event = dict[str, Any]

PUBLIC = ("version", "type", "schema", "at", "seat", "actor", "data")
LONG = {"target": 10000, "lose_at": None}
BOTS = {"two-player": "N", "partnership": "E", "pairs": "EW"}


def played(
    ruleset: str,
    seed: int = 7,
    *,
    house: House | None = None,
    bots: str = "",
    stop: int | None = None,
    policies: Mapping[str, Policy] = POLICIES,
    reissues: bool = False,
    **options: Any,
) -> Table:
    """A game in which S is claimed with a client seed and bids every Double Nil it is offered.

    It stops after `stop` actions of people, or at its end.
    """
    house, chance = house or House(seed=seed, policies=policies), Random(seed)
    table = _opened(house, ruleset, bots, {**LONG, "max_hands": 1, **options})
    if reissues:
        table = house.tables.reissue_token(table.ledger.game_id, Seat.S)
    done = 0
    while table.game.result is None and done != stop:
        seat = table.game.to_act[-1]
        body = chosen(table.view(seated(seat)), chance)
        if table.game.phase == "blind":
            body["type"] = "bid_double_nil" if seat is Seat.S else "look"
        table, done = house.act(table, seat.value, **body).table, done + 1
    return house.another_process().whole(table.ledger.game_id)


def _opened(house: House, ruleset: str, bots: str, options: Mapping[str, Any]) -> Table:
    rules, tables = RULESETS[ruleset], house.tables
    chairs = dict.fromkeys(rules.seats, Chair(PlayerKind.HUMAN))
    chairs |= {Seat(seat): Chair(PlayerKind.BOT, "novice") for seat in bots}
    chairs[Seat.S] = Chair(PlayerKind.OPEN)
    order = CreateGame(rules, resolve_options(rules, options), chairs)
    return _claimed(tables, tables.create(Opening(order)).table)


def _claimed(tables: Tables, table: Table) -> Table:
    return tables.claim(table.ledger.game_id, Seat.S, Profile("Lin"), "lin-03")


@cache
def finished(ruleset: str, hands: int = 1) -> bytes:
    """The export of a finished game with bots, Double Nil and a token issued again."""
    table = played(ruleset, bots=BOTS[ruleset], reissues=True, max_hands=hands)
    return export_of(table.ledger, SPECTATOR)


def viewers(table: Table) -> tuple[Viewer, ...]:
    return SPECTATOR, *map(seated, table.game.seats)


def opened_too_early(table: Table) -> Iterator[tuple[str, int, bytes]]:
    """Yields exports for each viewer with one leaf opened, truly, that is hidden from her.

    Each comes with a name and the version of the leaf's event.
    """
    known = {step.record.version: step.record.secret for step in table.ledger.steps}
    for viewer in viewers(table):
        export = export_of(table.ledger, viewer)
        for event in read(export).events:
            for pointer, leaf in leaves_of(event):
                if "value" not in leaf:
                    log, version = read(export), event["version"]
                    hidden = dict(leaves_of(log.events[version - 1]))[pointer]
                    hidden.update(known[version][pointer])
                    yield (
                        f"{viewer} {version} {pointer[6:].replace('/', ' ')}",
                        version,
                        log.lines(),
                    )


@dataclass
class Log:
    """An export in pieces, to be changed."""

    header: Event
    events: list[Event]

    def first(self, *types: str, **data: Any) -> Event:
        """The first event of a type whose data have these values."""
        return next(self.all(*types, **data))

    def all(self, *types: str, **data: Any) -> Iterator[Event]:
        return (e for e in self.events if e["type"] in types and data.items() <= e["data"].items())

    def place(self, event: Event) -> int:
        return next(place for place, one in enumerate(self.events) if one is event)

    def lines(self) -> bytes:
        return written([self.header, *self.events])


def read(export: bytes) -> Log:
    header, *events = map(orjson.loads, export.splitlines())
    return Log(header, events)


def written(lines: Iterable[Any]) -> bytes:
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)


def leaves_of(event: Event) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields an event's leaves by JSON pointer."""
    for key, value in event["data"].items():
        if isinstance(value, dict):
            inner = [(f"/data/{key}/{name}", leaf) for name, leaf in value.items()]
            found = [(f"/data/{key}", value), *inner]
            yield from ((at, leaf) for at, leaf in found if is_leaf(leaf))


def is_leaf(value: Any) -> bool:
    return isinstance(value, dict) and "commit" in value


def made_good(log: Log) -> Log:
    """A log as a cheat would leave it who knows all seeds and calculates all of it again.

    Versions, salts, commitments, `opens`, hashes and header follow from what `log` says;
    openings keep pointing at the events that they pointed at.
    """
    log = deepcopy(log)
    versions = _renumbered(log)
    _resealed(log)
    for event in log.events:
        if "opens" in event:
            event["opens"] = list(_reopened(log, versions, event["opens"]))
    return rechained(log)


def _renumbered(log: Log) -> dict[int, int]:
    """Numbers the events; returns the new version of each old one."""
    versions: dict[int, int] = {}
    for version, event in enumerate(log.events, 1):
        versions.setdefault(event["version"], version)
        event["version"] = version
    return versions


def _resealed(log: Log) -> None:
    seed = ""
    for place, event in enumerate(log.events):
        if event["type"] == "hand_started":
            later = (e for e in log.events[place:] if e["type"] == "hand_scored")
            seed = next((e["data"]["hand_seed"] for e in later), "")
        for pointer, leaf in leaves_of(event):
            if seed and "value" in leaf:
                leaf["salt"] = salt(seed, event["version"], pointer)
                leaf["commit"] = commit(leaf["salt"], leaf["value"])


def _reopened(log: Log, versions: dict[int, int], opens: list[Any]) -> Iterator[Any]:
    for opening in opens:
        version = versions.get(opening["version"], 0)
        leaves = dict(leaves_of(log.events[version - 1])) if version else {}
        leaf = leaves.get(opening["pointer"], {})
        if "value" in leaf:
            told = {"salt": leaf["salt"], "value": leaf["value"]}
            yield {"version": version, "pointer": opening["pointer"], **told}


def rechained(log: Log) -> Log:
    """The log with its hashes and its header calculated again."""
    log, head = deepcopy(log), genesis(log.header["game_id"])
    for event in log.events:
        head = link(head, closed({key: event[key] for key in PUBLIC if key in event}))
        event["hash"] = head
    log.header |= {"version": len(log.events), "log_head": head}
    return log


def closed(value: Any) -> Any:
    """A value with its leaves cut down to their commitments."""
    if is_leaf(value):
        return {"commit": value["commit"]}
    return (
        {key: closed(inner) for key, inner in value.items()} if isinstance(value, dict) else value
    )
