"""Whole games through a real server over a real database, each verified at its end.

`SPADES_GAMES` says how many random games of each ruleset are played; `make soak` plays 200.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from spades.game import fold, observe
from spades.game.audience import SPECTATOR
from spades.game.events import read_event
from tests.support.client import ApiClient
from tests.support.command import Service
from tests.support.online import SEATS, Online
from tests.support.verify import verify

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

GAMES = int(os.environ.get("SPADES_GAMES", "8"))
SEATINGS: list[dict[str, str]] = [
    {},
    {"S": "bot"},
    {"N": "open", "S": "open"},
    {"E": "bot", "S": "open", "W": "bot"},
]


def play_one(url: str, ruleset: str, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    chance = Random(seed)
    kinds = {s: k for s, k in chance.choice(SEATINGS).items() if s in SEATS[ruleset]}
    game = Online(ApiClient.at(url), chance).create(ruleset, options, kinds)
    view = game.play()
    check_log(game, view)
    return view


def check_log(game: Online, view: dict[str, Any]) -> None:
    events = game.client.all_events(game.game_id)
    assert verify(game.game_id, events) == []
    assert events[-1]["hash"] == view["log_head"]
    assert len(events) == view["version"]
    replayed = fold(read_event(event, opened(event["data"])) for event in events)
    assert replayed is not None
    told = game.client.view(game.game_id).body
    shown = observe(replayed, SPECTATOR)
    names = {"seats", "legal_actions"}
    assert {k: told[k] for k in shown.keys() - names} == {k: shown[k] for k in shown.keys() - names}


def opened(value: Any) -> Any:
    if isinstance(value, dict):
        if "commit" in value:
            return value["value"]
        return {key: opened(inner) for key, inner in value.items()}
    return value


@pytest.mark.parametrize("ruleset", SEATS)
def test_random_games_end_replay_and_verify(service: Service, ruleset: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        games = [
            pool.submit(play_one, service.url, ruleset, seed, {"max_hands": 3})
            for seed in range(GAMES)
        ]
        views = [game.result() for game in games]
    assert {view["status"] for view in views} == {"finished"}
    assert all(view["result"]["hands"] <= 3 for view in views)


@pytest.mark.parametrize("ruleset", SEATS)
def test_games_at_default_options_against_bots_end(service: Service, ruleset: str) -> None:
    bots = {seat: "bot" for seat in SEATS[ruleset] if seat != "N"}
    for seed in range(3 if GAMES >= 100 else 1):
        game = Online(ApiClient.at(service.url), Random(seed)).create(ruleset, None, bots)
        view = game.play()
        assert view["status"] == "finished"
        check_log(game, view)
