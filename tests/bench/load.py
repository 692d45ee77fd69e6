"""The clients: sixteen games at once, each on its own connection, in a process of its own.

`python -m tests.bench.load KIND PORT GAMES SECONDS` prints one JSON object: the moves made,
the events they brought, and the milliseconds of each move.
"""

# ruff: noqa: E402  sockets are patched before anything else is imported
from gevent import monkey

monkey.patch_all()

import json
import sys
import time
import uuid
from collections.abc import Callable
from http.client import HTTPConnection
from random import Random
from typing import Any

import gevent
import orjson

HEADERS = {"Content-Type": "application/json"}
Tally = dict[str, Any]


def post(connection: HTTPConnection, path: str, body: bytes, token: str = "") -> bytes:
    """Sends one request and returns the body of its answer, which must be a success."""
    headers = {**HEADERS, "Authorization": f"Bearer {token}"} if token else HEADERS
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    text = response.read()
    if response.status >= 300:
        raise RuntimeError(f"{path}: {response.status} {text[:500]!r}")
    return text


def choose(view: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Returns one of a view's legal actions; an exchange takes the first cards offered."""
    action: dict[str, Any] = chance.choice(view["legal_actions"])
    if choice := action.pop("choose", None):
        action["cards"] = choice["from"][: choice["min"]]
    return action


def play(ruleset: str, port: int, seed: int, until: float, tally: Tally) -> None:
    """Plays games against computer players, one after the other, until the time is over."""
    connection, chance = HTTPConnection("127.0.0.1", port), Random(seed)
    seats = {"S": {"kind": "bot"}} if ruleset == "two-player" else {}
    opening = orjson.dumps({"ruleset": ruleset, "seats": seats})
    while time.monotonic() < until:
        created = orjson.loads(post(connection, "/v1/games", opening))
        view, token = created["game"], created["tokens"]["N"]
        path = f"/v1/games/{view['id']}/actions"
        while view["status"] == "active" and time.monotonic() < until:
            body = orjson.dumps(choose(view, chance))
            start = time.perf_counter()
            text = post(connection, path, body, token)
            tally["ms"].append((time.perf_counter() - start) * 1000)
            answer = orjson.loads(text)
            tally["events"] += len(answer["events"])
            tally["bytes"] += len(text)
            view = answer["view"]


def append(_: str, port: int, seed: int, until: float, tally: Tally) -> None:
    """Appends to one game of the ceiling until the time is over."""
    connection = HTTPConnection("127.0.0.1", port)
    path, version = f"/{uuid.UUID(int=Random(seed).getrandbits(128))}", 4
    post(connection, path, b"")
    while time.monotonic() < until:
        start = time.perf_counter()
        text = post(connection, path, str(version).encode())
        tally["ms"].append((time.perf_counter() - start) * 1000)
        tally["events"] += 4
        tally["bytes"] += len(text)
        version += 4


def main(kind: str, port: int, games: int, seconds: float) -> None:
    """Lets the clients loose and prints what they saw."""
    client: Callable[..., None] = append if kind == "ceiling" else play
    tally: Tally = {"events": 0, "bytes": 0, "ms": []}
    seeds = [time.time_ns() + game for game in range(games)]
    start = time.monotonic()
    gevent.joinall(
        [gevent.spawn(client, kind, port, seed, start + seconds, tally) for seed in seeds],
        raise_error=True,
    )
    print(json.dumps({**tally, "seconds": time.monotonic() - start}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
