"""Tokens to look at a game, and the log of what auditors have read."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest

from spades.game.audience import SPECTATOR
from spades.game.rulesets import RULESETS
from spades.store import MemoryStore
from tests.api.conftest import SECRET_KEY, Clock, Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient
from tests.support.secrecy import visible_to

Json = dict[str, Any]
KINDS = ("spectator", "auditor")
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
UNCARDED = {"max_hands": 1, "lose_at": None}
READINGS = {
    "": "readGame",
    "/events": "listEvents",
    "/hands/1": "readHand",
    "/states/2": "readState",
    "/audit": "audit",
    "/export": "exportGame",
    "/export?format=ptn": "exportGame",
    "/result": "readResult",
    "/result?format=jws": "readResult",
    "/inclusion": "readInclusion",
}
ALWAYS = [path for path in READINGS if path[:4] not in ("/res", "/inc")]


def issue(platform: ApiClient, game_id: str, kind: str = "auditor", **more: Any) -> Answer:
    return platform.post(f"/v1/games/{game_id}/tokens", {"kind": kind, **more})


def bearer(platform: ApiClient, game_id: str, kind: str = "auditor", **more: Any) -> ApiClient:
    """A client with a new viewer's token."""
    issued = issue(platform, game_id, kind, **more)
    assert issued.status == 201, issued.body
    return platform.bearing(issued.body["token"])


def told(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def text_of(answer: Answer) -> str:
    """All of an answer but its request id, which is random text."""
    text = answer.content.decode() + str(dict(answer.headers))
    return text.replace(answer.headers["X-Request-Id"], "")


def access_log(platform: ApiClient, game_id: str) -> list[Json]:
    answer = platform.get(f"/v1/games/{game_id}/access-log")
    assert answer.status == 200, answer.body
    items: list[Json] = answer.body["items"]
    return items


def test_a_token_is_told_once_with_what_it_is(timed: Place):
    owner = timed.platform()
    game = Game.of(owner, "pairs")
    first = issue(owner, game.id, "auditor", expires_at="2026-11-30T13:00:00.1239+00:30")
    assert first.status == 201
    assert first.headers["Cache-Control"] == "no-store"
    assert first.body["token"].startswith("spv_")
    assert {key: first.body[key] for key in ("kind", "generation", "expires_at")} == {
        "kind": "auditor",
        "generation": 1,
        "expires_at": "2026-11-30T12:30:00.123Z",
    }
    second = issue(owner, game.id, "auditor")
    assert second.body["expires_at"] is None
    assert second.body["id"] != first.body["id"]
    assert second.body["token"] != first.body["token"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_running_game_that_admits_nobody_is_seen_as_by_a_spectator(
    place: Place, ruleset: str, kind: str
):
    owner = place.platform()
    game = Game.of(owner, ruleset, options=UNCARDED, spectators="none")
    viewer, checked = bearer(owner, game.id, kind), 0
    assert told(place.client.view(game.id)) == (403, "spectators_disabled")
    while viewer.view(game.id).body["status"] != "finished":
        seen = viewer.view(game.id).body
        assert seen["viewer"]["kind"] == kind
        assert seen["legal_actions"] == []
        state = place.tables.whole(game.id).game
        for path in ALWAYS:
            answer = viewer.get(f"/v1/games/{game.id}{path}")
            assert answer.status == 200
            assert set(CARD.findall(text_of(answer))) <= visible_to(state, SPECTATOR), path
            checked += 1
        for _ in range(4):
            if owner.view(game.id).body["status"] != "finished":
                game.act(*game.next_action("bid_double_nil"))
    assert checked > 70


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_that_is_over_is_seen_whole(place: Place, kind: str):
    owner = place.platform()
    game = Game.of(owner, "two-player", options=UNCARDED, spectators="none")
    game.play_until(lambda view: view["status"] == "finished", "bid_double_nil")
    viewer = bearer(owner, game.id, kind)
    assert viewer.all_events(game.id) == owner.all_events(game.id)
    audited = viewer.get(f"/v1/games/{game.id}/audit").body
    assert all(leaf["value"] is not None for leaf in audited["leaves"])
    assert viewer.hand(game.id, 1).body["stock"] is not None
    assert viewer.get(f"/v1/games/{game.id}/result").status == 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_expires_at_the_very_moment(timed: Place, clock: Clock, kind: str):
    owner = timed.platform()
    game = Game.of(owner, "pairs", spectators="none")
    viewer = bearer(owner, game.id, kind, expires_at="2026-11-30T12:00:10.500Z")
    clock.move(seconds=10, milliseconds=499, microseconds=999)
    assert viewer.view(game.id).status == 200
    clock.move(microseconds=1)
    for path in ("", "/events", "/audit", "/access-log"):
        assert told(viewer.get(f"/v1/games/{game.id}{path}")) == (401, "token_expired")
    assert told(viewer.get("/v1/me")) == (401, "token_expired")
    assert told(viewer.act(game.id, {})) == (401, "token_expired")


def test_earlier_tokens_of_one_kind_in_one_game_are_revoked(either: Place):
    owner = either.platform()
    game, other = Game.of(owner, "pairs"), Game.of(owner, "pairs")
    old = [bearer(owner, game.id), bearer(owner, game.id)]
    kept = [
        (bearer(owner, game.id, "spectator"), game.id),
        (bearer(owner, other.id), other.id),
        (game.seat("N"), game.id),
    ]
    again = issue(owner, game.id, "auditor", revoke_earlier=False)
    assert again.body["generation"] == 1
    fresh = issue(owner, game.id, "auditor", revoke_earlier=True)
    assert fresh.body["generation"] == 2
    for client in (*old, owner.bearing(again.body["token"])):
        assert told(client.view(game.id)) == (401, "token_revoked")
        assert told(client.get("/v1/me")) == (401, "token_revoked")
        assert told(client.view(other.id)) == (403, "wrong_game")
    for client, game_id in [*kept, (owner.bearing(fresh.body["token"]), game.id)]:
        assert client.view(game_id).status == 200
        assert client.get("/v1/me").status == 200
    assert bearer(owner, game.id).view(game.id).status == 200
    third = bearer(owner, game.id, revoke_earlier=True)
    assert told(owner.bearing(fresh.body["token"]).view(game.id)) == (401, "token_revoked")
    assert third.view(game.id).status == 200


@pytest.mark.parametrize("revoked", [2**16 - 2, 2**16 - 1, 2**31, 2**53])
def test_tokens_may_be_revoked_as_often_as_anybody_likes(place: Place, revoked: int):
    owner = place.platform()
    game = Game.of(owner, "pairs", spectators="none")
    assert isinstance(place.store, MemoryStore)
    place.store._games[game.id].generations["auditor"] = revoked
    old = bearer(owner, game.id)
    assert old.view(game.id).status == 200
    issued = issue(owner, game.id, revoke_earlier=True)
    assert (issued.status, issued.body["generation"]) == (201, revoked + 1)
    assert owner.bearing(issued.body["token"]).view(game.id).status == 200
    assert told(old.view(game.id)) == (401, "token_revoked")


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_is_for_its_own_game(place: Place, kind: str):
    owner = place.platform()
    game, other = Game.of(owner, "pairs"), Game.of(owner, "pairs")
    viewer = bearer(owner, game.id, kind)
    for path in ALWAYS:
        assert told(viewer.get(f"/v1/games/{other.id}{path}")) == (403, "wrong_game")
    assert told(viewer.view("01940000-0000-7000-8000-0000000000ff")) == (404, "game_not_found")
    assert access_log(owner, other.id) == []


@pytest.mark.parametrize("kind", KINDS)
def test_who_looks_does_nothing_else(place: Place, kind: str):
    owner = place.platform()
    game = Game.of(owner, "pairs", seats={"S": {"kind": "open"}, "N": {"kind": "human"}})
    viewer, path = bearer(owner, game.id, kind), f"/v1/games/{game.id}"
    action = {"type": "bid", "tricks": 3, "expected_version": 2}
    before = owner.all_events(game.id)
    assert told(viewer.act(game.id, action)) == (403, "not_a_seat")
    assert told(viewer.create({"ruleset": "pairs"})) == (403, "scope_missing")
    refused = [
        viewer.get("/v1/games"),
        issue(viewer, game.id, kind),
        viewer.get(f"{path}/access-log"),
        viewer.post(f"{path}/seats/N/token"),
        viewer.request("PUT", f"{path}/seats/N/player", {"player_ref": "plr-me"}),
        viewer.request("PUT", "/v1/players/plr-me", {"name": "Me"}),
        viewer.get("/v1/players/plr-me"),
        viewer.request("DELETE", "/v1/players/plr-me"),
        viewer.post("/v1/checkpoints"),
    ]
    assert {told(answer) for answer in refused} == {(403, "scope_missing")}
    assert told(viewer.claim(game.id, "S", "0000000000")) == (403, "join_code_invalid")
    assert owner.all_events(game.id) == before


def test_me_says_what_a_token_is(place: Place):
    owner = place.platform()
    game = Game.of(owner, "pairs", spectators="none")
    for kind in KINDS:
        assert bearer(owner, game.id, kind).get("/v1/me").body == {
            "kind": kind,
            "name": None,
            "game": game.id,
            "seat": None,
            "may_create_games": False,
        }
    assert access_log(owner, game.id) == []


def test_only_the_games_own_platform_issues_tokens(place: Place):
    owner, stranger = place.platform("Owner"), place.platform("Stranger")
    game, nobodys = Game.of(owner, "pairs"), Game.of(place.client, "pairs")
    assert told(issue(place.client, game.id)) == (401, "token_missing")
    assert told(issue(place.client.bearing("spk_x"), game.id)) == (401, "token_invalid")
    assert told(issue(game.seat("N"), game.id)) == (403, "scope_missing")
    assert told(issue(stranger, game.id)) == (403, "scope_missing")
    assert told(issue(owner, nobodys.id)) == (403, "scope_missing")
    assert told(issue(owner, "x")) == (404, "game_not_found")
    assert issue(place.platform("Owner", key="second"), game.id).status == 201


TIME = "/expires_at"
FAULTS: list[tuple[Json, list[tuple[str, str]]]] = [
    ({}, [("/kind", "required")]),
    ({"kind": None}, [("/kind", "invalid_type")]),
    ({"kind": True}, [("/kind", "invalid_type")]),
    ({"kind": 2.5}, [("/kind", "invalid_type")]),
    ({"kind": "seat"}, [("/kind", "invalid_choice")]),
    ({"kind": "platform"}, [("/kind", "invalid_choice")]),
    ({"kind": "auditor", "expires_at": True}, [(TIME, "invalid_type")]),
    ({"kind": "auditor", "expires_at": 2.5}, [(TIME, "invalid_type")]),
    ({"kind": "auditor", "expires_at": 10**40}, [(TIME, "invalid_type")]),
    ({"kind": "auditor", "expires_at": ""}, [(TIME, "invalid")]),
    ({"kind": "auditor", "expires_at": "tomorrow"}, [(TIME, "invalid")]),
    ({"kind": "auditor", "expires_at": "2026-11-30"}, [(TIME, "invalid")]),
    ({"kind": "auditor", "expires_at": "2027-02-30T12:00:00Z"}, [(TIME, "invalid")]),
    ({"kind": "auditor", "expires_at": "2027-01-30T12:00:00"}, [(TIME, "invalid")]),
    ({"kind": "auditor", "expires_at": "2027-01-30T12:00:00+99:99"}, [(TIME, "invalid")]),
    ({"kind": "auditor", "expires_at": "٢٠٢٧-01-30T12:00:00Z"}, [(TIME, "invalid")]),
    ({"kind": "auditor", "expires_at": "2026-11-30T12:00:00Z"}, [(TIME, "out_of_range")]),
    ({"kind": "auditor", "expires_at": "1969-01-01T00:00:00Z"}, [(TIME, "out_of_range")]),
    ({"kind": "auditor", "expires_at": "0001-01-01T00:00:00+14:00"}, [(TIME, "out_of_range")]),
    ({"kind": "auditor", "expires_at": "2300-01-01T00:00:00Z"}, [(TIME, "out_of_range")]),
    ({"kind": "auditor", "expires_at": "9999-12-31T23:59:59-14:00"}, [(TIME, "out_of_range")]),
    ({"kind": "auditor", "revoke_earlier": None}, [("/revoke_earlier", "invalid_type")]),
    ({"kind": "auditor", "revoke_earlier": 1}, [("/revoke_earlier", "invalid_type")]),
    ({"kind": "auditor", "revoke_earlier": "true"}, [("/revoke_earlier", "invalid_type")]),
    (
        {"revoke_earlier": True, "expires_at": "x", "id": 1},
        [("/expires_at", "invalid"), ("/id", "unknown_field"), ("/kind", "required")],
    ),
]


@pytest.mark.parametrize(("body", "expected"), FAULTS)
def test_a_body_of_the_wrong_shape_is_told_every_fault_and_revokes_nothing(
    timed: Place, body: Json, expected: list[tuple[str, str]]
):
    owner = timed.platform()
    game = Game.of(owner, "pairs")
    viewer = bearer(owner, game.id)
    answer = owner.post(f"/v1/games/{game.id}/tokens", {"revoke_earlier": True, **body})
    assert told(answer) == (422, "validation_failed")
    assert [(fault["pointer"], fault["code"]) for fault in answer.body["errors"]] == expected
    assert viewer.view(game.id).status == 200


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b'{"kind":"auditor","kind":"auditor"}']
)
def test_what_is_no_object_issues_nothing(platform: ApiClient, data: bytes):
    game = Game.of(platform, "pairs")
    answer = platform.post(f"/v1/games/{game.id}/tokens", data=data)
    assert answer.code in ("malformed_json", "validation_failed")


@pytest.mark.parametrize("expires", ["2026-11-30T12:00:00.001Z", "2199-12-31T23:59:59.999Z", None])
def test_a_token_may_last_a_moment_or_a_lifetime(timed: Place, expires: str | None):
    owner = timed.platform()
    game = Game.of(owner, "pairs")
    issued = issue(owner, game.id, expires_at=expires)
    assert (issued.status, issued.body["expires_at"]) == (201, expires)
    assert owner.bearing(issued.body["token"]).view(game.id).status == 200


@pytest.mark.parametrize("place_in_token", range(81))
def test_no_byte_of_a_token_can_be_changed(
    a_token: tuple[ApiClient, str, str], place_in_token: int
):
    client, game_id, token = a_token
    raw = bytearray(urlsafe_b64decode(token[4:]))
    raw[place_in_token] ^= 1
    forged = client.bearing("spv_" + urlsafe_b64encode(raw).decode())
    assert told(forged.view(game_id)) == (401, "token_invalid")


@pytest.fixture
def a_token(place: Place) -> tuple[ApiClient, str, str]:
    owner = place.platform()
    game = Game.of(owner, "pairs", spectators="none")
    return place.client, game.id, issue(owner, game.id).body["token"]


@pytest.mark.parametrize(
    "forge",
    [
        lambda token: token[:-1],
        lambda token: token + "A",
        lambda token: token + "=",
        lambda token: token.replace("spv_", "sps_"),
        lambda token: token.replace("spv_", "spk_"),
        lambda token: token.upper(),
        lambda token: "spv_",
        lambda token: "spv_" + "A" * 108,
    ],
)
def test_what_is_not_quite_a_token_is_invalid(
    a_token: tuple[ApiClient, str, str], forge: Callable[[str], str]
):
    client, game_id, token = a_token
    assert told(client.bearing(forge(token)).view(game_id)) == (401, "token_invalid")


def test_tokens_survive_new_secret_keys_as_long_as_the_old_one_verifies(serve):
    new = b"another secret key of the tests, 32 bytes"
    first = serve()
    owner = first.platform()
    game = Game.of(owner, "pairs", spectators="none")
    token = issue(owner, game.id).body["token"]
    rotated = serve(first.store, secret_keys=(new, SECRET_KEY))
    assert rotated.client.bearing(token).view(game.id).status == 200
    fresh = issue(rotated.client.bearing(owner.token), game.id).body["token"]
    later = serve(first.store, secret_keys=(new,))
    assert later.client.bearing(fresh).view(game.id).status == 200
    assert told(later.client.bearing(token).view(game.id)) == (401, "token_invalid")


def test_each_reading_by_an_auditor_is_recorded(either: Place):
    owner = either.platform()
    game = Game.of(owner, "pairs", options=UNCARDED, spectators="none")
    issued = issue(owner, game.id).body
    auditor, versions = owner.bearing(issued["token"]), []
    for path in ALWAYS:
        versions.append(game.version)
        assert auditor.get(f"/v1/games/{game.id}{path}").status == 200
        game.act(*game.next_action())
    last = game.play_until(lambda view: view["status"] == "finished")["version"]
    owner.post("/v1/checkpoints")
    rest = [path for path in READINGS if path not in ALWAYS]
    for path in rest:
        assert auditor.get(f"/v1/games/{game.id}{path}").status == 200
    expected = [READINGS[path] for path in [*ALWAYS, *rest]]
    readings = access_log(owner, game.id)[::-1]
    assert [reading["operation"] for reading in readings] == expected
    assert [reading["version"] for reading in readings] == versions + [last] * len(rest)
    assert {(reading["token_id"], reading["kind"]) for reading in readings} == {
        (issued["id"], "auditor")
    }


def test_a_reading_is_recorded_at_its_time_and_by_its_token(timed: Place, clock: Clock):
    owner = timed.platform()
    game = Game.of(owner, "pairs")
    first, second = issue(owner, game.id).body, issue(owner, game.id).body
    clock.move(seconds=1)
    tag = owner.bearing(first["token"]).view(game.id).etag
    clock.move(milliseconds=250)
    assert owner.bearing(second["token"]).request("HEAD", f"/v1/games/{game.id}").status == 200
    assert owner.bearing(second["token"]).view(game.id, tag).status == 304
    readings = [(reading["at"], reading["token_id"]) for reading in access_log(owner, game.id)]
    assert sorted(readings) == [
        ("2026-11-30T12:00:01.000Z", first["id"]),
        ("2026-11-30T12:00:01.250Z", second["id"]),
        ("2026-11-30T12:00:01.250Z", second["id"]),
    ]


def test_readings_of_others_are_not_recorded(place: Place):
    owner = place.platform()
    game = Game.of(owner, "pairs")
    readers = [place.client, owner, place.platform("Other"), game.seat("S")]
    for client in [*readers, bearer(owner, game.id, "spectator")]:
        for path in ALWAYS:
            assert client.get(f"/v1/games/{game.id}{path}").status == 200
    assert access_log(owner, game.id) == []


def test_what_an_auditor_could_not_read_is_not_recorded(timed: Place, clock: Clock):
    owner = timed.platform()
    game = Game.of(owner, "pairs")
    revoked = bearer(owner, game.id)
    auditor = bearer(owner, game.id, revoke_earlier=True, expires_at="2026-11-30T13:00:00Z")
    refused = [
        auditor.hand(game.id, 2),
        auditor.get(f"/v1/games/{game.id}/states/3"),
        auditor.get(f"/v1/games/{game.id}/states/0"),
        auditor.get(f"/v1/games/{game.id}/result"),
        auditor.get(f"/v1/games/{game.id}/inclusion"),
        auditor.get(f"/v1/games/{game.id}/export?format=pdf"),
        auditor.get(f"/v1/games/{game.id}?colour=red"),
        auditor.get(f"/v1/games/{game.id}", headers={"Accept": "text/csv"}),
        auditor.act(game.id, {}),
        revoked.view(game.id),
    ]
    clock.move(hours=1)
    refused.append(auditor.view(game.id))
    assert [answer.status for answer in refused] == [
        *(404, 404, 400, 409, 404, 400, 400, 406, 403, 401, 401)
    ]
    assert access_log(owner, game.id) == []


def test_the_access_log_is_read_page_by_page(either: Place):
    owner = either.platform()
    game, other = Game.of(owner, "pairs"), Game.of(owner, "pairs")
    auditor, elsewhere = bearer(owner, game.id), bearer(owner, other.id)
    for _ in range(7):
        assert auditor.view(game.id).status == 200
        assert elsewhere.view(other.id).status == 200
    assert auditor.events(game.id).status == 200
    whole = access_log(owner, game.id)
    assert [reading["operation"] for reading in whole] == ["listEvents"] + ["readGame"] * 7
    for limit in (1, 3, 4, 8):
        path, pages = f"/v1/games/{game.id}/access-log?limit={limit}", list[list[Json]]()
        while path:
            page = owner.get(path).body
            pages.append(page["items"])
            path = page["next"]
        assert [reading for items in pages for reading in items] == whole
        assert len(pages) == -(-8 // limit)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("cursor=", "invalid_cursor"),
        ("cursor=x", "invalid_cursor"),
        ("cursor=01940000000070008000000000000001", "invalid_cursor"),
        ("cursor=%7B01940000-0000-7000-8000-000000000001%7D", "invalid_cursor"),
        ("cursor=01940000-0000-7000-8000-00000000000A", "invalid_cursor"),
        ("cursor=" + "%D9%A3" * 32, "invalid_cursor"),
        ("cursor=%00", "invalid_cursor"),
        ("limit=0", "invalid_parameter"),
        ("limit=201", "invalid_parameter"),
        ("limit=x", "invalid_parameter"),
        ("limit=1&limit=2", "invalid_parameter"),
        ("after=1", "unknown_parameter"),
    ],
)
def test_a_bad_page_of_the_access_log_is_refused(platform: ApiClient, query: str, code: str):
    game = Game.of(platform, "pairs")
    assert told(platform.get(f"/v1/games/{game.id}/access-log?{query}")) == (400, code)


def test_only_the_games_own_platform_reads_its_access_log(place: Place):
    owner = place.platform()
    game, nobodys = Game.of(owner, "pairs"), Game.of(place.client, "pairs")
    path = f"/v1/games/{game.id}/access-log"
    assert told(place.client.get(path)) == (401, "token_missing")
    assert told(place.platform("Other").get(path)) == (403, "scope_missing")
    assert told(game.seat("N").get(path)) == (403, "scope_missing")
    assert told(owner.get(f"/v1/games/{nobodys.id}/access-log")) == (403, "scope_missing")
    assert told(owner.get("/v1/games/x/access-log")) == (404, "game_not_found")
