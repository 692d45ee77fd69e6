"""No card that a viewer may not see is in anything that the viewer, or a log, can get."""

import re
from random import Random
from typing import Any

import pytest

from spades.game import Game, fold
from spades.game.audience import SPECTATOR, seated
from spades.game.events import Event, read_event
from spades.game.position import Status
from spades.game.seats import Seat
from tests.e2e.test_whole_games import opened
from tests.support.client import Answer, ApiClient
from tests.support.command import Service
from tests.support.online import SEATS, Online
from tests.support.secrecy import visible_to

CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


def provoke(game: Online, seat: str) -> list[Answer]:
    """Everything that a seat may ask, right or wrong, in the position at hand."""
    client = game.seat(seat)
    version = client.view(game.game_id).body["version"]
    orders: list[dict[str, Any]] = [
        {"type": "play", "card": "AS"},
        {"type": "bid", "tricks": 99},
        {"type": "exchange", "cards": ["2C", "3C", "4C"]},
        {"type": "keep"},
        {"type": "look"},
    ]
    wrong = [
        client.act(game.game_id, {**order, "expected_version": version + 1}) for order in orders
    ]
    return [
        *wrong,
        client.act(game.game_id, {"type": "bid", "tricks": 99, "expected_version": version}),
        *look(client, game.game_id, version),
    ]


def look(client: ApiClient, game_id: str, version: int) -> list[Answer]:
    """Everything that may be read of a game that is at a version."""
    path = f"/v1/games/{game_id}"
    whats = ["audit", "export", "export?format=ptn", "states/1", f"states/{version}", "result"]
    return [
        client.view(game_id),
        client.events(game_id),
        client.hand(game_id, 1),
        *(client.get(f"{path}/{what}") for what in whats),
    ]


def text_of(answer: Answer) -> str:
    """All of an answer but its request id, which is random text."""
    text = answer.content.decode() + str(dict(answer.headers))
    return text.replace(answer.headers["X-Request-Id"], "")


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", SEATS)
def test_nothing_told_to_a_viewer_names_a_card_it_may_not_see(
    service: Service, ruleset: str
) -> None:
    chance = Random(6)
    options = {"max_hands": 1, "lose_at": None}
    game = Online(ApiClient.at(service.url), chance).create(ruleset, options)
    told: list[tuple[str, int, Answer]] = []
    while True:
        viewers = ["", *game.tokens]
        for viewer in viewers:
            if viewer:
                answers = provoke(game, viewer)
            else:
                version = game.client.view(game.game_id).body["version"]
                answers = look(game.client, game.game_id, version)
            version = game.client.view(game.game_id).body["version"]
            told += [(viewer, version, answer) for answer in answers]
        if game.play(moves=3)["status"] == "finished":
            break
    check_told(told, states_of(game))


def states_of(game: Online) -> list[Game]:
    events = [read_event(e, opened(e["data"])) for e in game.client.all_events(game.game_id)]
    states: list[Game] = []
    state: Game | None = None
    for event in events:
        state = after(state, event)
        states.append(state)
    return states


def after(state: Game | None, event: Event) -> Game:
    folded = fold([event], state)
    assert folded is not None
    return folded


def check_told(told: list[tuple[str, int, Answer]], states: list[Game]) -> None:
    checked = 0
    for viewer, version, answer in told:
        assert answer.status < 500
        state = states[version - 1]
        if state.status is not Status.ACTIVE:
            continue
        who = seated(Seat(viewer)) if viewer else SPECTATOR
        sent = {"AS", "2C", "3C", "4C"} if answer.status >= 400 else set()
        assert set(CARD.findall(text_of(answer))) <= visible_to(state, who) | sent
        checked += 1
    assert checked > 300


@pytest.mark.slow
def test_no_log_line_names_a_card_a_token_or_a_seed(service: Service) -> None:
    game = Online(ApiClient.at(service.url), Random(1)).create(
        "partnership", {"max_hands": 1}, {"E": "open"}
    )
    provoke(game, "E")
    game.client.request("GET", f"/v1/games/{game.game_id}?card=AS")
    game.play()
    seed = game.client.all_events(game.game_id)[-1]["data"]["game_seed"]
    text = service.log.read_text()
    database = (service.log.parent / "data" / "postgres" / "postgres.log").read_text()
    assert "route=/v1/games/{game_id}/actions" in text
    for line in (text + database).splitlines():
        assert not CARD.search(re.sub(r"request_id=\S+", "", line)), line
        assert seed not in line
        assert not any(token in line for token in game.tokens.values())
        assert "seed ♠" not in line
