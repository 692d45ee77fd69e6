"""Creating games, claiming their seats, listing them."""

from datetime import datetime
from typing import Any

import pytest

from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import ApiClient

OPEN_PAIR = {"ruleset": "two-player", "seats": {"S": {"kind": "open"}}}


def test_pairs_seats_one_person_among_bots(client: ApiClient):
    created = client.create({"ruleset": "pairs"})
    game = created.body["game"]
    assert [seat["kind"] for seat in game["seats"]] == ["human", "bot", "bot", "bot"]
    assert [seat["level"] for seat in game["seats"]] == [None, "novice", "novice", "novice"]
    assert game["viewer"]["seat"] == "N"
    assert game["turn"]["yours"]
    assert list(created.body["tokens"]) == ["N"]
    assert created.body["join_codes"] == {}
    assert created.headers["Location"] == f"/v1/games/{game['id']}"
    assert created.etag == f'"{game["version"]}-N"'
    assert created.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("ruleset", "seats"), [("two-player", "NS"), ("partnership", "NESW")])
def test_the_other_games_seat_people(client: ApiClient, ruleset: str, seats: str):
    created = client.create({"ruleset": ruleset}).body
    assert list(created["tokens"]) == list(seats)
    assert created["game"]["viewer"]["kind"] == "spectator"


def test_a_seat_may_say_its_name_and_leave_its_kind(client: ApiClient):
    seats = {"N": {"name": "Ada"}, "E": {"name": "Robot"}, "S": {"kind": "human", "name": "Lin"}}
    created = client.create({"ruleset": "pairs", "seats": seats}).body
    view = created["game"]
    assert [seat["name"] for seat in view["seats"]] == ["Ada", "Robot", "Lin", None]
    assert [seat["kind"] for seat in view["seats"]] == ["human", "bot", "human", "bot"]


def test_options_are_resolved(client: ApiClient):
    body = {"ruleset": "pairs", "options": {"target": 250, "lose_at": None, "undo": "off"}}
    options = client.create(body).body["game"]["options"]
    assert (options["target"], options["lose_at"], options["undo"]) == (250, None, "off")
    assert options["bag_limit"] == 10


@pytest.mark.parametrize("dealer", ["N", "E", "S", "W"])
def test_the_dealer_may_be_fixed(client: ApiClient, dealer: str):
    game = client.create({"ruleset": "pairs", "dealer": dealer}).body["game"]
    assert game["dealer"] == dealer


def test_no_dealer_is_drawn_by_lot(client: ApiClient):
    dealers = {
        client.create({"ruleset": "pairs", "dealer": None}).body["game"]["dealer"]
        for _ in range(60)
    }
    assert dealers == {"N", "E", "S", "W"}


def test_a_creation_repeated_gives_the_same_game(platform: ApiClient):
    body = {**OPEN_PAIR, "metadata": {"b": 1, "a": [2.5, None, "x"]}}
    first = platform.create(body, key="5e0b3d1c")
    again = platform.create(dict(reversed(body.items())), key="5e0b3d1c")
    assert (first.status, again.status) == (201, 201)
    assert not first.replayed
    assert again.replayed
    assert again.body["game"]["id"] == first.body["game"]["id"]
    assert again.body["tokens"] == first.body["tokens"]
    assert again.body["join_codes"] == first.body["join_codes"]
    assert again.headers["Location"] == first.headers["Location"]


def test_a_creation_repeated_shows_the_game_as_it_is_now(platform: ApiClient):
    body = {"ruleset": "pairs"}
    first = platform.create(body, key="k").body
    seat = platform.bearing(first["tokens"]["N"])
    seat.act(first["game"]["id"], first["game"]["legal_actions"][2])
    again = platform.create(body, key="k")
    assert again.body["tokens"] == first["tokens"]
    assert again.body["game"]["version"] > first["game"]["version"]


def test_a_key_is_not_for_another_body(platform: ApiClient):
    platform.create({"ruleset": "pairs"}, key="k")
    answer = platform.create({"ruleset": "pairs", "dealer": "N"}, key="k")
    assert (answer.status, answer.code) == (422, "idempotency_key_reused")


def test_two_platforms_may_use_the_same_key(place: Place):
    body = {"ruleset": "pairs"}
    one, two = (
        place.platform("One").create(body, key="k"),
        place.platform("Two").create(body, key="k"),
    )
    assert not two.replayed
    assert one.body["game"]["id"] != two.body["game"]["id"]


def test_a_key_needs_a_platform(client: ApiClient):
    answer = client.create({"ruleset": "pairs"}, key="k")
    assert (answer.status, answer.code) == (400, "invalid_parameter")
    assert answer.body["parameter"] == "Idempotency-Key"


@pytest.mark.parametrize("key", ["a b", "k" * 256, "\u00fc"])
def test_a_key_is_visible_ascii(platform: ApiClient, key: str):
    assert platform.create({"ruleset": "pairs"}, key=key).code == "invalid_parameter"
    assert platform.create({"ruleset": "pairs"}, key="~" * 255).status == 201


def test_a_claim_takes_the_open_seat_and_starts_the_game(client: ApiClient):
    created = client.create(OPEN_PAIR).body
    game_id = created["game"]["id"]
    assert created["game"]["status"] == "seating"
    assert list(created["tokens"]) == ["N"]
    code = created["join_codes"]["S"]
    claimed = client.claim(game_id, "S", code.lower(), name="Lin", client_seed="lin-03")
    assert claimed.status == 200
    view = claimed.body["game"]
    assert (view["status"], view["viewer"]["seat"]) == ("active", "S")
    assert view["seats"][1]["name"] == "Lin"
    assert claimed.etag == f'"{view["version"]}-S"'
    me = client.bearing(claimed.body["token"])
    assert me.act(game_id, view["legal_actions"][1]).status == 200
    seed = client.all_events(game_id)[1]["data"]["client_seed"]
    assert seed == "lin-03"


def test_the_same_claim_again_gives_the_same_token_until_the_seat_acts(client: ApiClient):
    created = client.create(OPEN_PAIR).body
    game_id, code = created["game"]["id"], created["join_codes"]["S"]
    first = client.claim(game_id, "S", code, name="Lin").body
    assert client.claim(game_id, "S", code, name="Lin").body["token"] == first["token"]
    assert client.claim(game_id, "S", code, name="Kim").code == "seat_taken"
    assert client.claim(game_id, "S", code, name="Lin", client_seed="x").code == "seat_taken"
    client.bearing(first["token"]).act(game_id, first["game"]["legal_actions"][0])
    late = client.claim(game_id, "S", code, name="Lin")
    assert (late.status, late.code) == (409, "seat_taken")


def test_a_wrong_code_opens_no_seat(client: ApiClient):
    created, other = client.create(OPEN_PAIR).body, client.create(OPEN_PAIR).body
    game_id = created["game"]["id"]
    for code in ("0000000000", other["join_codes"]["S"], "\u0131\u0130", "x" * 32):
        answer = client.claim(game_id, "S", code)
        assert (answer.status, answer.code) == (403, "join_code_invalid")
    assert client.view(game_id).body["version"] == 1


@pytest.mark.parametrize("seat", ["N", "E"])
def test_a_seat_that_was_never_open_is_taken(client: ApiClient, seat: str):
    created = client.create({"ruleset": "pairs"}).body
    answer = client.claim(created["game"]["id"], seat, "0000000000")
    assert (answer.status, answer.code) == (409, "seat_taken")


@pytest.mark.parametrize("seat", ["E", "n", "X", "NS", "%20"])
def test_a_seat_must_be_one_of_the_game(client: ApiClient, seat: str):
    created = client.create(OPEN_PAIR).body
    answer = client.claim(created["game"]["id"], seat, created["join_codes"]["S"])
    assert (answer.status, answer.code) == (400, "invalid_parameter")
    assert answer.body["parameter"] == "seat"


@pytest.mark.parametrize(
    ("seed", "code"),
    [
        ("", "out_of_range"),
        ("x" * 65, "out_of_range"),
        ("\u00e9" * 33, "out_of_range"),
        ("a\tb", "invalid"),
        ("\x85", "invalid"),
        ("\0", "invalid"),
        (None, "invalid_type"),
        (3, "invalid_type"),
    ],
)
def test_a_client_seed_is_1_to_64_bytes_without_controls(
    client: ApiClient, seed: object, code: str
):
    created = client.create(OPEN_PAIR).body
    answer = client.claim(created["game"]["id"], "S", created["join_codes"]["S"], client_seed=seed)
    assert [(f["pointer"], f["code"]) for f in answer.body["errors"]] == [("/client_seed", code)]


@pytest.mark.parametrize("seed", ["x", "\u00e9" * 32, "e\u0301", "\U0001f0a1", " ", "\u2028"])
def test_a_client_seed_is_used_as_it_is(client: ApiClient, seed: str):
    created = client.create(OPEN_PAIR).body
    game_id = created["game"]["id"]
    claimed = client.claim(game_id, "S", created["join_codes"]["S"], client_seed=seed)
    assert claimed.status == 200
    assert client.all_events(game_id)[1]["data"]["client_seed"] == seed


def test_a_claim_of_a_taken_seat_says_so_whatever_its_code(client: ApiClient):
    created = client.create({"ruleset": "two-player", "seats": {"S": {"kind": "open"}}}).body
    game_id, code = created["game"]["id"], created["join_codes"]["S"]
    assert client.claim(game_id, "S", "0000000000").code == "join_code_invalid"
    assert client.claim(game_id, "S", code).status == 200
    assert client.claim(game_id, "S", "0000000000").code == "seat_taken"


def test_a_claim_leaves_what_the_platform_noted_of_the_seat(place: Place):
    platform = place.platform()
    seat = {"kind": "open", "name": "Guest", "player_ref": "plr-lin"}
    created = platform.create({"ruleset": "two-player", "seats": {"S": seat}}).body
    game_id, code = created["game"]["id"], created["join_codes"]["S"]
    for _ in range(2):
        claimed = platform.claim(game_id, "S", code, name="Lin", player_ref="plr-other")
        assert claimed.status == 200
    noted = platform.get("/v1/games").body["items"][0]["seats"]["S"]
    assert noted == {"name": "Lin", "player_ref": "plr-lin"}


def test_the_answer_to_a_creation_is_the_spectators_when_nobody_can_move_yet(place: Place):
    created = place.platform().create({"ruleset": "partnership"})
    assert created.body["game"]["viewer"]["kind"] == "spectator"


def test_a_claim_needs_its_code(client: ApiClient):
    created = client.create(OPEN_PAIR).body
    path = f"/v1/games/{created['game']['id']}/seats/S/claim"
    for body in ({}, {"join_code": None}, {"join_code": 5}, {"join_code": ""}):
        assert client.post(path, body).code == "validation_failed"


def ids(page: dict[str, Any]) -> list[str]:
    return [item["id"] for item in page["items"]]


def test_a_platform_lists_its_games_newest_first(place: Place):
    platform, other = place.platform("Cup"), place.platform("Other")
    made = [Game.of(platform, "pairs").id for _ in range(5)]
    Game.of(other, "pairs")
    Game.of(place.client, "pairs")
    page = platform.get("/v1/games?limit=2").body
    seen = ids(page)
    while page["next"]:
        page = platform.get(page["next"]).body
        seen += ids(page)
    assert seen == made[::-1]


def test_a_summary_tells_names_and_metadata(platform: ApiClient):
    seats = {"N": {"name": "Ada", "player_ref": "plr-ada"}}
    metadata = {"room": "t7", "deep": {"n": [1, 2.5, None, True]}}
    body = {"ruleset": "pairs", "seats": seats, "metadata": metadata}
    created = platform.create(body).body["game"]
    (item,) = platform.get("/v1/games").body["items"]
    assert item["metadata"] == metadata
    assert item["seats"] == seats
    assert item["links"]["self"] == f"/v1/games/{created['id']}"
    assert (item["version"], item["status"]) == (created["version"], "active")


def test_the_list_can_be_narrowed(platform: ApiClient):
    pairs = Game.of(platform, "pairs", options={"max_hands": 1})
    seating = platform.create(OPEN_PAIR).body["game"]["id"]
    pairs.play_until(lambda view: view["status"] == "finished")
    assert ids(platform.get("/v1/games?status=finished").body) == [pairs.id]
    assert ids(platform.get("/v1/games?status=seating&limit=1").body) == [seating]
    assert ids(platform.get("/v1/games?ruleset=two-player").body) == [seating]
    updated = platform.get("/v1/games?status=seating").body["items"][0]["updated_at"]
    assert datetime.fromisoformat(updated).tzinfo is not None
    later = platform.get(f"/v1/games?updated_after={updated.replace('Z', '%2B00:00')}").body
    assert pairs.id in ids(later)
    assert ids(platform.get("/v1/games?updated_after=2999-01-01T00:00:00Z").body) == []


def test_a_narrowed_list_stays_narrow_on_its_next_page(platform: ApiClient):
    for _ in range(3):
        Game.of(platform, "pairs")
        platform.create(OPEN_PAIR)
    page = platform.get("/v1/games?ruleset=two-player&limit=2").body
    assert "ruleset=two-player" in page["next"]
    page = platform.get(page["next"]).body
    assert [item["ruleset"] for item in page["items"]] == ["two-player"]
    assert page["next"] is None


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("status=lost", "invalid_parameter"),
        ("ruleset=whist", "invalid_parameter"),
        ("limit=0", "invalid_parameter"),
        ("limit=201", "invalid_parameter"),
        ("updated_after=yesterday", "invalid_parameter"),
        ("updated_after=2026-11-30T12:00:00", "invalid_parameter"),
        ("updated_after=2026-13-30T12:00:00Z", "invalid_parameter"),
        ("updated_after=2026-11-30", "invalid_parameter"),
        ("cursor=", "invalid_cursor"),
        ("cursor=abc", "invalid_cursor"),
        ("cursor=%00", "invalid_cursor"),
        ("cursor=" + "A" * 23, "invalid_cursor"),
        ("page=2", "unknown_parameter"),
    ],
)
def test_a_bad_query_of_the_list_is_refused(platform: ApiClient, query: str, code: str):
    answer = platform.get(f"/v1/games?{query}")
    assert (answer.status, answer.code) == (400, code)
