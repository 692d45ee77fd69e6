"""Every documented operation, by every caller, with odd paths, queries and bodies."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import ApiClient, exported

Json = dict[str, Any]
ODD_TEXTS = [
    "", "x", "0", "-1", "1", "2", "1.5", "null", "true", "N", "%", "%00", "..", "/", "//", "a/b",
    "\n", "٣", "♠" * 200, "9" * 40, str(2**31), str(2**53), "' or 1=1 --", "{}", "jws", "auditor",
    "01940000-0000-7000-8000-0000000000ff", "2026-11-30T12:00:00Z",
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, 2.5, -1, 2**60, 10**40, "", "x", "\0", "♠" * 200, "2300-01-01T00:00:00Z",
    [], {}, [None], {"a": {"b": []}}, "AS", "auditor", "N",
]  # fmt: skip
OPERATIONS = [
    (method, path, operation)
    for path, methods in exported().document["paths"].items()
    for method, operation in methods.items()
    if method in ("get", "post", "put", "patch", "delete")
]
IDS = [operation["operationId"] for _, _, operation in OPERATIONS]
ROUNDS = 25


def fields_of(operation: Json) -> list[str]:
    """The names that a body of this operation may have, and some that none has."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    known = exported().document["components"]["schemas"].get(name, {})
    return [*known.get("properties", {}), "type", "expected_version", "joker"]


def queries_of(operation: Json) -> list[str]:
    parameters = operation.get("parameters", [])
    return [p["name"] for p in parameters if p.get("in") == "query"] + ["joker"]


def callers(game: Game, anonymous: ApiClient) -> Iterator[ApiClient]:
    yield anonymous
    yield game.client
    yield game.seat("N")
    for kind in ("spectator", "auditor"):
        issued = game.client.post(f"/v1/games/{game.id}/tokens", {"kind": kind})
        yield game.client.bearing(issued.body["token"])


def odd_path(path: str, game: Game, chance: Random) -> str:
    def filled(match: re.Match[str]) -> str:
        right = {"game_id": game.id, "seat": "N", "number": "1", "version": "1"}.get(match[1])
        texts = [text for text in ODD_TEXTS if text and (match[1] == "ref" or "/" not in text)]
        odd = quote(chance.choice(texts), safe="")
        return right if right and chance.random() < 0.7 else odd

    return re.sub(r"\{(\w+)\}", filled, path)


def odd_query(operation: Json, chance: Random) -> str:
    names = chance.choices(queries_of(operation), k=chance.choice([0, 0, 1, 2]))
    pairs = [f"{name}={quote(chance.choice(ODD_TEXTS), safe='')}" for name in names]
    return "?" + "&".join(pairs) if pairs else ""


def odd_body(operation: Json, chance: Random) -> Any:
    if chance.random() < 0.2:
        return chance.choice(ODD_VALUES)
    names = chance.choices(fields_of(operation), k=chance.randint(0, 4))
    return {name: chance.choice(ODD_VALUES) for name in names}


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=IDS)
@pytest.mark.parametrize("is_over", [False, True], ids=["running", "over"])
def test_whatever_is_sent_is_answered_as_promised(
    place: Place, method: str, path: str, operation: Json, is_over: bool
):
    chance, owner = Random(operation["operationId"]), place.platform()
    game = Game.of(owner, "pairs", options={"max_hands": 1})
    game.play_until(lambda view: view["status"] == "finished" if is_over else view["version"] > 9)
    before = owner.all_events(game.id)
    for client in callers(game, place.client):
        for _ in range(ROUNDS):
            url = odd_path(path, game, chance) + odd_query(operation, chance)
            body = odd_body(operation, chance) if method in ("post", "put") else None
            answer = client.request(method.upper(), url, body)
            assert answer.status < 500, (url, body, answer.body)
    after = owner.all_events(game.id)
    assert [event["hash"] for event in after[: len(before)]] == [e["hash"] for e in before]
    told = owner.get(f"/v1/games/{game.id}/audit").body
    assert told["divergences"] == []
