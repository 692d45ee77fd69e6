"""What is not well formed changes nothing, has its own code, and is never a 500."""

import json
from io import BytesIO
from typing import Any

import pytest

from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient

HUGE = 10**40


@pytest.fixture
def game(client: ApiClient) -> Game:
    return Game.of(client, "pairs")


def faults(answer: Answer) -> list[tuple[str, str]]:
    assert (answer.status, answer.code) == (422, "validation_failed"), answer.body
    return [(fault["pointer"], fault["code"]) for fault in answer.body["errors"]]


def text_of(number: str) -> bytes:
    """A bid with a number written literally into the JSON text."""
    return b'{"type":"bid","expected_version":2,"tricks":%s}' % number.encode()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("null", "invalid_type"),
        ("2.5", "invalid_type"),
        ("3.0", "invalid_type"),
        ("1e0", "invalid_type"),
        ('"3"', "invalid_type"),
        ("true", "invalid_type"),
        ("[3]", "invalid_type"),
        ("{}", "invalid_type"),
        (str(2**53), "out_of_range"),
        (str(-(2**53)), "out_of_range"),
        (str(HUGE), "out_of_range"),
        ("9" * 300, "out_of_range"),
    ],
)
def test_what_is_no_whole_number_never_becomes_a_bid(game: Game, number: str, code: str):
    path = f"/v1/games/{game.id}/actions"
    answer = game.seat(game.turn).post(path, data=text_of(number))
    assert faults(answer) == [("/tricks", code)]
    assert game.version == 2


@pytest.mark.parametrize("version", [None, "2", 2.0, True, [], 0, -1, 2**53, HUGE])
def test_what_is_no_version_is_refused(game: Game, version: object):
    answer = game.act(game.turn, {"type": "bid", "tricks": 3, "expected_version": version})
    assert [pointer for pointer, _ in faults(answer)] == ["/expected_version"]
    assert game.version == 2


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"type": "bid"}, [("/tricks", "required")]),
        ({"type": "bid", "tricks": 3, "seat": "N"}, [("/seat", "unknown_field")]),
        ({"type": "fold"}, [("/type", "invalid_choice")]),
        ({"type": None}, [("/type", "invalid_choice")]),
        ({"type": ["bid"]}, [("/type", "invalid_choice")]),
        ({}, [("/type", "required")]),
        ({"type": "play"}, [("/card", "required")]),
        ({"type": "play", "card": "10H"}, [("/card", "invalid_choice")]),
        ({"type": "play", "card": "as"}, [("/card", "invalid_choice")]),
        ({"type": "play", "card": 7}, [("/card", "invalid_type")]),
        ({"type": "play", "card": None}, [("/card", "invalid_type")]),
        ({"type": "exchange", "cards": "2C"}, [("/cards", "invalid_type")]),
        ({"type": "exchange", "cards": ["2C", "XX"]}, [("/cards/1", "invalid_choice")]),
        ({"type": "exchange", "cards": [None]}, [("/cards/0", "invalid_type")]),
        ({"type": "exchange", "cards": ["2C"] * 14}, [("/cards", "out_of_range")]),
        (
            {"type": "look", "detail": 1, "code": "x"},
            [("/code", "unknown_field"), ("/detail", "unknown_field")],
        ),
        ({"type": "look", "a/b~c": 1}, [("/a~1b~0c", "unknown_field")]),
    ],
)
def test_an_action_of_the_wrong_shape_is_told_every_fault(
    game: Game, body: dict[str, Any], expected: list[tuple[str, str]]
):
    answer = game.act(game.turn, {**body, "expected_version": 2})
    assert faults(answer) == expected
    assert game.version == 2


@pytest.mark.parametrize("body", [[], "bid", 3, None, True])
def test_a_body_must_be_an_object(game: Game, body: object):
    data = json.dumps(body).encode()
    answer = game.seat("N").post(f"/v1/games/{game.id}/actions", data=data)
    assert faults(answer) == [("", "invalid_type")]


@pytest.mark.parametrize("body", [{"type": "look"}, {"type": "bid", "tricks": 3}])
def test_an_action_needs_the_version_that_it_expects(game: Game, body: dict[str, Any]):
    answer = game.act("N", body)
    assert (answer.status, answer.code) == (428, "precondition_required")


@pytest.mark.parametrize("body", [{}, {"type": "fly"}, {"type": "play", "card": "ZZ"}])
def test_what_else_is_wrong_with_an_action_comes_before_its_version(
    game: Game, body: dict[str, Any]
):
    answer = game.act("N", body)
    assert (answer.status, answer.code) == (422, "validation_failed")
    assert "/expected_version" not in [fault["pointer"] for fault in answer.body["errors"]]


MALFORMED = [
    b"",
    b"{",
    b"\xff",
    b"\xef\xbb\xbf{}",
    b'{"type":"look","type":"look","expected_version":2}',
    b'{"a":{"b":1,"b":2}}',
    b'{"expected_version":NaN}',
    b'{"expected_version":Infinity}',
    b'{"expected_version":-Infinity}',
    b'{"expected_version":1e999}',
    b'{"expected_version":01}',
    b'{"name":"\\ud800"}',
    b'{"name":"\\udc00\\ud800"}',
    b'{"a":' * 20000 + b"1" + b"}" * 10000,
    b"[" * 60000,
    b"[" * 30000 + b"]" * 30000,
    b"{} {}",
    b"{'type':'look'}",
]


@pytest.mark.parametrize("data", MALFORMED, ids=[str(place) for place in range(len(MALFORMED))])
@pytest.mark.parametrize("path", ["actions", "create", "claim"])
def test_what_is_no_json_is_malformed(game: Game, data: bytes, path: str):
    paths = {
        "actions": f"/v1/games/{game.id}/actions",
        "create": "/v1/games",
        "claim": f"/v1/games/{game.id}/seats/S/claim",
    }
    client = game.seat("N") if path == "actions" else game.client
    answer = client.post(paths[path], data=data)
    assert answer.status in (400, 413), answer.body
    assert answer.code in ("malformed_json", "body_too_large")
    assert game.version == 2


@pytest.mark.parametrize("depth", [10, 200, 900, 1000, 1023, 1024, 1100, 5000])
def test_deep_nesting_is_refused_in_one_way_or_another(game: Game, depth: int):
    data = b'{"metadata":' * depth + b"1" + b"}" * depth
    answer = game.client.post("/v1/games", data=data)
    assert answer.code in ("malformed_json", "validation_failed", "body_too_large")


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=latin-1"],
)
def test_a_body_must_be_declared_as_json(game: Game, media_type: str):
    headers = {"Content-Type": media_type}
    answer = game.client.post("/v1/games", data=b'{"ruleset":"pairs"}', headers=headers)
    assert (answer.status, answer.code) == (415, "unsupported_media_type")


def test_a_packed_body_is_not_unpacked(game: Game):
    answer = game.client.post("/v1/games", {}, headers={"Content-Encoding": "gzip"})
    assert answer.code == "unsupported_media_type"


def test_a_charset_may_be_named(client: ApiClient):
    headers = {"Content-Type": 'application/json; charset="UTF-8"'}
    answer = client.post("/v1/games", data=b'{"ruleset":"pairs"}', headers=headers)
    assert answer.status == 201


def test_a_large_body_is_refused_before_it_is_read(client: ApiClient):
    answer = client.post("/v1/games", data=b" " * 65537)
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert client.post("/v1/games", data=b'{"ruleset":"pairs"}'.ljust(65536)).status == 201


@pytest.mark.parametrize(("size", "status"), [(65536, 201), (65537, 413), (200_000, 413)])
def test_a_large_body_in_chunks_is_refused_too(place: Place, size: int, status: int):
    body = BytesIO(b'{"ruleset":"pairs"}'.ljust(size))
    answer = place.app.test_client().post(
        "/v1/games",
        input_stream=body,
        content_type="application/json",
        environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
    )
    assert answer.status_code == status


GAME_FAULTS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({}, [("/ruleset", "required")]),
    ({"ruleset": None}, [("/ruleset", "invalid_type")]),
    ({"ruleset": "whist"}, [("/ruleset", "invalid_choice")]),
    ({"ruleset": 3}, [("/ruleset", "invalid_type")]),
    ({"ruleset": "pairs", "options": None}, [("/options", "invalid_type")]),
    ({"ruleset": "pairs", "options": []}, [("/options", "invalid_type")]),
    ({"ruleset": "pairs", "options": {"target": 0}}, [("/options/target", "out_of_range")]),
    ({"ruleset": "pairs", "options": {"target": None}}, [("/options/target", "invalid_type")]),
    ({"ruleset": "pairs", "options": {"target": 500.0}}, [("/options/target", "invalid_type")]),
    ({"ruleset": "pairs", "options": {"target": True}}, [("/options/target", "invalid_type")]),
    ({"ruleset": "pairs", "options": {"target": HUGE}}, [("/options/target", "out_of_range")]),
    ({"ruleset": "pairs", "options": {"joker": 1}}, [("/options/joker", "unknown_field")]),
    ({"ruleset": "pairs", "options": {"undo": "always"}}, [("/options/undo", "invalid_choice")]),
    (
        {"ruleset": "pairs", "options": {"ten_for_200": 1}},
        [("/options/ten_for_200", "invalid_type")],
    ),
    ({"ruleset": "pairs", "seats": None}, [("/seats", "invalid_type")]),
    ({"ruleset": "pairs", "seats": {"N": None}}, [("/seats/N", "invalid_type")]),
    ({"ruleset": "pairs", "seats": {"Q": {}}}, [("/seats/Q", "unknown_field")]),
    (
        {"ruleset": "pairs", "seats": {"N": {"kind": "ghost"}}},
        [("/seats/N/kind", "invalid_choice")],
    ),
    (
        {"ruleset": "pairs", "seats": {"E": {"level": "genius"}}},
        [("/seats/E/level", "invalid_choice")],
    ),
    ({"ruleset": "pairs", "seats": {"N": {"level": "novice"}}}, [("/seats/N/level", "invalid")]),
    ({"ruleset": "two-player", "seats": {"E": {"kind": "bot"}}}, [("/seats/E", "invalid_choice")]),
    ({"ruleset": "pairs", "seats": {"N": {"name": ""}}}, [("/seats/N/name", "out_of_range")]),
    ({"ruleset": "pairs", "seats": {"N": {"name": "a" * 65}}}, [("/seats/N/name", "out_of_range")]),
    ({"ruleset": "pairs", "seats": {"N": {"name": "a\nb"}}}, [("/seats/N/name", "invalid")]),
    ({"ruleset": "pairs", "seats": {"N": {"name": "a\0"}}}, [("/seats/N/name", "invalid")]),
    (
        {"ruleset": "pairs", "seats": {"N": {"player_ref": "a" * 129}}},
        [("/seats/N/player_ref", "out_of_range")],
    ),
    ({"ruleset": "pairs", "dealer": "Q"}, [("/dealer", "invalid_choice")]),
    ({"ruleset": "two-player", "dealer": "E"}, [("/dealer", "invalid_choice")]),
    ({"ruleset": "pairs", "spectators": "some"}, [("/spectators", "invalid_choice")]),
    ({"ruleset": "pairs", "spectators": None}, [("/spectators", "invalid_type")]),
    ({"ruleset": "pairs", "metadata": None}, [("/metadata", "invalid_type")]),
    ({"ruleset": "pairs", "metadata": []}, [("/metadata", "invalid_type")]),
    ({"ruleset": "pairs", "metadata": {"a": "\0"}}, [("/metadata", "invalid")]),
    ({"ruleset": "pairs", "metadata": {"\0": 1}}, [("/metadata", "invalid")]),
    ({"ruleset": "pairs", "metadata": {"a": 2**53}}, [("/metadata", "out_of_range")]),
    ({"ruleset": "pairs", "metadata": {"a": [HUGE]}}, [("/metadata", "out_of_range")]),
    ({"ruleset": "pairs", "metadata": {"a": "x" * 4096}}, [("/metadata", "out_of_range")]),
    ({"ruleset": "pairs", "metadata": {"a": [[[[[[[[[1]]]]]]]]]}}, [("/metadata", "invalid")]),
    ({"ruleset": "pairs", "table": 1}, [("/table", "unknown_field")]),
    (
        {"options": {"nil": -1}, "x": 1},
        [("/options/nil", "out_of_range"), ("/ruleset", "required"), ("/x", "unknown_field")],
    ),
]


@pytest.mark.parametrize(("body", "expected"), GAME_FAULTS)
def test_a_creation_of_the_wrong_shape_is_told_every_fault(
    client: ApiClient, body: dict[str, Any], expected: list[tuple[str, str]]
):
    assert faults(client.create(body)) == expected


def test_a_creation_without_a_human_seat_is_refused(client: ApiClient):
    seats = {seat: {"kind": "bot"} for seat in "NESW"}
    answer = client.create({"ruleset": "pairs", "seats": seats})
    assert (answer.status, answer.code) == (422, "no_human_seat")


def test_not_every_fault_of_a_hopeless_body_is_told(client: ApiClient):
    answer = client.create({"ruleset": "pairs", **{f"field-{n}": n for n in range(3000)}})
    assert len(answer.body["errors"]) == 20


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("after=-1", "invalid_parameter"),
        ("after=x", "invalid_parameter"),
        ("after=1.5", "invalid_parameter"),
        ("after=", "invalid_parameter"),
        ("after=%20" + "1", "invalid_parameter"),
        ("after=1_0", "invalid_parameter"),
        ("after=%D9%A3", "invalid_parameter"),
        ("after=99999999999999999999", "invalid_parameter"),
        ("limit=0", "invalid_parameter"),
        ("limit=1001", "invalid_parameter"),
        ("limit=5&limit=6", "invalid_parameter"),
        ("colour=red", "unknown_parameter"),
        ("AFTER=1", "unknown_parameter"),
    ],
)
def test_a_bad_query_is_refused(game: Game, query: str, code: str):
    answer = game.client.get(f"/v1/games/{game.id}/events?{query}")
    assert (answer.status, answer.code) == (400, code)
    assert answer.body["parameter"] in ("after", "limit", "colour", "AFTER")


@pytest.mark.parametrize("path", ["", "/actions", "/hands/1", "/seats/N/claim"])
def test_no_operation_ignores_a_parameter(game: Game, path: str):
    method = "POST" if path in ("/actions", "/seats/N/claim") else "GET"
    answer = game.seat("N").request(method, f"/v1/games/{game.id}{path}?x=1")
    assert answer.code == "unknown_parameter"


@pytest.mark.parametrize(
    "game_id",
    ["x", "01940000-0000-7000-8000-000000000001", "%00", "..", "A" * 3000, "%F0%9F%82%A1"],
)
def test_what_is_no_game_is_not_found(game: Game, game_id: str):
    for path in ("", "/events", "/hands/1"):
        answer = game.client.get(f"/v1/games/{game_id}{path}")
        assert (answer.status, answer.code) == (404, "game_not_found")
    claim = game.client.claim(game_id, "N", "0000000000")
    assert claim.code == "game_not_found"


def test_the_id_of_a_game_has_one_spelling(game: Game):
    assert game.client.view(game.id.upper()).code == "game_not_found"
    assert game.client.view(game.id.replace("-", "")).code == "game_not_found"


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.0", "1001", "9" * 40, "%20"])
def test_what_is_no_number_of_a_hand_is_refused(game: Game, number: str):
    answer = game.client.get(f"/v1/games/{game.id}/hands/{number}")
    assert (answer.status, answer.code) == (400, "invalid_parameter")


def test_a_hand_that_was_not_dealt_is_not_found(game: Game):
    assert game.client.hand(game.id, 2).code == "hand_not_found"
