"""`spades serve` from start to stop, and through violence."""

import os
import signal
import socket
import time
from contextlib import closing
from pathlib import Path

import pytest
import requests

from spades.store.embedded import OWNER, Embedded
from tests.support.command import Spades, wait_for

pytestmark = pytest.mark.slow


def new_game(url: str) -> tuple[str, str]:
    answer = requests.post(f"{url}/v1/games", json={"ruleset": "pairs"}, timeout=10)
    assert answer.status_code == 201, answer.text
    body = answer.json()
    return body["game"]["id"], body["tokens"]["N"]


def view(url: str, game: tuple[str, str]) -> requests.Response:
    game_id, token = game
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(f"{url}/v1/games/{game_id}", headers=headers, timeout=10)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_games_and_tokens_survive_a_restart(spades: Spades, number: int) -> None:
    first = spades.serve()
    game = new_game(first.url)
    before = view(first.url, game).json()
    code, said = first.stop(number)
    assert (code, said.splitlines()[-1]) == (0, "Stopped.")
    after = view(spades.serve().url, game).json()
    assert (after["version"], after["log_head"]) == (before["version"], before["log_head"])


def test_it_says_where_it_listens_and_no_secret(spades: Spades) -> None:
    service = spades.serve()
    assert requests.get(f"{service.url}/docs", timeout=10).status_code == 200
    said = service.stop(signal.SIGINT)[1]
    assert f"Documentation        {service.url}/docs" in said
    assert f"Data                 {spades.data_dir}" in said
    for name in ("secret.key", "signing.key"):
        assert (spades.data_dir / name).read_text().strip() not in said


def test_readiness_says_no_before_the_service_stops(spades: Spades) -> None:
    service = spades.serve()
    assert service.readiness() == 200
    service.process.send_signal(signal.SIGTERM)
    wait_for(lambda: service.readiness() == 503, seconds=1.0)
    assert service.process.wait(30) == 0
    assert service.readiness() is None


def test_nothing_runs_on_after_a_stop(spades: Spades) -> None:
    service = spades.serve()
    children = service.children()
    assert len(children) == 2
    service.stop(signal.SIGTERM)
    assert not any(Path("/proc", str(pid)).exists() for pid in children)


def test_a_killed_postgres_comes_back_while_the_service_goes_on(spades: Spades) -> None:
    service = spades.serve()
    game = new_game(service.url)
    old = spades.postgres
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: view(service.url, game).status_code == 200 and spades.postgres != old)
    assert service.process.poll() is None


def test_a_killed_supervisor_takes_all_along_and_the_next_one_recovers(spades: Spades) -> None:
    service = spades.serve()
    game = new_game(service.url)
    children = service.children()
    service.process.kill()
    service.process.wait()
    wait_for(lambda: not any(Path("/proc", str(pid)).exists() for pid in children))
    assert view(spades.serve().url, game).status_code == 200


def test_a_killed_gunicorn_ends_the_service_with_a_word(spades: Spades) -> None:
    service = spades.serve()
    (gunicorn,) = (pid for pid, words in service.children().items() if "gunicorn" in words)
    os.kill(gunicorn, signal.SIGKILL)
    assert service.process.wait(60) == 1


def test_a_second_service_on_the_same_data_is_refused(spades: Spades) -> None:
    spades.serve()
    refused = spades("serve")
    assert refused.returncode == 1
    assert "in use by another supervisor" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_port_in_use_is_refused_at_once(spades: Spades) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        spades.settings["SPADES_PORT"] = str(taken.getsockname()[1])
        begun = time.monotonic()
        refused = spades("serve")
    assert refused.returncode == 1
    assert refused.stderr.startswith("spades: Can't listen on 127.0.0.1 port")
    assert time.monotonic() - begun < 10
    assert not (spades.data_dir / "postgres").exists()


def test_an_address_of_another_machine_is_refused(spades: Spades) -> None:
    spades.settings["SPADES_HOST"] = "192.0.2.1"
    refused = spades("serve")
    assert refused.returncode == 1
    assert "Can't listen on 192.0.2.1" in refused.stderr


def test_an_own_database_needs_keys_and_an_answer(spades: Spades) -> None:
    spades.settings["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/spades"
    refused = spades("serve")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "SPADES_SECRET_KEYS is needed" in refused.stderr
    spades.settings["SPADES_SECRET_KEYS"] = "k" * 32
    assert "SPADES_SIGNING_KEYS is needed" in spades("serve").stderr
    spades.settings["SPADES_SIGNING_KEYS"] = "5e" * 32
    refused = spades("serve")
    assert refused.returncode == 1
    assert "The migrations failed" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_an_own_database_serves_those_who_have_a_key(spades: Spades) -> None:
    with Embedded(spades.data_dir.with_name("elsewhere")) as server:
        keys = {"SPADES_SECRET_KEYS": "k" * 32, "SPADES_SIGNING_KEYS": "5e" * 32}
        spades.settings |= {"DATABASE_URL": server.url(OWNER), **keys}
        url = spades.serve().url
        assert not (spades.data_dir / "postgres").exists()
        made = spades("keys", "create", "Summer Cup").stdout
        headers = {"Authorization": f"Bearer {made.split()[-1]}"}
        for given, status in (({}, 401), (headers, 201)):
            answer = requests.post(
                f"{url}/v1/games", json={"ruleset": "pairs"}, headers=given, timeout=10
            )
            assert answer.status_code == status
        retold = spades("replay", answer.json()["game"]["id"])
        assert retold.stdout.startswith("Game ")
        spades.served[0].stop(signal.SIGINT)
