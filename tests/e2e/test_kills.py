"""Nothing acknowledged is lost, whatever is killed in mid-game."""

import os
import signal
import socket
import time
from random import Random
from typing import Any

import pytest
import requests

from tests.support.client import Answer, ApiClient
from tests.support.command import Service, Spades, wait_for
from tests.support.house import chosen
from tests.support.online import Online
from tests.support.verify import verify

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def insist(client: ApiClient, game_id: str, action: dict[str, Any]) -> Answer:
    """Sends an action again and again until the service has an answer to it."""
    for _ in range(300):
        try:
            answer = client.act(game_id, action)
        except requests.RequestException:
            time.sleep(0.1)
            continue
        if answer.status < 500:
            return answer
        assert answer.status == 503
        assert answer.body["retryable"]
        time.sleep(0.1)
    pytest.fail("the service did not come back")


def play_through(service: Service, game: Online, kill: Any, every: int, most: int) -> int:
    """Plays to the end with something killed now and then; returns how often that was."""
    kills, acknowledged = 0, {}
    view, moves = game.view("N"), 0
    while view["status"] == "active":
        moves += 1
        action = chosen(view, game.chance)
        if kills < most and moves % every == 0:
            kill()
            kills += 1
        answer = insist(game.seat("N"), game.game_id, action)
        assert answer.status == 200, answer.body
        acknowledged.update({e["version"]: e["hash"] for e in answer.body["events"]})
        view = answer.body["view"]
    events = game.client.all_events(game.game_id)
    assert {e["version"]: e["hash"] for e in events if e["version"] in acknowledged} == acknowledged
    assert verify(game.game_id, events) == []
    return kills


def test_postgres_is_killed_in_mid_game_and_the_game_goes_on(spades: Spades) -> None:
    service = spades.serve()
    game = Online(ApiClient.at(service.url), Random(1)).create(
        "pairs", {"max_hands": 3, "lose_at": None}, {"E": "bot", "S": "bot", "W": "bot"}
    )

    def kill() -> None:
        os.kill(spades.postgres, signal.SIGKILL)

    assert play_through(service, game, kill, every=9, most=3) == 3


def test_the_whole_service_is_killed_in_mid_game_and_the_game_goes_on(spades: Spades) -> None:
    spades.settings["SPADES_PORT"] = str(free_port())
    service = spades.serve()
    game = Online(ApiClient.at(service.url), Random(2)).create(
        "two-player", {"max_hands": 2}, {"S": "bot"}
    )

    def kill() -> None:
        spades.served[-1].process.kill()
        spades.served[-1].process.wait()
        children = service.children
        wait_for(lambda: not children())
        spades.serve()

    assert play_through(service, game, kill, every=25, most=2) == 2


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
