"""Many at once: the same move, rival moves, the same claim, the same creation."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from tests.support.client import Answer, ApiClient
from tests.support.command import Service, Spades
from tests.support.online import Online

pytestmark = pytest.mark.slow


def at_once(url: str, token: str, game_id: str, bodies: list[dict[str, object]]) -> list[Answer]:
    clients = [ApiClient.at(url).bearing(token) for _ in bodies]
    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(lambda client, body: client.act(game_id, body), clients, bodies))


def a_bid(service: Service) -> tuple[Online, str, int]:
    game = Online(ApiClient.at(service.url), Random(2)).create("pairs", {"max_hands": 1})
    view = game.view("N")
    return game, view["turn"]["seats"][0], view["version"]


def test_the_same_move_sent_eight_times_at_once_is_made_once(service: Service) -> None:
    """B-32."""
    game, seat, version = a_bid(service)
    body = {"type": "bid", "tricks": 3, "expected_version": version}
    answers = at_once(service.url, game.tokens[seat], game.game_id, [body] * 8)
    assert {answer.status for answer in answers} == {200}
    assert Counter(answer.replayed for answer in answers) == {False: 1, True: 7}
    assert len({answer.body["accepted"]["version"] for answer in answers}) == 1
    assert game.view(seat)["version"] == version + 1


def test_rival_moves_at_once_have_one_winner(service: Service) -> None:
    game, seat, version = a_bid(service)
    bodies: list[dict[str, object]] = [
        {"type": "bid", "tricks": tricks, "expected_version": version} for tricks in range(8)
    ]
    answers = at_once(service.url, game.tokens[seat], game.game_id, bodies)
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 7}
    lost = [answer for answer in answers if answer.status == 409]
    assert {answer.code for answer in lost} == {"version_conflict"}
    assert all(answer.body["view"]["version"] == version + 1 for answer in lost)


def test_blind_answers_of_all_seats_at_once_are_all_taken(service: Service) -> None:
    game = Online(ApiClient.at(service.url), Random(3)).create("partnership")
    version = game.view("N")["version"]
    body = {"type": "look", "expected_version": version}
    with ThreadPoolExecutor(4) as pool:
        clients = [ApiClient.at(service.url).bearing(game.tokens[seat]) for seat in "NESW"]
        answers = list(pool.map(lambda client: client.act(game.game_id, body), clients))
    assert [answer.status for answer in answers] == [200] * 4
    assert game.view("N")["phase"] == "bidding"


def test_an_open_seat_is_given_to_one_of_many(service: Service) -> None:
    client = ApiClient.at(service.url)
    created = client.create({"ruleset": "two-player", "seats": {"S": {"kind": "open"}}}).body
    game_id, code = created["game"]["id"], created["join_codes"]["S"]

    def claim(name: str) -> Answer:
        return ApiClient.at(service.url).claim(game_id, "S", code, name=name)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(claim, "ABCDEFGH"))
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 7}
    assert {answer.code for answer in answers if answer.status == 409} == {"seat_taken"}


def test_a_creation_sent_many_times_at_once_makes_one_game(spades: Spades) -> None:
    service = spades.serve()
    key = next(
        word for word in spades("keys", "create", "cup").stdout.split() if word.startswith("spk_")
    )

    def create(_: int) -> Answer:
        return ApiClient.at(service.url).bearing(key).create({"ruleset": "pairs"}, key="summer-1")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(create, range(8)))
    assert {answer.status for answer in answers} == {201}
    assert len({str(answer.body["tokens"]) for answer in answers}) == 1
    assert Counter(answer.replayed for answer in answers) == {False: 1, True: 7}
    client = ApiClient.at(service.url).bearing(key)
    assert len(client.get("/v1/games").body["items"]) == 1
    assert client.create({"ruleset": "two-player"}, key="summer-1").code == "idempotency_key_reused"
