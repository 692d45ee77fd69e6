"""The manners of every answer: problems, headers, browsers, the log, failures."""

import logging
import re
from typing import Any

import pytest

from spades.api.errors import ANSWERS
from spades.errors import DamagedLog, DatabaseUnavailable, RequestInProgress
from spades.store import Created, MemoryStore, NewGame, PlatformKey, Stored
from tests.api.conftest import SECRET_KEY
from tests.api.games import Game
from tests.support.client import ApiClient


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v1/",
        "/v1/games/",
        "//v1/games",
        "/v2/games",
        "/v1/games/x/y",
        "/docs/",
        "/%ff",
    ],
)
def test_an_unknown_address_is_a_problem(client: ApiClient, path: str):
    answer = client.get(path)
    assert (answer.status, answer.code) == (404, "route_not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v1/games", "GET, HEAD, OPTIONS, POST"),
        ("PUT", "/v1/rulesets", "GET, HEAD, OPTIONS"),
        ("GET", "/v1/games/x/actions", "OPTIONS, POST"),
        ("POST", "/healthz", "GET, HEAD, OPTIONS"),
    ],
)
def test_an_unknown_method_is_a_problem(client: ApiClient, method: str, path: str, allowed: str):
    answer = client.request(method, path)
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == allowed


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("*/*", 200),
        ("application/*", 200),
        ("text/html, */*;q=0.1", 200),
        ("application/problem+json, application/json;q=0.5", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("nonsense", 406),
    ],
)
def test_an_answer_must_be_acceptable(client: ApiClient, accept: str, status: int):
    answer = client.get("/v1/rulesets", headers={"Accept": accept})
    assert answer.status == status
    assert answer.code == (None if status == 200 else "not_acceptable")


def test_what_can_not_be_answered_is_not_done(client: ApiClient):
    game = Game.of(client, "pairs")
    seat, action = game.next_action()
    path = f"/v1/games/{game.id}/actions"
    answer = game.seat(seat).post(path, action, headers={"Accept": "text/html"})
    assert answer.code == "not_acceptable"
    assert game.version == 2


def test_a_problem_has_all_its_members(client: ApiClient):
    answer = client.get("/v1/games/x?", headers={"X-Request-Id": "my-own.id_1"})
    assert answer.body == {
        "type": "/v1/errors/game_not_found",
        "title": "There is no such game",
        "status": 404,
        "code": "game_not_found",
        "detail": "There is no such game.",
        "instance": "/v1/games/x",
        "request_id": "my-own.id_1",
        "retryable": False,
    }
    assert answer.media_type == "application/problem+json"
    assert answer.headers["X-Request-Id"] == "my-own.id_1"


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "a\u00fc", 'a"b', "a=b"])
def test_an_odd_request_id_is_replaced(client: ApiClient, given: str):
    made = client.get("/healthz", headers={"X-Request-Id": given}).headers["X-Request-Id"]
    assert made != given
    assert re.fullmatch(r"[0-9a-f]{16}", made)


@pytest.mark.parametrize("row", ANSWERS, ids=[row.code for row in ANSWERS])
def test_the_type_of_a_problem_can_be_looked_up(client: ApiClient, row: Any):
    body = client.get(f"/v1/errors/{row.code}").body
    assert (body["code"], body["status"], body["title"]) == (row.code, row.status, row.error.title)


def test_an_unknown_code_is_not_found(client: ApiClient):
    assert client.get("/v1/errors/nonsense").code == "route_not_found"


class BrokenStore(MemoryStore):
    """A store whose reads fail in a given way."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def read(self, game_id: str, after: int = 0) -> Stored | None:
        raise self.error

    def ping(self) -> None:
        raise self.error


HIDDEN = "the holding QS KD of postgresql://user:password@host"


@pytest.mark.parametrize("error", [RuntimeError(HIDDEN), KeyError(HIDDEN)])
def test_a_failure_tells_nothing_of_the_inside(serve, caplog, error: Exception):
    place = serve(BrokenStore(error))
    with caplog.at_level(logging.INFO):
        answer = place.client.view("01940000-0000-7000-8000-000000000001")
    assert (answer.status, answer.code) == (500, "internal_error")
    assert answer.body["retryable"] is True
    assert answer.body["detail"] == "The service made a mistake."
    assert HIDDEN.encode() not in answer.content
    assert HIDDEN not in caplog.text
    assert answer.body["request_id"] in caplog.text
    assert type(error).__name__ in caplog.text


def test_a_damaged_log_is_told_without_a_word_of_what_is_in_it(serve, caplog):
    place = serve(BrokenStore(DamagedLog(HIDDEN)))
    with caplog.at_level(logging.INFO):
        answer = place.client.view("01940000-0000-7000-8000-000000000001")
    assert (answer.status, answer.code) == (500, "damaged_log")
    assert answer.body["retryable"] is False
    assert answer.body["detail"] == "A stored log can't be read."
    assert HIDDEN.encode() not in answer.content
    assert HIDDEN not in caplog.text
    assert answer.body["request_id"] in caplog.text


def test_a_database_that_does_not_answer_is_worth_another_try(serve):
    place = serve(BrokenStore(DatabaseUnavailable()))
    for path in ("/v1/games/01940000-0000-7000-8000-000000000001", "/readyz"):
        answer = place.client.get(path)
        assert (answer.status, answer.code) == (503, "database_unavailable")
        assert answer.headers["Retry-After"] == "1"
        assert answer.body["retryable"] is True
    assert place.client.get("/healthz").status == 200


class BusyStore(MemoryStore):
    """A store in which the first request under every key is still being worked on."""

    def create(self, game: NewGame) -> Created:
        raise RequestInProgress()


def test_a_creation_that_is_being_worked_on_is_worth_another_try(serve):
    answer = serve(BusyStore()).platform().create({"ruleset": "pairs"}, key="k")
    assert (answer.status, answer.code) == (409, "request_in_progress")
    assert answer.headers["Retry-After"] == "1"


class CountingStore(MemoryStore):
    """A store that counts its round trips."""

    trips = 0

    def read(self, game_id: str, after: int = 0) -> Stored | None:
        self.trips += 1
        return super().read(game_id, after)

    def append(self, *args: Any, **more: Any) -> bool:
        self.trips += 1
        return super().append(*args, **more)

    def key_by_hash(self, key_hash: str) -> PlatformKey | None:
        self.trips += 1
        return super().key_by_hash(key_hash)


def test_a_move_costs_two_round_trips_and_a_look_one(serve):
    store = CountingStore()
    game = Game.of(serve(store).client, "pairs")
    seat, action = game.next_action()
    store.trips = 0
    assert game.act(seat, action).status == 200
    assert store.trips == 2
    etag = game.seat(seat).view(game.id).etag
    assert store.trips == 3
    assert game.seat(seat).view(game.id, etag).status == 304
    assert store.trips == 4


def test_the_log_has_one_line_for_each_request_and_no_secret(serve, caplog):
    place = serve()
    game = Game.of(place.client, "pairs", seats={"N": {"name": "Ada"}, "S": {"kind": "open"}})
    code = place.client.create({"ruleset": "pairs", "seats": {"S": {"kind": "open"}}}).body
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        place.client.get(f"/v1/games/{game.id}/events?after=0&limit=77")
        place.client.get("/v1/secret-path?token=sps_secret")
        place.client.claim(code["game"]["id"], "S", code["join_codes"]["S"], name="Lin")
        game.seat("N").act(game.id, {"type": "bid", "tricks": 3, "expected_version": 1})
        game.seat("N").view(game.id)
    lines = [r.getMessage() for r in caplog.records if r.name == "spades.access"]
    assert len(lines) == 5
    assert "route=/v1/games/{game_id}/events status=200" in lines[0]
    assert lines[0].endswith(f"game={game.id}")
    assert "route=- status=404" in lines[1]
    secrets = ["sps_", "limit=77", "secret", "Ada", "Lin", code["join_codes"]["S"], "tricks"]
    assert not [word for word in secrets if word in caplog.text]


def test_no_answer_shows_the_secret_key(client: ApiClient):
    game = Game.of(client, "pairs")
    for answer in (client.view(game.id), client.get("/v1/me"), client.get("/nothing")):
        assert SECRET_KEY not in answer.content


ORIGIN = "https://play.example"


def test_a_browser_of_an_allowed_origin_may_call(serve):
    client: ApiClient = serve(cors_origins=(ORIGIN,)).client
    answer = client.create({"ruleset": "pairs"})
    assert "Access-Control-Allow-Origin" not in answer.headers
    answer = client.get("/v1/rulesets", headers={"Origin": ORIGIN})
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    exposed = answer.headers["Access-Control-Expose-Headers"]
    for header in ("ETag", "Location", "Idempotent-Replayed", "X-Request-Id"):
        assert header in exposed
    problem = client.get("/v1/games/x", headers={"Origin": ORIGIN})
    assert problem.headers["Access-Control-Allow-Origin"] == ORIGIN
    other = client.get("/v1/rulesets", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in other.headers


@pytest.mark.parametrize(
    "header", ["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"]
)
def test_a_browser_may_ask_first(serve, header: str):
    client: ApiClient = serve(cors_origins=(ORIGIN,)).client
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": header,
    }
    answer = client.request("OPTIONS", "/v1/games", headers=asked)
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert header.lower() in answer.headers["Access-Control-Allow-Headers"].lower()
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]


def test_any_origin_may_be_allowed(serve):
    client: ApiClient = serve(cors_origins=("*",)).client
    answer = client.get("/v1/rulesets", headers={"Origin": "https://any.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_a_view_for_a_browser_still_varies_by_token(serve):
    client: ApiClient = serve(cors_origins=(ORIGIN, "https://two.example")).client
    game = Game.of(client, "pairs")
    answer = client.get(f"/v1/games/{game.id}", headers={"Origin": ORIGIN})
    assert {"Authorization", "Origin"} <= set(re.split(r",\s*", answer.headers["Vary"]))


def test_no_origin_is_allowed_unless_it_is_set(client: ApiClient):
    answer = client.get("/v1/rulesets", headers={"Origin": ORIGIN})
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_the_page_of_documentation_needs_no_outside_host(client: ApiClient):
    page = client.get("/docs")
    assert page.media_type == "text/html"
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    html = page.content.decode()
    assert "//" not in html.replace("<!DOCTYPE", "")
    for source in re.findall(r'(?:src|href)="([^"]+)"', html):
        assert client.get(source).status == 200
    assert b"http" not in client.get("/docs/start.js").content


@pytest.mark.parametrize("asset", ["x", "swagger-ui.js", "..%2f__init__.py", "LICENSE"])
def test_only_the_files_of_the_page_are_served(client: ApiClient, asset: str):
    assert client.get(f"/docs/{asset}").code == "route_not_found"


def test_every_answer_forbids_guessing_its_type(client: ApiClient):
    for path in ("/healthz", "/docs", "/nothing", "/v1/games"):
        assert client.get(path).headers["X-Content-Type-Options"] == "nosniff"
