"""Players' names beside the logs: noted, shown, taken out again."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient

Json = dict[str, Any]
REFERENCES = [
    "plr-ada",
    "cup/2026/ada",
    "/ada",
    "ada/",
    "//",
    ".",
    "..",
    "../keys",
    "Ada King",
    " ",
    "trưởng ♠",
    "a%2Fb",
    "100%",
    "a+b",
    "a?b=c#d",
    "a;b",
    '"',
    "'--",
    "\\",
    "%s",
    "null",
    "\u00e9",
    "e\u0301",
    "a" * 128,
    "♠" * 128,
]


def at(ref: str) -> str:
    return f"/v1/players/{quote(ref, safe='')}"


def put(platform: ApiClient, ref: str, name: str | None) -> Answer:
    return platform.request("PUT", at(ref), {"name": name})


def erase(platform: ApiClient, ref: str) -> Answer:
    return platform.request("DELETE", at(ref))


def sit(platform: ApiClient, game_id: str, seat: str, /, **who: Any) -> Answer:
    return platform.request("PUT", f"/v1/games/{game_id}/seats/{seat}/player", who)


def told(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def game_with(platform: ApiClient, **players: Json) -> Game:
    """A game of people, of whom some are told."""
    seats = {seat: {"kind": "human", **players.get(seat, {})} for seat in "NESW"}
    return Game.of(platform, "pairs", seats=seats)


def names(client: ApiClient, game_id: str) -> dict[str, str | None]:
    return {seat["seat"]: seat["name"] for seat in client.view(game_id).body["seats"]}


def profiles(platform: ApiClient, game_id: str) -> Json:
    listed = platform.get("/v1/games").body["items"]
    found: Json = next(item["seats"] for item in listed if item["id"] == game_id)
    return found


@pytest.mark.parametrize("ref", REFERENCES)
def test_a_reference_may_be_any_text_in_a_path(platform: ApiClient, ref: str):
    assert told(platform.get(at(ref))) == (404, "player_not_found")
    for name in ("Ada", "Countess", None):
        answer = put(platform, ref, name)
        assert (answer.status, answer.body) == (200, {"ref": ref, "name": name, "games": 0})
        assert platform.get(at(ref)).body == answer.body
    game = game_with(platform, N={"player_ref": ref})
    assert put(platform, ref, "Ada").body == {"ref": ref, "name": "Ada", "games": 1}
    assert names(platform, game.id)["N"] == "Ada"
    assert (erase(platform, ref).status, erase(platform, ref).content) == (204, b"")
    assert told(platform.get(at(ref))) == (404, "player_not_found")
    assert names(platform, game.id)["N"] is None


@pytest.mark.parametrize("ref", ["a" * 129, "♠" * 129, "a\0", "a\nb", "\n", "\r", "\x7f", "\u0085"])
def test_what_is_no_reference_is_refused(platform: ApiClient, ref: str):
    for answer in (platform.get(at(ref)), put(platform, ref, "Ada"), erase(platform, ref)):
        assert (*told(answer), answer.body["parameter"]) == (400, "invalid_parameter", "ref")


def test_an_empty_reference_is_no_address(platform: ApiClient):
    assert told(platform.get("/v1/players/")) == (404, "route_not_found")
    assert told(platform.get("/v1/players")) == (404, "route_not_found")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, [("/name", "required")]),
        ({"name": True}, [("/name", "invalid_type")]),
        ({"name": 2.5}, [("/name", "invalid_type")]),
        ({"name": 10**40}, [("/name", "invalid_type")]),
        ({"name": ["Ada"]}, [("/name", "invalid_type")]),
        ({"name": ""}, [("/name", "out_of_range")]),
        ({"name": "a" * 65}, [("/name", "out_of_range")]),
        ({"name": "a\nb"}, [("/name", "invalid")]),
        ({"name": "a\0"}, [("/name", "invalid")]),
        ({"name": "Ada", "ref": "x"}, [("/ref", "unknown_field")]),
    ],
)
def test_a_name_of_the_wrong_shape_is_told_and_notes_nothing(
    platform: ApiClient, body: Json, expected: list[tuple[str, str]]
):
    answer = platform.request("PUT", at("plr-ada"), body)
    assert told(answer) == (422, "validation_failed")
    assert [(fault["pointer"], fault["code"]) for fault in answer.body["errors"]] == expected
    assert told(platform.get(at("plr-ada"))) == (404, "player_not_found")


def test_only_a_platform_has_players(place: Place):
    game = Game.of(place.client, "pairs")
    for client, expected in (
        (place.client, (401, "token_missing")),
        (place.client.bearing("spk_x"), (401, "token_invalid")),
        (game.seat("N"), (403, "scope_missing")),
    ):
        for answer in (client.get(at("x")), put(client, "x", "Ada"), erase(client, "x")):
            assert told(answer) == expected


def test_a_name_is_shown_in_every_seat_of_that_platforms_player(either: Place):
    owner, other = either.platform("Owner"), either.platform("Other")
    ada = {"player_ref": "plr-ada", "name": "Ada"}
    games = [game_with(owner, N=ada, S=ada), game_with(owner, E=ada, W={"name": "Ada"})]
    foreign, nobodys = game_with(other, N=ada), game_with(either.client, N=ada)
    heads = [owner.view(game.id).body["log_head"] for game in games]
    assert put(owner, "plr-ada", "Countess").body["games"] == 2
    nobody = dict.fromkeys("NESW")
    assert names(owner, games[0].id) == {**nobody, "N": "Countess", "S": "Countess"}
    assert names(either.client, games[1].id) == {**nobody, "E": "Countess", "W": "Ada"}
    assert profiles(owner, games[1].id)["E"] == {"name": "Countess", "player_ref": "plr-ada"}
    assert names(owner, foreign.id)["N"] == names(owner, nobodys.id)["N"] == "Ada"
    assert other.get(at("plr-ada")).body == {"ref": "plr-ada", "name": "Ada", "games": 1}
    assert [owner.view(game.id).body["log_head"] for game in games] == heads


def test_a_new_game_shows_the_name_noted_for_its_player(either: Place):
    owner, other = either.platform("Owner"), either.platform("Other")
    put(owner, "plr-ada", "Ada")
    put(owner, "plr-bo", None)
    players = {
        "N": {"player_ref": "plr-ada"},
        "E": {"player_ref": "plr-ada", "name": "Countess"},
        "S": {"player_ref": "plr-bo"},
        "W": {"player_ref": "plr-eve"},
    }
    game = game_with(owner, **players)
    expected = {"N": "Ada", "E": "Countess", "S": None, "W": None}
    assert names(owner, game.id) == expected
    assert profiles(owner, game.id)["N"] == {"name": "Ada", "player_ref": "plr-ada"}
    assert names(other, game_with(other, **players).id)["N"] is None
    assert names(either.client, game_with(either.client, **players).id)["N"] is None


def test_the_answer_to_a_creation_shows_the_noted_name_and_a_replay_the_present_one(either: Place):
    owner = either.platform()
    put(owner, "plr-ada", "Ada")
    body = {"ruleset": "pairs", "seats": {"N": {"player_ref": "plr-ada"}}}
    first = owner.create(body, key="k").body["game"]
    assert first["seats"][0]["name"] == "Ada"
    put(owner, "plr-ada", "Countess")
    again = owner.create(body, key="k")
    assert again.replayed
    assert (again.body["game"]["id"], again.body["game"]["seats"][0]["name"]) == (
        first["id"],
        "Countess",
    )


def open_game(platform: ApiClient, **south: Any) -> tuple[str, str]:
    """A game with an open seat, and its join code."""
    seats = {"N": {"kind": "human"}, "S": {"kind": "open", **south}}
    made = platform.create({"ruleset": "two-player", "seats": seats}).body
    return made["game"]["id"], made["join_codes"]["S"]


def test_a_claim_shows_the_name_noted_for_its_player(either: Place):
    owner = either.platform()
    put(owner, "plr-lin", "Lin")
    game_id, code = open_game(owner)
    for _ in range(2):
        claimed = either.client.claim(game_id, "S", code, player_ref="plr-lin")
        assert claimed.status == 200
        assert claimed.body["game"]["seats"][1]["name"] == "Lin"
    assert profiles(owner, game_id)["S"] == {"name": "Lin", "player_ref": "plr-lin"}
    put(owner, "plr-lin", "Linda")
    again = either.client.claim(game_id, "S", code, player_ref="plr-lin")
    assert (again.status, again.body["game"]["seats"][1]["name"]) == (200, "Linda")


def test_a_claim_with_a_name_of_its_own_shows_that(place: Place):
    owner = place.platform()
    put(owner, "plr-lin", "Lin")
    game_id, code = open_game(owner)
    place.client.claim(game_id, "S", code, player_ref="plr-lin", name="Linda")
    assert profiles(owner, game_id)["S"] == {"name": "Linda", "player_ref": "plr-lin"}


def test_a_reserved_seat_takes_no_other_players_name(place: Place):
    owner = place.platform()
    put(owner, "plr-ada", "Ada")
    game_id, code = open_game(owner, player_ref="plr-lin")
    claimed = place.client.claim(game_id, "S", code, player_ref="plr-ada")
    assert claimed.body["game"]["seats"][1]["name"] is None
    assert profiles(owner, game_id)["S"] == {"name": None, "player_ref": "plr-lin"}


def test_a_claim_on_its_way_brings_nobody_back(either: Place, monkeypatch: pytest.MonkeyPatch):
    owner = either.platform()
    game_id, code = open_game(owner, player_ref="plr-lin", name="Lin")
    append = either.store.append

    def erased_meanwhile(*args: Any, **kwargs: Any) -> bool:
        assert erase(owner, "plr-lin").status == 204
        return append(*args, **kwargs)

    monkeypatch.setattr(either.store, "append", erased_meanwhile)
    claimed = either.client.claim(game_id, "S", code)
    assert (claimed.status, claimed.body["game"]["seats"][1]["name"]) == (200, None)
    assert told(owner.get(at("plr-lin"))) == (404, "player_not_found")
    assert profiles(owner, game_id)["S"] == {"name": None, "player_ref": None}


@pytest.mark.parametrize(
    ("claim", "seated"),
    [
        ({}, {"name": "Bo", "player_ref": "plr-bo"}),
        ({"name": "Kim"}, {"name": "Kim", "player_ref": "plr-bo"}),
        ({"player_ref": "plr-ada"}, {"name": "Bo", "player_ref": "plr-bo"}),
    ],
)
def test_who_is_seated_while_a_claim_is_on_its_way_sits_there(
    either: Place, monkeypatch: pytest.MonkeyPatch, claim: Json, seated: Json
):
    owner = either.platform()
    put(owner, "plr-ada", "Ada")
    game_id, code = open_game(owner)
    append = either.store.append

    def seated_meanwhile(*args: Any, **kwargs: Any) -> bool:
        assert sit(owner, game_id, "S", player_ref="plr-bo", name="Bo").status == 200
        return append(*args, **kwargs)

    monkeypatch.setattr(either.store, "append", seated_meanwhile)
    claimed = either.client.claim(game_id, "S", code, **claim)
    assert claimed.body["game"]["seats"][1]["name"] == seated["name"]
    assert profiles(owner, game_id)["S"] == seated
    again = either.client.claim(game_id, "S", code, **claim)
    assert (again.status, again.body["token"]) == (200, claimed.body["token"])


def test_a_seats_player_may_be_told_at_any_time(either: Place):
    owner = either.platform()
    put(owner, "plr-ada", "Ada")
    game = game_with(owner, N={"name": "Somebody"})
    before = owner.all_events(game.id)
    ada = {"player_ref": "plr-ada", "name": "Ada"}
    answer = sit(owner, game.id, "N", player_ref="plr-ada")
    assert (answer.status, answer.body) == (200, ada)
    assert profiles(owner, game.id)["N"] == ada
    other = {"player_ref": "plr-ada", "name": "Countess"}
    assert sit(owner, game.id, "N", **other).body == other
    assert names(owner, game.id)["N"] == "Countess"
    nobody = {"player_ref": None, "name": None}
    assert sit(owner, game.id, "N", player_ref=None).body == nobody
    assert names(owner, game.id)["N"] is None
    assert owner.get(at("plr-ada")).body == {"ref": "plr-ada", "name": "Ada", "games": 0}
    assert owner.all_events(game.id) == before


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, [("/player_ref", "required")]),
        ({"player_ref": True}, [("/player_ref", "invalid_type")]),
        ({"player_ref": 2.5}, [("/player_ref", "invalid_type")]),
        ({"player_ref": ""}, [("/player_ref", "out_of_range")]),
        ({"player_ref": "a" * 129}, [("/player_ref", "out_of_range")]),
        ({"player_ref": "a\0"}, [("/player_ref", "invalid")]),
        ({"player_ref": None, "name": ""}, [("/name", "out_of_range")]),
        ({"player_ref": None, "name": 3}, [("/name", "invalid_type")]),
        ({"player_ref": None, "seat": "N"}, [("/seat", "unknown_field")]),
    ],
)
def test_a_player_of_the_wrong_shape_sits_nowhere(
    platform: ApiClient, body: Json, expected: list[tuple[str, str]]
):
    game = game_with(platform, N={"name": "Ada"})
    answer = sit(platform, game.id, "N", **body)
    assert told(answer) == (422, "validation_failed")
    assert [(fault["pointer"], fault["code"]) for fault in answer.body["errors"]] == expected
    assert names(platform, game.id)["N"] == "Ada"


def test_only_the_games_own_platform_tells_who_sits_there(place: Place):
    owner = place.platform()
    game, nobodys = game_with(owner), game_with(place.client)
    eve = {"player_ref": "plr-eve", "name": "Eve"}
    assert told(sit(place.client, game.id, "N", **eve)) == (401, "token_missing")
    assert told(sit(place.platform("Other"), game.id, "N", **eve)) == (403, "scope_missing")
    assert told(sit(game.seat("N"), game.id, "N", **eve)) == (403, "scope_missing")
    assert told(sit(owner, nobodys.id, "N", **eve)) == (403, "scope_missing")
    assert told(sit(owner, game.id, "Q", **eve)) == (400, "invalid_parameter")
    assert told(sit(owner, "x", "N", **eve)) == (404, "game_not_found")
    assert set(names(owner, game.id).values()) == {None}


def everything(platform: ApiClient, game_id: str) -> str:
    """All that can be read of a game and of its platform's games."""
    path = f"/v1/games/{game_id}"
    paths = ["/v1/games", path, *(f"{path}/{what}" for what in READABLE)]
    return "".join(platform.get(read).content.decode() for read in paths)


READABLE = ["events", "hands/1", "states/3", "audit", "export", "export?format=ptn"]


def test_an_erased_player_is_nowhere_and_the_log_as_it_was(either: Place):
    owner, other = either.platform("Owner"), either.platform("Other")
    put(owner, "plr-ada-33", "Ada Lovelace")
    put(other, "plr-ada-33", "Ada Byron")
    ada = {"player_ref": "plr-ada-33"}
    game, foreign = game_with(owner, N=ada, S=ada), game_with(other, N=ada)
    running = game_with(owner, W={"player_ref": "plr-ada-33", "name": "Countess"})
    game.play_until(lambda view: view["hand_number"] == 2)
    assert "Lovelace" in everything(owner, game.id)
    log, audit = owner.all_events(game.id), owner.get(f"/v1/games/{game.id}/audit").body
    for _ in range(2):
        assert erase(owner, "plr-ada-33").status == 204
        for game_id in (game.id, running.id):
            read = everything(owner, game_id)
            assert not any(name in read for name in ("plr-ada-33", "Lovelace", "Countess"))
    assert told(owner.get(at("plr-ada-33"))) == (404, "player_not_found")
    assert owner.all_events(game.id) == log
    assert owner.get(f"/v1/games/{game.id}/audit").body == audit
    assert names(other, foreign.id)["N"] == "Ada Byron"
    assert other.get(at("plr-ada-33")).body["name"] == "Ada Byron"
    assert names(owner, game_with(owner, N=ada).id)["N"] is None


def test_a_creation_sent_again_brings_no_erased_player_back(either: Place):
    owner = either.platform()
    seats = {"N": {"player_ref": "plr-ada", "name": "Ada"}}
    body = {"ruleset": "pairs", "seats": seats}
    game = owner.create(body, key="k").body["game"]
    erase(owner, "plr-ada")
    again = owner.create(body, key="k")
    assert again.replayed
    assert "Ada" not in again.content.decode()
    assert profiles(owner, game["id"])["N"] == {"name": None, "player_ref": None}


def test_no_log_line_names_a_player_or_a_token(
    platform: ApiClient, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("DEBUG")
    game = game_with(platform, N={"player_ref": "plr-ada-33", "name": "Lovelace"})
    put(platform, "plr-ada-33", "Lovelace")
    platform.get(at("plr-ada-33"))
    platform.get(at("plr-ada-33") + "?ref=plr-ada-33")
    sit(platform, game.id, "S", player_ref="plr-ada-33")
    viewer = platform.post(f"/v1/games/{game.id}/tokens", {"kind": "auditor"}).body["token"]
    seat = platform.post(f"/v1/games/{game.id}/seats/N/token").body["token"]
    platform.bearing(viewer).view(game.id)
    erase(platform, "plr-ada-33")
    assert "/v1/players/{ref}" in caplog.text
    for secret in ("plr-ada-33", "Lovelace", viewer, seat, platform.token):
        assert secret
        assert secret not in caplog.text


def test_a_player_nobody_knows_may_be_erased(platform: ApiClient):
    assert erase(platform, "plr-nobody").status == 204
