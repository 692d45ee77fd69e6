"""Acting over HTTP: answers, replays, conflicts, refusals."""

import pytest

from spades.game.commands import PlayerKind
from tests.api.games import Game
from tests.support.client import ApiClient
from tests.support.verify import verify


def test_an_action_answers_with_the_events_and_the_view(client: ApiClient):
    created = client.create({"ruleset": "pairs", "dealer": "W"}).body
    seat, view = client.bearing(created["tokens"]["N"]), created["game"]
    assert view["turn"]["yours"]
    answer = seat.act(view["id"], view["legal_actions"][3])
    events = answer.body["events"]
    assert answer.status == 200
    assert answer.body["accepted"] == {"version": view["version"] + 1, "replayed": False}
    assert events[0]["version"] == view["version"] + 1
    assert {event["actor"] for event in events[1:]} == {"bot"}
    assert answer.body["view"]["version"] == events[-1]["version"]
    assert answer.etag == f'"{events[-1]["version"]}-N"'
    assert not answer.replayed


def test_every_legal_action_of_a_phase_can_be_sent_back_as_it_is(client: ApiClient):
    game = Game.of(client, "pairs")
    for action in game.view(game.turn)["legal_actions"]:
        other = Game.of(client, "pairs")
        assert other.act(other.turn, action).status == 200


PHASES = [
    ("two-player", "blind", None),
    ("two-player", "draft", "look"),
    ("two-player", "bidding", "look"),
    ("two-player", "exchange", "bid_double_nil"),
    ("two-player", "play", "look"),
    ("partnership", "blind", None),
    ("partnership", "bidding", "look"),
    ("partnership", "exchange", "bid_double_nil"),
    ("partnership", "play", "look"),
]


@pytest.mark.parametrize(("ruleset", "phase", "prefer"), PHASES)
def test_a_lost_answer_repeated_gives_the_same_result(
    client: ApiClient, ruleset: str, phase: str, prefer: str | None
):
    game = Game.of(client, ruleset)
    game.play_to(phase, prefer)
    seat, action = game.next_action()
    first = game.act(seat, action)
    again = game.act(seat, action)
    assert (first.status, again.status) == (200, 200)
    assert again.replayed
    assert again.body["accepted"] == {**first.body["accepted"], "replayed": True}
    assert again.body["events"] == first.body["events"]
    assert again.body["view"]["version"] == first.body["view"]["version"]


def test_a_lost_answer_is_found_again_hands_later(client: ApiClient):
    game = Game.of(client, "pairs")
    seat, action = game.next_action()
    first = game.act(seat, action)
    game.play_until(lambda view: view["hand_number"] == 2)
    again = game.act(seat, action)
    assert again.replayed
    assert again.body["accepted"]["version"] == first.body["accepted"]["version"]
    assert again.body["events"][0]["hash"] == first.body["events"][0]["hash"]
    assert again.body["events"][-1]["version"] == game.version


@pytest.mark.parametrize("ruleset", ["two-player", "partnership"])
def test_those_who_act_at_the_same_time_may_name_the_same_version(client: ApiClient, ruleset: str):
    game = Game.of(client, ruleset)
    version = game.version
    for seat in game.tokens:
        answer = game.act(seat, {"type": "look", "expected_version": version})
        assert answer.status == 200
        assert not answer.replayed


def test_partners_may_swap_at_the_same_version(client: ApiClient):
    game = Game.of(client, "partnership", seed=4)
    view = game.play_to("exchange", "bid_double_nil")
    for seat in view["exchange"]["owed_by"]:
        hand = [held["card"] for held in game.view(seat)["hand"]]
        body = {"type": "exchange", "cards": hand[:3], "expected_version": view["version"]}
        assert game.act(seat, body).status == 200


def test_another_action_at_an_old_version_conflicts_and_brings_the_view(client: ApiClient):
    game = Game.of(client, "pairs")
    seat, action = game.next_action()
    game.act(seat, action)
    other = {**action, "tricks": (action["tricks"] + 1) % 14}
    conflict = game.act(seat, other)
    assert (conflict.status, conflict.code) == (409, "version_conflict")
    view = conflict.body["view"]
    fresh = game.view(seat)
    assert {**view, "server_time": None} == {**fresh, "server_time": None}


def test_a_version_of_the_future_conflicts(client: ApiClient):
    game = Game.of(client, "pairs")
    seat, action = game.next_action()
    late = game.act(seat, {**action, "expected_version": 2**53 - 1})
    assert late.code == "version_conflict"


def test_the_wrong_seat_is_told_whose_turn_it_is(client: ApiClient):
    game = Game.of(client, "pairs")
    seat, action = game.next_action()
    other = next(name for name in game.tokens if name != seat)
    refused = game.act(other, action)
    assert (refused.status, refused.code) == (409, "not_your_turn")
    assert refused.body["seats"] == [seat]
    assert refused.body["legal_actions"] == []


def test_the_wrong_phase_is_named(client: ApiClient):
    game = Game.of(client, "pairs")
    seat = game.turn
    card = game.view(seat)["hand"][0]["card"]
    body = {"type": "play", "card": card, "expected_version": game.version}
    refused = game.act(seat, body)
    assert (refused.status, refused.code) == (409, "wrong_phase")
    assert refused.body["phase"] == "bidding"
    assert len(refused.body["legal_actions"]) == 14


def test_a_game_with_an_open_seat_has_not_started(client: ApiClient):
    body = {"ruleset": "two-player", "seats": {"S": {"kind": PlayerKind.OPEN}}}
    created = client.create(body).body
    north = client.bearing(created["tokens"]["N"])
    refused = north.act(created["game"]["id"], {"type": "look", "expected_version": 1})
    assert (refused.status, refused.code) == (409, "game_not_started")


def test_a_finished_game_is_over_and_verifies(client: ApiClient):
    game = Game.of(client, "pairs", options={"max_hands": 1})
    view = game.play_until(lambda view: view["status"] == "finished")
    assert view["result"]["reason"] == "max_hands"
    body = {"type": "bid", "tricks": 3, "expected_version": view["version"]}
    refused = game.act("N", body)
    assert (refused.status, refused.code) == (409, "game_over")
    assert refused.body["legal_actions"] == []
    assert verify(game.id, game.client.all_events(game.id)) == []


def bid(tricks: int) -> dict[str, object]:
    return {"type": "bid", "tricks": tricks}


@pytest.mark.parametrize(
    ("options", "action", "code"),
    [
        ({}, bid(14), "bid_out_of_range"),
        ({}, bid(-1), "bid_out_of_range"),
        ({}, bid(2**53 - 1), "bid_out_of_range"),
        ({"nil": None}, bid(0), "nil_not_offered"),
        ({}, {"type": "bid_double_nil"}, "double_nil_not_offered"),
    ],
)
def test_a_bid_against_the_rules_has_its_own_code(
    client: ApiClient, options: dict[str, object], action: dict[str, object], code: str
):
    game = Game.of(client, "pairs", options=options)
    seat, version = game.turn, game.version
    refused = game.act(seat, {**action, "expected_version": version})
    assert (refused.status, refused.code) == (422, code)
    assert refused.body["legal_actions"] == game.view(seat)["legal_actions"]
    assert game.version == version


def test_a_card_against_the_rules_has_its_own_code(client: ApiClient):
    game, met = Game.of(client, "pairs"), set()
    for _ in range(400):
        view = game.client.view(game.id).body
        seat = view["turn"]["seats"][0]
        own = game.view(seat)
        blocked = {h["blocked_by"]: h["card"] for h in own["hand"] if not h["playable"]}
        for rule in blocked.keys() & {"must_follow_suit", "spades_not_broken"}:
            refused = game.act(
                seat,
                {"type": "play", "card": blocked[rule], "expected_version": view["version"]},
            )
            assert (refused.status, refused.code) == (422, rule)
            assert refused.body["legal_actions"] == own["legal_actions"]
            met.add(rule)
        if met == {"must_follow_suit", "spades_not_broken"}:
            break
        game.act(*game.next_action())
    assert met == {"must_follow_suit", "spades_not_broken"}


def test_a_card_not_held_can_not_be_played(client: ApiClient):
    game = Game.of(client, "pairs")
    game.play_to("play")
    seat = game.turn
    other = next(name for name in game.tokens if name != seat)
    card = game.view(other)["hand"][0]["card"]
    body = {"type": "play", "card": card, "expected_version": game.version}
    assert game.act(seat, body).code == "card_not_held"


@pytest.mark.parametrize(
    ("take", "code"),
    [
        (lambda hand: hand[:2], "exchange_count"),
        (lambda hand: hand[:4], "exchange_count"),
        (lambda hand: [], "exchange_count"),
        (lambda hand: [hand[0], hand[0], hand[1]], "exchange_duplicate"),
    ],
)
def test_an_exchange_against_the_rules_has_its_own_code(client: ApiClient, take, code: str):
    game = Game.of(client, "partnership")
    view = game.play_to("exchange", "bid_double_nil")
    seat = view["exchange"]["owed_by"][0]
    hand = [held["card"] for held in game.view(seat)["hand"]]
    body = {"type": "exchange", "cards": take(hand), "expected_version": view["version"]}
    refused = game.act(seat, body)
    assert (refused.status, refused.code) == (422, code)
    assert refused.body["legal_actions"][0]["choose"]["min"] == 3
