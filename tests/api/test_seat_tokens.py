"""A seat's next token: the old one opens nothing, and nobody at the table feels it."""

from random import Random
from typing import Any

import pytest

from spades.game.rulesets import RULESETS
from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient

Json = dict[str, Any]
OPEN_SOUTH = {"N": {"kind": "human"}, "E": {"kind": "bot"}, "S": {"kind": "open"}}
PHASES = {
    "two-player": {"blind", "draft", "bidding", "exchange", "play"},
    "partnership": {"blind", "bidding", "exchange", "play"},
    "pairs": {"bidding", "play"},
}


def reissue(platform: ApiClient, game_id: str, seat: str) -> Answer:
    return platform.post(f"/v1/games/{game_id}/seats/{seat}/token")


def told(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def claimed(place: Place, **claim: Any) -> tuple[ApiClient, Game, str]:
    """A game with a claimed seat in the south, its platform, and the seat's join code."""
    owner = place.platform()
    made = owner.create({"ruleset": "pairs", "seats": OPEN_SOUTH}).body
    game_id, code = made["game"]["id"], made["join_codes"]["S"]
    answer = place.client.claim(game_id, "S", code, **claim)
    assert answer.status == 200, answer.body
    tokens = {**made["tokens"], "S": answer.body["token"]}
    return owner, Game(owner, game_id, tokens, Random(1)), code


def test_the_next_token_is_told_with_its_generation_and_the_logs_version(either: Place):
    owner = either.platform()
    game = Game.of(owner, "pairs")
    for generation, version in ((2, 3), (3, 4)):
        answer = reissue(owner, game.id, "S")
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
        assert (answer.body["generation"], answer.body["version"]) == (generation, version)
        assert answer.body["token"].startswith("sps_")
    last = owner.all_events(game.id)[-1]
    assert (last["type"], last["seat"], last["actor"]) == ("token_reissued", "S", "platform")
    assert last["data"] == {"generation": 3}


def test_the_old_token_opens_nothing_and_the_new_one_all(either: Place):
    owner = either.platform()
    game = Game.of(owner, "pairs")
    seat, action = game.next_action()
    old, path = game.seat(seat), f"/v1/games/{game.id}"
    new = owner.bearing(reissue(owner, game.id, seat).body["token"])
    revoked = [
        old.view(game.id),
        old.events(game.id),
        old.hand(game.id, 1),
        old.act(game.id, action),
        old.get(f"{path}/states/2"),
        old.get(f"{path}/audit"),
        old.get(f"{path}/export"),
        old.get("/v1/me"),
    ]
    assert {told(answer) for answer in revoked} == {(401, "token_revoked")}
    assert new.view(game.id).body["viewer"]["seat"] == seat
    assert new.events(game.id).status == 200
    assert new.get("/v1/me").body["seat"] == seat
    assert new.act(game.id, action).status == 200


def test_the_tokens_of_other_seats_and_games_are_left_alone(place: Place):
    owner = place.platform()
    game, other = Game.of(owner, "pairs"), Game.of(owner, "pairs")
    reissue(owner, game.id, "S")
    for seat in "NEW":
        assert game.view(seat)["viewer"]["seat"] == seat
    assert other.view("S")["viewer"]["seat"] == "S"


def test_no_move_becomes_stale_by_it(place: Place):
    owner = place.platform()
    game = Game.of(owner, "pairs")
    for _ in range(6):
        seat, action = game.next_action()
        for other in (seat, "N", seat):
            game.tokens[other] = reissue(owner, game.id, other).body["token"]
        answer = game.act(seat, action)
        assert answer.status == 200, answer.body
        assert not answer.replayed
        types = [event["type"] for event in answer.body["events"]]
        assert types[:4] == ["token_reissued"] * 3 + [types[3]]
        assert answer.body["accepted"]["version"] == action["expected_version"] + 4


def test_an_action_of_the_old_token_is_answered_to_the_new_one_from_the_log(place: Place):
    owner = place.platform()
    game = Game.of(owner, "pairs")
    seat, action = game.next_action()
    first = game.act(seat, action)
    game.tokens[seat] = reissue(owner, game.id, seat).body["token"]
    again = game.act(seat, action)
    assert (again.status, again.replayed) == (200, True)
    assert again.body["accepted"] == {**first.body["accepted"], "replayed": True}
    assert again.body["events"][0] == first.body["events"][0]
    assert game.version == first.body["accepted"]["version"] + 1


@pytest.mark.parametrize("seat", ["E", "S"])
def test_a_seat_that_nobody_holds_has_no_token(place: Place, seat: str):
    owner = place.platform()
    game = owner.create({"ruleset": "pairs", "seats": OPEN_SOUTH}).body["game"]
    assert told(reissue(owner, game["id"], seat)) == (409, "seat_not_held")
    assert owner.view(game["id"]).body["version"] == game["version"]


@pytest.mark.parametrize("seat", ["Q", "n", "%20", "NS"])
def test_what_is_no_seat_has_no_token(platform: ApiClient, seat: str):
    game = Game.of(platform, "pairs")
    answer = reissue(platform, game.id, seat)
    assert (*told(answer), answer.body["parameter"]) == (400, "invalid_parameter", "seat")


def test_after_the_end_no_token_is_given(place: Place):
    owner = place.platform()
    game = Game.of(owner, "pairs", options={"max_hands": 1})
    before = game.play_until(lambda view: view["status"] == "finished")
    assert told(reissue(owner, game.id, "S")) == (409, "game_over")
    assert owner.view(game.id).body["log_head"] == before["log_head"]
    assert game.view("S")["viewer"]["seat"] == "S"


def test_only_the_games_own_platform_reissues(place: Place):
    owner = place.platform()
    game, nobodys = Game.of(owner, "pairs"), Game.of(place.client, "pairs")
    assert told(reissue(place.client, game.id, "N")) == (401, "token_missing")
    assert told(reissue(place.platform("Other"), game.id, "N")) == (403, "scope_missing")
    assert told(reissue(game.seat("N"), game.id, "N")) == (403, "scope_missing")
    assert told(reissue(owner, nobodys.id, "N")) == (403, "scope_missing")
    assert told(reissue(owner, "x", "N")) == (404, "game_not_found")
    assert game.version == 2


def test_a_creation_sent_again_gives_the_present_tokens(either: Place):
    owner = either.platform()
    body = {"ruleset": "pairs", "seats": {seat: {"kind": "human"} for seat in "NESW"}}
    first = owner.create(body, key="k").body
    game_id = first["game"]["id"]
    new = reissue(owner, game_id, "S").body["token"]
    again = owner.create(body, key="k")
    assert again.replayed
    assert again.body["tokens"] == {**first["tokens"], "S": new}
    assert owner.bearing(again.body["tokens"]["S"]).view(game_id).status == 200


def test_the_join_code_does_not_give_the_new_token(either: Place):
    owner, game, code = claimed(either, name="Lin", client_seed="lin-03")
    same = {"name": "Lin", "client_seed": "lin-03"}
    replayed = either.client.claim(game.id, "S", code, **same)
    assert replayed.body["token"] == game.tokens["S"]
    new = reissue(owner, game.id, "S").body["token"]
    for claim in (same, {}):
        answer = either.client.claim(game.id, "S", code, **claim)
        assert told(answer) == (409, "seat_taken")
        assert new not in answer.content.decode()
    assert owner.bearing(new).view(game.id).body["viewer"]["seat"] == "S"


def seen(view: Json) -> Json:
    """A view without what every event changes."""
    left = {key: view[key] for key in view if key not in ("version", "log_head", "server_time")}
    actions = [{**action, "expected_version": None} for action in view["legal_actions"]]
    return {**left, "legal_actions": actions}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_in_every_phase_nobody_sees_a_difference(place: Place, ruleset: str):
    owner = place.platform()
    game, met = Game.of(owner, ruleset), set()
    for _ in range(400):
        view = owner.view(game.id).body
        if view["phase"] not in met:
            met.add(view["phase"])
            check_unseen(owner, game)
        if met == PHASES[ruleset]:
            break
        game.act(*game.next_action("bid_double_nil"))
    assert met == PHASES[ruleset]


def check_unseen(owner: ApiClient, game: Game) -> None:
    before = {seat: game.view(seat) for seat in game.tokens}
    watched = owner.view(game.id).body
    for seat in game.tokens:
        game.tokens[seat] = reissue(owner, game.id, seat).body["token"]
    assert seen(owner.view(game.id).body) == seen(watched)
    for seat, view in before.items():
        after = game.view(seat)
        assert seen(after) == seen(view)
        assert after["version"] == view["version"] + len(before)
        assert after["log_head"] != view["log_head"]
        assert {a["expected_version"] for a in after["legal_actions"]} <= {after["version"]}
