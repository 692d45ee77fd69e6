"""Who may do what: platform keys, seat tokens, join codes, nobody."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime

import pytest

from spades.api.tokens import ANONYMOUS, SeatCaller, Tokens, caller_of
from spades.errors import TokenInvalid
from spades.game.seats import Seat
from spades.store import MemoryStore
from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient

GAME = "01940000-0000-7000-8000-000000000001"
OTHER = "01940000-0000-7000-8000-000000000002"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
OLD, NEW = b"an old secret key of 32 bytes....", b"a new secret key of 32 bytes....."


def noon() -> datetime:
    return NOON


def code_of(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def test_a_seat_token_says_whose_it_is():
    tokens = Tokens([NEW])
    token = tokens.seat_token(GAME, Seat.S)
    assert token.startswith("sps_")
    assert tokens.seat_of(token) == SeatCaller(GAME, Seat.S, 1)


def test_tokens_are_derived_and_differ():
    made = {Tokens([NEW]).seat_token(game, seat) for game in (GAME, OTHER) for seat in Seat}
    again = {Tokens([NEW]).seat_token(game, seat) for game in (GAME, OTHER) for seat in Seat}
    assert made == again
    assert len(made) == 8


def test_an_old_key_still_verifies_and_the_new_one_signs():
    old, both, new = Tokens([OLD]), Tokens([NEW, OLD]), Tokens([NEW])
    assert both.seat_of(old.seat_token(GAME, Seat.N)) == SeatCaller(GAME, Seat.N, 1)
    assert both.seat_token(GAME, Seat.N) == new.seat_token(GAME, Seat.N)
    assert both.opens(old.join_code(GAME, Seat.N), GAME, Seat.N)
    with pytest.raises(TokenInvalid):
        new.seat_of(old.seat_token(GAME, Seat.N))


@pytest.mark.parametrize("place", range(51))
def test_no_byte_of_a_token_can_be_changed(place: int):
    tokens = Tokens([NEW])
    raw = bytearray(urlsafe_b64decode(tokens.seat_token(GAME, Seat.S)[4:]))
    raw[place] ^= 1
    with pytest.raises(TokenInvalid):
        tokens.seat_of("sps_" + urlsafe_b64encode(raw).decode())


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        "sps_x",
        "Bearer sps_",
        "Bearer sps_" + "A" * 68,
        "Bearer sps_" + "A" * 69,
        "Bearer spk_unknown",
        "Bearer something",
        "Bearer spk_\u00e9",
        "Bearer " + "x" * 5000,
    ],
)
def test_what_is_no_token_is_invalid(header: str):
    with pytest.raises(TokenInvalid):
        caller_of(header, Tokens([NEW]), MemoryStore(), noon)


def test_no_header_is_nobody():
    assert caller_of(None, Tokens([NEW]), MemoryStore(), noon) is ANONYMOUS


def test_the_word_bearer_may_be_written_in_any_case():
    tokens = Tokens([NEW])
    header = f"bEARER {tokens.seat_token(GAME, Seat.N)}"
    assert caller_of(header, tokens, MemoryStore(), noon) == SeatCaller(GAME, Seat.N, 1)


def test_a_join_code_is_easy_to_read_out():
    tokens = Tokens([NEW])
    code = tokens.join_code(GAME, Seat.S)
    assert len(code) == 10
    assert set(code) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    assert tokens.opens(code.lower(), GAME, Seat.S)
    assert tokens.opens(code.replace("1", "l").replace("0", "o"), GAME, Seat.S)
    assert not tokens.opens(code, GAME, Seat.N)
    assert not tokens.opens(code, OTHER, Seat.S)
    assert not tokens.opens(code[:-1], GAME, Seat.S)
    assert not tokens.opens("\u0130" * 10, GAME, Seat.S)


def test_who_may_look(place: Place):
    game = Game.of(place.client, "pairs")
    other = Game.of(place.client, "pairs")
    assert game.view("S")["viewer"]["kind"] == "seat"
    assert place.client.view(game.id).body["viewer"]["kind"] == "spectator"
    assert place.platform().view(game.id).body["viewer"]["kind"] == "spectator"
    assert code_of(other.seat("S").view(game.id)) == (403, "wrong_game")
    assert code_of(place.client.bearing("sps_forged").view(game.id)) == (401, "token_invalid")


def test_who_may_look_at_a_private_game(place: Place):
    owner, stranger = place.platform("Owner"), place.platform("Stranger")
    game = Game.of(owner, "pairs", spectators="none")
    assert game.view("S")["viewer"]["kind"] == "seat"
    assert owner.view(game.id).body["viewer"]["kind"] == "platform"
    for path in ("", "/events", "/hands/1"):
        for client in (place.client, stranger):
            answer = client.get(f"/v1/games/{game.id}{path}")
            assert code_of(answer) == (403, "spectators_disabled")
        assert owner.get(f"/v1/games/{game.id}{path}").status == 200
        assert game.seat("W").get(f"/v1/games/{game.id}{path}").status == 200


def test_a_platform_sees_no_more_than_a_spectator(place: Place):
    owner = place.platform()
    game = Game.of(owner, "pairs")
    seen, watched = owner.view(game.id).body, place.client.view(game.id).body
    different = {key for key in seen if seen[key] != watched[key]}
    assert different <= {"viewer", "server_time"}
    assert owner.all_events(game.id) == place.client.all_events(game.id)


def test_who_may_act(place: Place):
    owner = place.platform()
    game, other = Game.of(owner, "pairs"), Game.of(owner, "pairs")
    seat, action = game.next_action()
    before = game.version
    assert code_of(place.client.act(game.id, action)) == (401, "token_missing")
    assert code_of(place.client.bearing("x").act(game.id, action)) == (401, "token_invalid")
    assert code_of(owner.act(game.id, action)) == (403, "not_a_seat")
    assert code_of(other.seat(seat).act(game.id, action)) == (403, "wrong_game")
    assert code_of(game.seat(seat).act("nonsense", action)) == (404, "game_not_found")
    assert game.version == before
    assert game.act(seat, action).status == 200


def test_who_calls_comes_before_what_was_sent(place: Place):
    game = Game.of(place.client, "pairs")
    path = f"/v1/games/{game.id}/actions"
    assert place.client.post(path, data=b"{").code == "token_missing"
    assert place.client.bearing("x").post(path, data=b"{").code == "token_invalid"


@pytest.mark.parametrize("open_create", [True, False])
def test_who_may_create(serve, open_create: bool):
    place = serve(open_create=open_create)
    body = {"ruleset": "pairs"}
    anonymous = place.client.create(body)
    expected = (201, None) if open_create else (401, "token_missing")
    assert code_of(anonymous) == expected
    owned = place.platform().create(body)
    assert owned.status == 201
    seat = place.client.bearing(owned.body["tokens"]["N"])
    assert code_of(seat.create(body)) == (403, "scope_missing")
    assert code_of(place.client.bearing("spk_x").create(body)) == (401, "token_invalid")


def test_who_may_list(place: Place):
    game = Game.of(place.client, "pairs")
    assert code_of(place.client.get("/v1/games")) == (401, "token_missing")
    assert code_of(game.seat("N").get("/v1/games")) == (403, "scope_missing")
    assert place.platform().get("/v1/games").body == {"items": [], "next": None}


def test_a_platform_keeps_its_games_when_it_changes_keys(place: Place):
    first = place.platform("Cup")
    game = first.create({"ruleset": "pairs"}, key="k").body["game"]
    second = place.platform("Cup", key="second")
    assert [item["id"] for item in second.get("/v1/games").body["items"]] == [game["id"]]
    assert second.create({"ruleset": "pairs"}, key="k").replayed
    assert second.view(game["id"]).body["viewer"]["kind"] == "platform"
    assert place.platform("Club").get("/v1/games").body["items"] == []


def test_a_missing_token_is_asked_for(place: Place):
    answer = place.client.get("/v1/games")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    answer = place.client.bearing("spk_x").get("/v1/games")
    assert answer.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


def test_a_revoked_key_opens_nothing(place: Place):
    platform = place.platform("Gone")
    assert platform.get("/v1/games").status == 200
    place.store.revoke_key("first of Gone", datetime.now(UTC))
    assert code_of(platform.get("/v1/games")) == (401, "token_revoked")
    assert code_of(platform.create({"ruleset": "pairs"})) == (401, "token_revoked")
    assert code_of(platform.get("/v1/me")) == (401, "token_revoked")


def test_me_says_whose_token_it_is(place: Place):
    game = Game.of(place.client, "pairs")
    nothing = {"name": None, "game": None, "seat": None}
    assert place.client.get("/v1/me").body == {
        **nothing,
        "kind": "anonymous",
        "may_create_games": True,
    }
    assert place.platform("Cup").get("/v1/me").body == {
        **nothing,
        "kind": "platform",
        "name": "Cup",
        "may_create_games": True,
    }
    assert game.seat("S").get("/v1/me").body == {
        **nothing,
        "kind": "seat",
        "game": game.id,
        "seat": "S",
        "may_create_games": False,
    }


def test_tokens_survive_a_restart(serve):
    first = serve()
    game = Game.of(first.client, "pairs")
    second = serve(store=first.store)
    client: ApiClient = second.client.bearing(game.tokens["N"])
    assert client.view(game.id).body["viewer"]["seat"] == "N"
