"""Games can be checked by anybody, with the service gone, and against the service itself."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from signal import SIGINT
from typing import Any

import psycopg
import pytest
import requests
import rfc8785

from spades.store.embedded import Embedded
from spades.store.embedded.server import SUPERUSER
from tests.support.client import ApiClient
from tests.support.command import Service, Spades
from tests.support.online import SEATS, Online

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

VERIFIER = Path(__file__).parents[2] / "docs" / "verifier" / "verify.mjs"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed here")


@dataclass
class Club:
    """A platform on a running service, with a folder to keep files in."""

    spades: Spades
    service: Service
    client: ApiClient
    key: str
    folder: Path

    def game(self, ruleset: str, moves: int = 1_000_000, **options: Any) -> Online:
        """A game between the north and bots, played by the north at random."""
        kinds = {seat: "bot" for seat in SEATS[ruleset] if seat != "N"}
        online = Online(self.client.bearing(self.key), Random(4))
        online.create(ruleset, {"max_hands": 1, **options}, kinds).play(moves)
        return online

    def text(self, path: str, token: str | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {token or self.key}"}
        answer = requests.get(self.service.url + path, headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.content

    def keep(self, name: str, path: str, token: str | None = None) -> str:
        """Keeps an answer in a file and returns the file's name."""
        file = self.folder / name
        file.write_bytes(self.text(path, token))
        return str(file)

    def checkpoint(self, name: str) -> tuple[str, int]:
        """Makes a checkpoint and keeps it; returns its file and its size."""
        answer = self.client.bearing(self.key).post("/v1/checkpoints")
        file = self.folder / name
        file.write_bytes(answer.content)
        return str(file), answer.body["tree_size"]


@pytest.fixture
def club(spades: Spades, tmp_path: Path) -> Club:
    service = spades.serve()
    key = spades("keys", "create", "Summer Cup").stdout.split()[-1]
    return Club(spades, service, ApiClient.at(service.url), key, tmp_path)


def javascript(*words: str) -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    command = [NODE, str(VERIFIER), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_finished_games_verify_when_everything_has_stopped(club: Club) -> None:
    files = []
    for ruleset in SEATS:
        path = f"/v1/games/{club.game(ruleset).game_id}"
        files.append(club.keep(f"{ruleset}.ndjson", f"{path}/export"))
        files.append(club.keep(f"{ruleset}.jws", f"{path}/result?format=jws"))
        checkpoint, size = club.checkpoint(f"{ruleset}-checkpoint.json")
        inclusion = club.keep(f"{ruleset}-inclusion.json", f"{path}/inclusion?tree_size={size}")
        files += [checkpoint, inclusion]
    files.append(
        club.keep("consistency.json", "/v1/checkpoints/consistency?first_size=1&second_size=3")
    )
    jwks = club.keep("jwks.json", "/.well-known/jwks.json")
    assert club.service.stop(SIGINT)[0] == 0

    told = club.spades("verify", *files, "--jwks", jwks)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.endswith("Nothing is wrong.\n")
    assert told.stdout.count("bots passed") == len(SEATS)
    if NODE:
        again = javascript(*files, "--jwks", jwks)
        assert again.returncode == 0, again.stdout + again.stderr
    for ruleset in SEATS:
        _fails_when_a_byte_is_changed(club, ruleset)


def _fails_when_a_byte_is_changed(club: Club, ruleset: str) -> None:
    lines = (club.folder / f"{ruleset}.ndjson").read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if b'"card_played"' in line)
    version = json.loads(lines[place])["version"]
    lines[place] = lines[place].replace(b'"card_played"', b'"card_plaved"')
    changed = club.folder / f"{ruleset}-changed.ndjson"
    changed.write_bytes(b"".join(lines))
    told = club.spades("verify", str(changed))
    assert told.returncode == 1
    assert f"event {version}" in told.stdout
    if NODE:
        again = javascript(str(changed))
        assert again.returncode == 1
        assert f"event {version}" in again.stdout


def test_a_seat_a_spectator_and_an_auditor_export_the_same_chain(club: Club) -> None:
    for ruleset in SEATS:
        game = club.game(ruleset, moves=12, max_hands=5)
        path = f"/v1/games/{game.game_id}"
        issued = club.client.bearing(club.key).post(f"{path}/tokens", {"kind": "auditor"})
        exports = {
            "seat": club.text(f"{path}/export", game.tokens["N"]),
            "spectator": requests.get(club.service.url + f"{path}/export", timeout=30).content,
            "auditor": club.text(f"{path}/export", issued.body["token"]),
        }
        logs = {
            who: [json.loads(line) for line in raw.splitlines()] for who, raw in exports.items()
        }
        chains = {who: [event.get("hash") for event in log] for who, log in logs.items()}
        assert chains["seat"] == chains["spectator"] == chains["auditor"]
        closed = {who: [_closed(event) for event in log[1:]] for who, log in logs.items()}
        assert closed["seat"] == closed["spectator"] == closed["auditor"]
        assert logs["spectator"][1:] == logs["auditor"][1:]
        assert exports["spectator"].count(b'"salt"') < exports["seat"].count(b'"salt"')


def _closed(value: Any) -> Any:
    """An event as it is hashed: no opening, and nothing that lists openings."""
    if isinstance(value, dict):
        if "commit" in value:
            return {"commit": value["commit"]}
        return {key: _closed(inner) for key, inner in value.items() if key != "opens"}
    return value


def test_a_superuser_who_rewrites_a_game_is_caught_by_a_kept_checkpoint(club: Club) -> None:
    game = club.game("pairs")
    path = f"/v1/games/{game.game_id}"
    kept, size = club.checkpoint("kept.json")
    audit = club.client.bearing(club.key).get(f"{path}/audit").body
    assert audit["divergences"] == []
    before = club.keep("before.ndjson", f"{path}/export")
    with psycopg.connect(Embedded(club.spades.data_dir / "postgres").url(SUPERUSER)) as superuser:
        rewrite(superuser, game.game_id)
        superuser.commit()
        told = club.client.bearing(club.key).get(f"{path}/audit").body["divergences"]
        assert [(found["check"], found["version"]) for found in told] == [
            ("chain", audit["version"])
        ]
        rewrite_list(superuser, game.game_id)
    after = club.keep("after.ndjson", f"{path}/export")
    proof = club.keep("proof.json", f"{path}/inclusion?tree_size={size}")

    assert club.client.bearing(club.key).get(f"{path}/audit").body["divergences"] == []
    assert club.spades("verify", after).returncode == 0
    for files in ((after, kept, proof), (after, before)):
        told = club.spades("verify", *files)
        assert told.returncode == 1, told.stdout
        if NODE:
            assert javascript(*files).returncode == 1


def rewrite(superuser: psycopg.Connection[Any], game_id: str) -> None:
    """Lets the game have begun years earlier, and makes the chain and the head good again."""
    superuser.execute("set session_replication_role = replica")
    rows = superuser.execute(
        "select version, public from events where game_id = %s order by version", (game_id,)
    ).fetchall()
    head = sha256(b"spades/log/v1/genesis\0" + game_id.encode()).digest()
    for version, public in rows:
        if version == 1:
            public["at"] = "2020-01-01T00:00:00.000Z"
        digest = sha256(rfc8785.dumps(public)).digest()
        head = sha256(b"spades/log/v1/event\0" + head + digest).digest()
        superuser.execute(
            "update events set public = %s, hash = %s where game_id = %s and version = %s",
            (json.dumps(public), head, game_id, version),
        )
    superuser.execute("update games set head = %s where game_id = %s", (head, game_id))


def rewrite_list(superuser: psycopg.Connection[Any], game_id: str) -> None:
    """Makes good the list that checkpoints are made from, as well as the log."""
    superuser.execute(
        "update checkpoint_entries e set head = g.head from games g"
        " where e.game_id = g.game_id and g.game_id = %s",
        (game_id,),
    )


def test_every_game_of_a_database_is_checked_and_exported(club: Club) -> None:
    games = [club.game(ruleset) for ruleset in SEATS]
    assert club.service.stop(SIGINT)[0] == 0
    told = club.spades("replay", "--check")
    assert (told.returncode, told.stdout) == (0, "3 games checked, 0 diverge.\n")

    first = club.spades("export", "--finished")
    assert first.returncode == 0, first.stderr
    headers = [json.loads(line) for line in first.stdout.splitlines() if '"format"' in line[:20]]
    assert [header["game_id"] for header in headers] == [game.game_id for game in games]
    cursor = first.stderr.split()[-1]
    again = club.spades("export", "--finished", "--after", cursor)
    assert (again.stdout, again.stderr.split()[-1]) == ("", cursor)
    alone = club.spades("export", games[0].game_id)
    assert first.stdout.startswith(alone.stdout)
    text = club.spades("export", games[0].game_id, "--format", "ptn")
    assert "two-player" in text.stdout

    checkpoint = json.loads(club.spades("checkpoint").stdout)
    assert checkpoint["tree_size"] == 3
    assert json.loads(club.spades("checkpoint").stdout) == checkpoint


def test_games_that_diverge_are_told_and_set_aside(club: Club) -> None:
    """One that can't even be read does not keep the others from being checked."""
    unreadable, game = club.game("two-player", moves=3), club.game("pairs", moves=3)
    odd, deep = club.game("pairs", moves=3), club.game("partnership", moves=1)
    before = game.view("N")
    url = Embedded(club.spades.data_dir / "postgres").url(SUPERUSER)
    with psycopg.connect(url) as superuser:
        superuser.execute("set session_replication_role = replica")
        change(superuser, game.game_id, "bid_made", "'{data,tricks}', '13'")
        change(superuser, odd.game_id, "hand_started", "'{data,number}', '1099511627776'")
        change(superuser, unreadable.game_id, "hand_started", "'{type}', '7'")
        nested = "'[' || repeat('[', 3000) || repeat(']', 3000) || ']'"
        change(superuser, deep.game_id, "hand_started", f"'{{data,dealer}}', ({nested})::jsonb")
    told = club.spades("replay", "--check")
    assert (told.returncode, told.stderr) == (1, "")
    assert f"{game.game_id}: event 3: chain" in told.stdout
    for other in (unreadable, odd, deep):
        assert f"{other.game_id}: " in told.stdout
    assert told.stdout.endswith("4 games checked, 4 diverge.\n")

    assert before["legal_actions"]
    refused = game.seat("N").act(game.game_id, before["legal_actions"][0])
    assert (refused.status, refused.code) == (409, "game_quarantined")
    view = game.view("N")
    assert (view["version"], view["quarantined"]) == (before["version"], True)
    assert view["legal_actions"] == []
    for other in (odd, unreadable):
        assert other.seat("N").get(f"/v1/games/{other.game_id}/audit").status == 200
    assert deep.seat("N").get(f"/v1/games/{deep.game_id}/export").code == "damaged_log"


def change(superuser: psycopg.Connection[Any], game_id: str, kind: str, values: str) -> None:
    """Changes the first event of a type behind everybody's back."""
    superuser.execute(
        f"update events set public = jsonb_set(public, {values})"
        " where game_id = %s and version = (select min(version) from events"
        " where game_id = %s and type = %s)",
        (game_id, game_id, kind),
    )
