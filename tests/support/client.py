"""A client for tests that holds every answer against the contract.

`ApiClient.of_app(app)` calls an application in this process, `ApiClient.at(url)` one behind
real HTTP. An answer that the contract does not describe raises AssertionError.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import requests
from flask import Flask
from requests.structures import CaseInsensitiveDict

from tests.support.contract import JSON, Contract

CONTRACT = Path(__file__).parents[2] / "openapi" / "openapi.json"
Body = dict[str, Any]
Send = Callable[[str, str, dict[str, str], bytes | None], "Answer"]


@dataclass(frozen=True)
class Answer:
    """An answer that the contract knows; `body` is its JSON, None if it has none."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("Content-Type", "").partition(";")[0]

    @property
    def body(self) -> Any:
        return json.loads(self.content) if self.media_type in JSON else None

    @property
    def code(self) -> str | None:
        """The code of a problem."""
        return self.body["code"] if self.media_type == "application/problem+json" else None

    @property
    def etag(self) -> str:
        return self.headers["ETag"]

    @property
    def replayed(self) -> bool:
        return self.headers.get("Idempotent-Replayed") == "true"


@lru_cache
def exported() -> Contract:
    """Returns the contract in openapi/."""
    return Contract(json.loads(CONTRACT.read_bytes()))


@dataclass(frozen=True)
class ApiClient:
    """Sends requests, with a token if it has one, and returns answers that are as promised."""

    send: Send
    token: str | None = None

    @classmethod
    def of_app(cls, app: Flask) -> Self:
        """Returns a client of an application in this process."""
        client = app.test_client(use_cookies=False)

        def send(method: str, path: str, headers: dict[str, str], data: bytes | None) -> Answer:
            response = client.open(path, method=method, headers=headers, data=data)
            names = response.headers.keys()
            known = CaseInsensitiveDict((n, ", ".join(response.headers.getlist(n))) for n in names)
            answer = Answer(response.status_code, known, response.get_data())
            response.close()
            return answer

        return cls(send)

    @classmethod
    def at(cls, url: str) -> Self:
        """Returns a client over HTTP, with connections of its own."""
        session = requests.Session()
        session.trust_env = False

        def send(method: str, path: str, headers: dict[str, str], data: bytes | None) -> Answer:
            response = session.request(
                method, url.rstrip("/") + path, headers=headers, data=data, timeout=30
            )
            return Answer(response.status_code, response.headers, response.content)

        return cls(send)

    def bearing(self, token: str | None) -> Self:
        """Returns the same client with another token."""
        return replace(self, token=token)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Sends any request; `body` is sent as JSON, `data` as it is."""
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if body is not None:
            data = json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        answer = self.send(method, path, sent, data)
        exported().check(method, path, answer.status, answer.headers, answer.content)
        if answer.media_type == "application/problem+json" and answer.content:
            assert answer.body["status"] == answer.status
        return answer

    def get(self, path: str, **more: Any) -> Answer:
        return self.request("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        return self.request("POST", path, body, **more)

    def create(self, body: Body, key: str | None = None) -> Answer:
        """Creates a game, under an Idempotency-Key if one is given."""
        return self.post("/v1/games", body, headers={"Idempotency-Key": key} if key else None)

    def view(self, game_id: str, etag: str | None = None) -> Answer:
        """Looks at a game; with an ETag only if something has happened."""
        headers = {"If-None-Match": etag} if etag else None
        return self.get(f"/v1/games/{game_id}", headers=headers)

    def act(self, game_id: str, action: Any) -> Answer:
        """Acts for the seat whose token this client bears."""
        return self.post(f"/v1/games/{game_id}/actions", action)

    def events(self, game_id: str, after: int = 0, limit: int = 1000) -> Answer:
        """Reads a page of a game's log."""
        return self.get(f"/v1/games/{game_id}/events?after={after}&limit={limit}")

    def all_events(self, game_id: str) -> list[Body]:
        """Reads a game's whole log, page by page."""
        items: list[Body] = []
        path: str | None = f"/v1/games/{game_id}/events"
        while path:
            page = self.get(path).body
            items += page["items"]
            path = page["next"]
        return items

    def hand(self, game_id: str, number: int) -> Answer:
        """Reads the record of a hand."""
        return self.get(f"/v1/games/{game_id}/hands/{number}")

    def claim(self, game_id: str, seat: str, join_code: str, **more: Any) -> Answer:
        """Takes an open seat."""
        path = f"/v1/games/{game_id}/seats/{seat}/claim"
        return self.post(path, {"join_code": join_code, **more})
