"""Writes what is kept of the contract: `python -m spades.api.export [DIRECTORY]`.

The document's examples are real answers: a little game is played over the API itself, with
fixed chance, and recorded in `examples.json`, from where every process reads them. The whole
document goes to `openapi.json` in the directory, `openapi/` by default.
"""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import orjson
from flask import Flask
from werkzeug.test import TestResponse

from spades.api.app import Chance, create_app
from spades.api.document import EXAMPLES, document_bytes
from spades.config import Settings
from spades.store import MemoryStore, PlatformKey, hash_of_key

PLATFORM_KEY = "spk_an-example-that-opens-nothing"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
Json = dict[str, Any]
OTHER_ACTIONS: Json = {
    "a look at the cards": {"type": "look", "expected_version": 4},
    "a Double Nil": {"type": "bid_double_nil", "expected_version": 4},
    "keep the card": {"type": "keep", "expected_version": 9},
    "refuse the card": {"type": "refuse", "expected_version": 9},
    "an exchange": {"type": "exchange", "cards": ["2C", "7D", "9D"], "expected_version": 40},
}


def example_app() -> Flask:
    """Returns an application whose chance is fixed, so that it always answers the same."""
    store = MemoryStore(now=lambda: NOON)
    store.add_key(PlatformKey("summer-cup", "Summer Cup", hash_of_key(PLATFORM_KEY), NOON))
    moments, seeds, ids = count(), count(1), count(1)
    chance = Chance(
        now=lambda: NOON + timedelta(seconds=next(moments)),
        new_seed=lambda: sha256(b"example %d" % next(seeds)).digest(),
        new_id=lambda: f"01940000-0000-7000-8000-{next(ids):012x}",
    )
    settings = Settings(
        secret_keys=(b"an example key",),
        signing_keys=(sha256(b"an example signing key").digest(),),
        open_create=True,
        log_level="error",
    )
    return create_app(settings, store, chance)


class Recorder:
    """Sends requests and keeps what was sent and answered, by operation."""

    def __init__(self, app: Flask) -> None:
        self._client = app.test_client(use_cookies=False)
        self._app = app
        self.examples: dict[str, Json] = {}
        self.problems: dict[str, Json] = {}

    def send(
        self,
        name: str,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Sends a request, keeps what is answered, and returns the answer's body."""
        response = self._sent(method, path, body, token, headers or {})
        answer = orjson.loads(response.data)
        if response.status_code >= 400:
            self.problems[answer["code"]] = answer
        else:
            self._keep(name, path, method, response.status_code, body, answer)
        return answer

    def ask(self, method: str, path: str, body: Any, token: str) -> Any:
        """Sends a request and returns the answer's body, keeping nothing."""
        return orjson.loads(self._sent(method, path, body, token, {}).data)

    def _sent(
        self, method: str, path: str, body: Any, token: str | None, headers: Mapping[str, str]
    ) -> TestResponse:
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        sent = {"X-Request-Id": "8YkQ2mZ0", **bearer, **headers}
        return self._client.open(path, method=method, json=body, headers=sent)

    def _keep(self, name: str, path: str, method: str, status: int, body: Any, answer: Any) -> None:
        rule, _ = self._app.url_map.bind("").match(path.partition("?")[0], method)
        kept = self.examples.setdefault(rule.rpartition(".")[2], {"request": {}, "responses": {}})
        if body is not None:
            kept["request"][name] = {"value": body}
        kept["responses"].setdefault(str(status), {})[name] = {"value": answer}


def record() -> Json:
    """Plays the little game and returns its examples and problems."""
    recorder = Recorder(example_app())
    _alone(recorder)
    _together(recorder)
    _checked(recorder)
    _look_around(recorder)
    bodies = recorder.examples["act"]["request"]
    bodies |= {name: {"value": body} for name, body in OTHER_ACTIONS.items()}
    return {"operations": recorder.examples, "problems": recorder.problems}


def _alone(recorder: Recorder) -> None:
    """One person plays pairs against the computer."""
    created = recorder.send("one person and bots", "POST", "/v1/games", {"ruleset": "pairs"})
    path, token, view = created["game"]["links"]["self"], created["tokens"]["N"], created["game"]
    late = {"type": "bid", "tricks": 3, "expected_version": 1}
    recorder.send("late", "POST", f"{path}/actions", late, token)
    recorder.send("odd", "POST", f"{path}/actions", {**late, "tricks": "3"}, token)
    too_high = {"type": "bid", "tricks": 14, "expected_version": view["version"]}
    recorder.send("too high", "POST", f"{path}/actions", too_high, token)
    bid = view["legal_actions"][3]
    view = recorder.send("a bid", "POST", f"{path}/actions", bid, token)["view"]
    revoke = next(card["card"] for card in view["hand"] if not card["playable"])
    wrong = {"type": "play", "card": revoke, "expected_version": view["version"]}
    recorder.send("wrong", "POST", f"{path}/actions", wrong, token)
    recorder.send("a card", "POST", f"{path}/actions", view["legal_actions"][0], token)
    recorder.send("from a seat", "GET", path, token=token)
    recorder.send("the beginning", "GET", f"{path}/events?after=0&limit=3", token=token)
    recorder.send("the hand on the table", "GET", f"{path}/hands/1", token=token)
    recorder.send("a seat", "GET", "/v1/me", token=token)


def _together(recorder: Recorder) -> None:
    """A platform opens a table for two people and two bots."""
    body = {
        "ruleset": "partnership",
        "options": {"target": 250, "double_nil_deficit": 100},
        "seats": {
            "N": {"kind": "human", "name": "Ada", "player_ref": "plr-ada"},
            "E": {"kind": "bot", "level": "novice"},
            "S": {"kind": "open"},
            "W": {"kind": "bot", "level": "novice"},
        },
        "dealer": None,
        "spectators": "public",
        "metadata": {"room": "summer-cup/t7"},
    }
    once = {"Idempotency-Key": "5e0b3d1c"}
    name = "a table with an open seat"
    created = recorder.send(name, "POST", "/v1/games", body, PLATFORM_KEY, once)
    path, code = created["game"]["links"]["self"], created["join_codes"]["S"]
    recorder.send("early", "GET", f"{path}/hands/1")
    recorder.send("by a spectator", "GET", path)
    claim = {"join_code": code, "name": "Lin", "client_seed": "lin-03"}
    recorder.send("wrong", "POST", f"{path}/seats/S/claim", {"join_code": "0000000000"})
    recorder.send("with a seed", "POST", f"{path}/seats/S/claim", claim)
    recorder.send("all", "GET", "/v1/games", token=PLATFORM_KEY)
    recorder.send("a platform", "GET", "/v1/me", token=PLATFORM_KEY)
    recorder.send("foreign", "POST", f"{path}/actions", {"type": "look"}, PLATFORM_KEY)


def _checked(recorder: Recorder) -> None:
    """A platform has a game of one hand played to its end and gives out what can be checked."""
    body = {
        "ruleset": "pairs",
        "options": {"max_hands": 1},
        "seats": {"N": {"player_ref": "plr-ada"}},
        "spectators": "none",
    }
    created = recorder.ask("POST", "/v1/games", body, PLATFORM_KEY)
    path, token = created["game"]["links"]["self"], created["tokens"]["N"]
    recorder.send("early", "GET", f"{path}/result", token=token)
    reissued = recorder.send("a lost token", "POST", f"{path}/seats/N/token", token=PLATFORM_KEY)
    recorder.send("a bot's", "POST", f"{path}/seats/E/token", token=PLATFORM_KEY)
    recorder.send("the old one", "GET", path, token=token)
    view = recorder.ask("GET", path, None, reissued["token"])
    while view["legal_actions"]:
        action = view["legal_actions"][0]
        view = recorder.ask("POST", f"{path}/actions", action, reissued["token"])["view"]
    _checks(recorder, path)


def _checks(recorder: Recorder, path: str) -> None:
    wanted = {"kind": "auditor", "expires_at": "2027-01-01T00:00:00Z"}
    issued = recorder.send("an auditor", "POST", f"{path}/tokens", wanted, PLATFORM_KEY)
    token = issued["token"]
    recorder.send("the first bid", "GET", f"{path}/states/3", token=token)
    recorder.send("too late", "GET", f"{path}/states/900", token=token)
    recorder.send("of a finished game", "GET", f"{path}/audit", token=token)
    recorder.send("a result", "GET", f"{path}/result", token=token)
    recorder.send("none yet", "GET", "/v1/checkpoints/latest")
    size = recorder.send("on demand", "POST", "/v1/checkpoints", token=PLATFORM_KEY)["tree_size"]
    for name in ("latest", str(size)):
        recorder.send("a tree head", "GET", f"/v1/checkpoints/{name}")
    recorder.send("all", "GET", "/v1/checkpoints")
    sizes = f"first_size={size}&second_size={size}"
    recorder.send("with itself", "GET", f"/v1/checkpoints/consistency?{sizes}")
    recorder.send("of the game", "GET", f"{path}/inclusion", token=token)
    recorder.send("the keys", "GET", "/.well-known/jwks.json")
    seated = {"player_ref": "plr-lin"}
    recorder.send("a correction", "PUT", f"{path}/seats/N/player", seated, PLATFORM_KEY)
    recorder.send("a name", "PUT", "/v1/players/plr-lin", {"name": "Lin"}, PLATFORM_KEY)
    recorder.send("a player", "GET", "/v1/players/plr-lin", token=PLATFORM_KEY)
    recorder.send("nobody", "GET", "/v1/players/plr-nobody", token=PLATFORM_KEY)
    recorder.send("readings", "GET", f"{path}/access-log?limit=2", token=PLATFORM_KEY)


def _look_around(recorder: Recorder) -> None:
    recorder.send("nobody", "GET", "/v1/me")
    for path in ("/v1/rulesets", "/v1/rulesets/two-player", "/v1/bots"):
        recorder.send("all", "GET", path)
    recorder.send("a code", "GET", "/v1/errors/must_follow_suit")
    recorder.send("yes", "GET", "/healthz")
    recorder.send("yes", "GET", "/readyz")
    recorder.send("unknown", "GET", "/v1/games?colour=red", token=PLATFORM_KEY)
    recorder.send("too many", "GET", "/v1/games?limit=100000", token=PLATFORM_KEY)


def main(directory: str = "openapi") -> None:
    """Writes the examples and the document."""
    EXAMPLES.write_bytes(written(record()))
    Path(directory).mkdir(exist_ok=True)
    Path(directory, "openapi.json").write_bytes(document_bytes(example_app()))


def written(value: object) -> bytes:
    """Returns JSON as the kept files hold it."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


if __name__ == "__main__":
    main(*sys.argv[1:])
