"""Looking at games: views, entity tags, the log, hands, and what the service offers."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from spades.bots import LEVELS
from spades.game.rulesets import OPTION_KINDS, RULESETS
from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import ApiClient


def test_a_view_has_the_same_keys_in_every_phase_and_for_everybody(client: ApiClient):
    keys = set()
    for ruleset in RULESETS:
        game = Game.of(client, ruleset, options={"max_hands": 1})
        for _ in range(200):
            view = client.view(game.id).body
            keys |= {tuple(view), tuple(game.view("S"))}
            if view["status"] == "finished":
                break
            game.act(*game.next_action("bid_double_nil"))
    assert len(keys) == 1


def test_an_unchanged_view_is_not_sent_again(client: ApiClient):
    game = Game.of(client, "pairs")
    seat = game.seat("N")
    first = seat.view(game.id)
    assert first.etag == '"2-N"'
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.headers["Vary"] == "Authorization"
    for known in (first.etag, f"W/{first.etag}", f'"9-N", {first.etag}', "*", ' W/"2-N" '):
        again = seat.view(game.id, etag=known)
        assert (again.status, again.content) == (304, b"")
        assert again.etag == first.etag
        assert again.headers["Vary"] == "Authorization"
    game.act(*game.next_action())
    fresh = seat.view(game.id, etag=first.etag)
    assert (fresh.status, fresh.etag) == (200, '"3-N"')


def test_the_tag_of_another_viewer_does_not_count(client: ApiClient):
    game = Game.of(client, "pairs")
    tag = game.seat("N").view(game.id).etag
    assert game.seat("S").view(game.id, etag=tag).status == 200
    assert client.view(game.id, etag=tag).status == 200
    assert client.view(game.id, etag='"2-spectator"').status == 304
    for nonsense in ("2-N", '"2-N', "", '""', "**"):
        assert game.seat("N").view(game.id, etag=nonsense or '""').status == 200


def test_the_tag_of_an_answer_to_an_action_is_that_of_the_view(client: ApiClient):
    game = Game.of(client, "pairs")
    seat, action = game.next_action()
    acted = game.act(seat, action)
    assert game.seat(seat).view(game.id, etag=acted.etag).status == 304


def test_head_answers_as_get_without_a_body(client: ApiClient):
    game = Game.of(client, "pairs")
    path = f"/v1/games/{game.id}"
    get, head = client.get(path), client.request("HEAD", path)
    assert (head.status, head.content) == (200, b"")
    assert head.etag == get.etag
    for path in ("/healthz", "/readyz", "/v1/rulesets", "/docs", "/openapi.json", "/v1/me"):
        assert client.request("HEAD", path).status == 200
    assert client.request("HEAD", "/v1/games/x").status == 404
    assert client.request("HEAD", "/nothing").status == 404


def test_the_log_is_read_page_by_page(client: ApiClient):
    game = Game.of(client, "pairs")
    game.play_until(lambda view: view["hand_number"] == 2)
    whole = client.events(game.id).body
    assert whole["next"] is None
    assert [e["version"] for e in whole["items"]] == list(range(1, whole["last_version"] + 1))
    path, seen = f"/v1/games/{game.id}/events?limit=7", []
    while path:
        page = client.get(path).body
        assert page["last_version"] == whole["last_version"]
        assert len(page["items"]) <= 7
        seen += page["items"]
        path = page["next"]
    assert seen == whole["items"]


def test_nothing_new_is_an_empty_page(client: ApiClient):
    game = Game.of(client, "pairs")
    for after in (2, 3, 2**31 - 1):
        page = client.events(game.id, after=after).body
        assert page == {"items": [], "last_version": 2, "next": None}


def test_a_seat_sees_its_own_leaves_and_nobody_elses(client: ApiClient):
    game = Game.of(client, "pairs")
    holdings = game.seat("S").events(game.id).body["items"][1]["data"]["holdings"]
    assert {seat for seat, leaf in holdings.items() if "value" in leaf} == {"S"}
    spectator = client.events(game.id).body["items"][1]["data"]["holdings"]
    assert all(list(leaf) == ["commit"] for leaf in spectator.values())


def test_a_hand_on_the_table_hides_what_the_viewer_may_not_see(client: ApiClient):
    game = Game.of(client, "pairs")
    hand = game.seat("S").hand(game.id, 1).body
    assert hand["hand_seed"] is None
    assert {seat for seat, held in hand["holdings"].items() if held} == {"S"}
    assert all(held is None for held in client.hand(game.id, 1).body["holdings"].values())


@pytest.mark.parametrize("ruleset", list(RULESETS))
def test_a_scored_hand_is_open_to_everybody(client: ApiClient, ruleset: str):
    game = Game.of(client, ruleset)
    game.play_until(lambda view: view["hand_number"] == 2, "bid_double_nil")
    hand = client.hand(game.id, 1).body
    assert hand == game.seat("N").hand(game.id, 1).body
    assert len(hand["tricks"]) == 13
    assert len(hand["bids"]) == len(game.tokens)
    assert set(hand["sides"]) == {side["side"] for side in game.view("N")["sides"]}
    assert hand["hand_seed"]


def test_rulesets_tell_seats_defaults_and_the_schema_of_options(client: ApiClient):
    listed = client.get("/v1/rulesets").body["items"]
    assert [item["name"] for item in listed] == list(RULESETS)
    for item in listed:
        assert client.get(item["links"]["self"]).body == item
        schema = item["options_schema"]
        Draft202012Validator.check_schema(schema)
        assert set(schema["properties"]) == set(OPTION_KINDS)
        judge = Draft202012Validator(schema)
        judge.validate(item["defaults"])
        judge.validate({})
        assert not judge.is_valid({"target": 0})
        assert not judge.is_valid({"joker": 1})
    pairs = client.get("/v1/rulesets/pairs").body
    assert pairs["default_seats"] == {"N": "human", "E": "bot", "S": "bot", "W": "bot"}
    assert pairs["sides"] == ["NS", "EW"]


@pytest.mark.parametrize("name", ["whist", "PAIRS", "pairs%20", "%00"])
def test_an_unknown_ruleset_is_not_found(client: ApiClient, name: str):
    assert client.get(f"/v1/rulesets/{name}").code == "ruleset_not_found"


def test_the_schema_of_options_and_the_service_agree(client: ApiClient):
    schema = client.get("/v1/rulesets/pairs").body["options_schema"]
    judge = Draft202012Validator(schema)
    odd: list[Any] = [None, True, False, 0, -1, 1, 5, 13, 14, 1000, 1001, 10001, -10000, 2.5]
    odd += ["bags", "off", []]
    for name in OPTION_KINDS:
        for value in odd:
            status = client.create({"ruleset": "pairs", "options": {name: value}}).status
            assert (status == 201) == judge.is_valid({name: value}), (name, value)


def test_bots_are_listed(client: ApiClient):
    items = client.get("/v1/bots").body["items"]
    assert [item["id"] for item in items] == [level.id for level in LEVELS]
    assert items[0]["version"] == "novice/1"


def test_health(place: Place):
    assert place.client.get("/healthz").body == {"status": "ok"}
    assert place.client.get("/readyz").body == {"status": "ok"}
    place.app.extensions["readiness"].drain()
    draining = place.client.get("/readyz")
    assert (draining.status, draining.code) == (503, "shutting_down")
    assert place.client.get("/healthz").status == 200
    assert place.client.create({"ruleset": "pairs"}).status == 201


def test_the_document_is_served(client: ApiClient):
    document = json.loads(client.get("/openapi.json").content)
    assert document["openapi"] == "3.1.0"
