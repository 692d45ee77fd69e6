"""What anybody may check of a game: its states, audits, exports and signed results."""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any

import jwt
import pytest
import rfc8785

from spades.audit.auditing import audited_export
from spades.audit.exports import read_exports
from spades.audit.findings import Check
from spades.bots import VERSIONS
from spades.game import notation
from spades.game.audience import AUDITOR, PLATFORM, SPECTATOR, Viewer, seated
from spades.game.rulesets import RULESETS
from spades.game.seats import Seat
from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient
from tests.support.secrecy import cards_in, visible_to
from tests.support.verify import verify

Json = dict[str, Any]
SHORT = {"max_hands": 1, "lose_at": None}
PTN = "export?format=ptn"
ALL_PASSED = [{"check": check, "verdict": "passed"} for check in Check]


def told(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def read(client: ApiClient, game_id: str, what: str, **headers: str) -> Answer:
    return client.get(f"/v1/games/{game_id}/{what}", headers=headers)


class Watched:
    """A game that only its own may watch, with a client for every viewer."""

    def __init__(self, place: Place, ruleset: str, **body: Any) -> None:
        self.place, self.owner = place, place.platform()
        self.game = Game.of(self.owner, ruleset, **{"spectators": "none", **body})
        self.id = self.game.id
        self.clients: dict[Viewer, ApiClient] = {
            PLATFORM: self.owner,
            SPECTATOR: self._passed("spectator"),
            AUDITOR: self._passed("auditor"),
            **{seated(Seat(seat)): self.game.seat(seat) for seat in self.game.tokens},
        }

    def _passed(self, kind: str) -> ApiClient:
        issued = self.owner.post(f"/v1/games/{self.id}/tokens", {"kind": kind})
        return self.owner.bearing(issued.body["token"])

    def steps(self, moves: int = 1) -> Iterator[Json]:
        """Plays on to the end; yields what the platform sees every so many moves."""
        view = self.owner.view(self.id).body
        while view["status"] != "finished":
            yield view
            for _ in range(moves):
                if view["status"] != "finished":
                    self.game.act(*self.game.next_action("bid_double_nil"))
                    view = self.owner.view(self.id).body
        yield view

    def finish(self) -> Json:
        *_, last = self.steps()
        return last


def timeless(view: Json) -> Json:
    return {key: value for key, value in view.items() if key != "server_time"}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_state_is_what_its_viewer_saw_then(place: Place, ruleset: str):
    watched = Watched(place, ruleset, options=SHORT)
    seen = {
        (view["version"], viewer): client.view(watched.id)
        for view in watched.steps()
        for viewer, client in watched.clients.items()
    }
    steps = place.tables.whole(watched.id).ledger.since(0)
    assert max(version for version, _ in seen) == len(steps)
    for version, step in enumerate(steps, 1):
        for viewer, client in watched.clients.items():
            answer = read(client, watched.id, f"states/{version}")
            assert answer.status == 200, answer.body
            assert answer.body["version"] == version
            assert answer.body["log_head"] == step.record.hash
            if step.game.result is None:
                assert cards_in(answer.body) <= visible_to(step.game, viewer)
            if then := seen.get((version, viewer)):
                assert timeless(answer.body) == timeless(then.body)


def test_a_state_shows_the_names_of_today(platform: ApiClient):
    game = Game.of(platform, "pairs")
    game.act(*game.next_action())
    ada = {"player_ref": "plr-ada", "name": "Ada"}
    platform.request("PUT", f"/v1/games/{game.id}/seats/N/player", ada)
    assert read(platform, game.id, "states/1").body["seats"][0]["name"] == "Ada"


def test_states_are_there_up_to_the_present_one(either: Place):
    game = Game.of(either.client, "pairs")
    for _ in range(3):
        game.act(*game.next_action())
    assert read(either.client, game.id, "states/5").status == 200
    for version in (6, 2**31 - 1):
        answer = read(either.client, game.id, f"states/{version}")
        assert told(answer) == (404, "version_not_found")


@pytest.mark.parametrize("version", ["0", "-1", "x", "1.0", "%201", "%D9%A3", "2147483648"])
def test_what_is_no_version_is_refused(client: ApiClient, version: str):
    game = Game.of(client, "pairs")
    answer = read(client, game.id, f"states/{version}")
    assert (*told(answer), answer.body["parameter"]) == (400, "invalid_parameter", "version")


@pytest.mark.parametrize("what", ["states/1", "audit", "export", PTN, "result", "inclusion"])
def test_who_may_not_look_may_not_check(place: Place, what: str):
    owner = place.platform("Owner")
    game, other = Game.of(owner, "pairs", spectators="none"), Game.of(owner, "pairs")
    for client in (place.client, place.platform("Stranger")):
        assert told(read(client, game.id, what)) == (403, "spectators_disabled")
    assert told(read(other.seat("N"), game.id, what)) == (403, "wrong_game")
    assert told(read(owner.bearing("sps_x"), game.id, what)) == (401, "token_invalid")
    for nothing in ("x", "01940000-0000-7000-8000-0000000000ff"):
        assert told(read(owner, nothing, what)) == (404, "game_not_found")


def opened(events: list[Json]) -> dict[tuple[int, str], Json]:
    """The leaves in served events by place, with salt and value where they are opened."""
    return {
        (event["version"], pointer): leaf
        for event in events
        for pointer, leaf in leaves(event["data"], "/data")
    }


def leaves(value: Any, pointer: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict) and "commit" in value:
        yield pointer, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{pointer}/{key}")


def commitment(leaf: Json) -> str:
    """A leaf's commitment by `docs/log-format.md`."""
    salt = bytes.fromhex(leaf["salt"])
    return sha256(b"spades/log/v1/leaf\0" + salt + rfc8785.dumps(leaf["value"])).hexdigest()


def check_audit(watched: Watched, viewer: Viewer, audit: Json) -> None:
    events = watched.clients[viewer].all_events(watched.id)
    last, is_over = events[-1], events[-1]["type"] == "game_finished"
    assert (audit["version"], audit["log_head"]) == (last["version"], last["hash"])
    assert audit["checks"] == ALL_PASSED
    assert (audit["divergences"], audit["quarantined"]) == ([], False)
    assert audit["game_commit"] == events[0]["data"]["game_commit"]
    assert audit["game_seed"] == (last["data"]["game_seed"] if is_over else None)
    told_leaves = {(leaf["version"], leaf["pointer"]): leaf for leaf in audit["leaves"]}
    served = opened(events)
    assert list(told_leaves) == list(served)
    for place, leaf in served.items():
        shown = {key: told_leaves[place][key] for key in ("commit", "salt", "value")}
        assert shown == {"salt": None, "value": None, **leaf}
        if shown["salt"]:
            assert commitment(shown) == shown["commit"]
    scored = [event["data"] for event in events if event["type"] == "hand_scored"]
    started = [event for event in events if event["type"] == "hand_started"]
    seeds = {score["number"]: score["hand_seed"] for score in scored}
    assert audit["hands"] == [
        {
            "number": event["data"]["number"],
            "version": event["version"],
            "hand_commit": event["data"]["hand_commit"],
            "hand_seed": seeds.get(event["data"]["number"]),
            "verdict": "passed",
        }
        for event in started
    ]
    hidden = [leaf for leaf in audit["leaves"] if leaf["value"] is None]
    if is_over:
        assert not hidden
    elif viewer.seat is None:
        running = started[-1]["version"]
        assert {leaf["version"] for leaf in audit["leaves"] if leaf["value"]} <= set(range(running))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_fair_game_passes_every_check_at_any_time_for_everybody(place: Place, ruleset: str):
    watched = Watched(place, ruleset, options={"max_hands": 2, "lose_at": None})
    for _ in watched.steps(moves=23):
        for viewer, client in watched.clients.items():
            check_audit(watched, viewer, read(client, watched.id, "audit").body)


def test_a_game_with_bots_claims_and_reissued_tokens_passes_every_check(either: Place):
    owner = either.platform()
    seats = {"N": {"kind": "human"}, "S": {"kind": "open"}}
    made = owner.create({"ruleset": "partnership", "seats": seats, "options": SHORT}).body
    game_id = made["game"]["id"]
    assert read(owner, game_id, "audit").body["checks"] == ALL_PASSED
    claimed = owner.claim(game_id, "S", made["join_codes"]["S"], client_seed="lin-03")
    assert claimed.status == 200
    token = owner.post(f"/v1/games/{game_id}/seats/S/token").body["token"]
    game = Game(owner, game_id, {**made["tokens"], "S": token}, Random(1))
    game.play_until(lambda view: view["status"] == "finished", "bid_double_nil")
    audit = read(owner, game_id, "audit").body
    assert (audit["checks"], audit["divergences"]) == (ALL_PASSED, [])


def test_the_audit_of_a_table_that_waits_has_no_hands(client: ApiClient):
    made = client.create({"ruleset": "pairs", "seats": {"S": {"kind": "open"}}}).body
    audit = read(client, made["game"]["id"], "audit").body
    assert (audit["version"], audit["hands"], audit["leaves"]) == (1, [], [])
    assert audit["checks"] == ALL_PASSED


@cache
def verdicts_of(data: bytes) -> tuple[dict[str, str], list[str]]:
    """What the verifier says of an export."""
    (export,) = read_exports(data)
    report = audited_export(export, VERSIONS)
    return {str(check): str(v) for check, v in report.verdicts.items()}, list(
        map(str, report.findings)
    )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_everybody_may_take_away_what_they_see(place: Place, ruleset: str):
    watched = Watched(place, ruleset, options={"max_hands": 2, "lose_at": None})
    for view in watched.steps(moves=30):
        for viewer, client in watched.clients.items():
            answer = read(client, watched.id, "export")
            assert answer.media_type == "application/x-ndjson"
            header, *events = map(json.loads, answer.content.splitlines())
            assert answer.content.endswith(b"}\n")
            assert header == {
                "format": "spades-export/1",
                "game_id": watched.id,
                "viewer": str(viewer),
                "version": view["version"],
                "log_head": view["log_head"],
            }
            assert events == client.all_events(watched.id)
            verdicts, findings = verdicts_of(answer.content)
            assert findings == []
            assert set(verdicts.values()) <= {"passed", "open"}
    assert set(verdicts.values()) == {"passed"}
    assert verify(watched.id, events) == []


@pytest.mark.parametrize("ruleset", RULESETS)
def test_everybody_may_take_away_a_text_to_read(place: Place, ruleset: str):
    watched = Watched(place, ruleset, options={"max_hands": 2, "lose_at": None})
    for _ in watched.steps(moves=30):
        for client in watched.clients.values():
            answer = read(client, watched.id, PTN)
            assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
            transcript = notation.read(answer.content.decode())
            assert transcript == notation.transcript_of(watched.id, client.all_events(watched.id))


@pytest.mark.parametrize(
    ("what", "accept", "status", "media_type"),
    [
        ("export", "application/x-ndjson", 200, "application/x-ndjson"),
        ("export", "*/*", 200, "application/x-ndjson"),
        ("export", "application/*", 200, "application/x-ndjson"),
        ("export", "text/plain, application/x-ndjson;q=0.1", 200, "application/x-ndjson"),
        ("export", "text/plain", 406, "application/problem+json"),
        ("export", "application/json", 406, "application/problem+json"),
        (PTN, "text/plain", 200, "text/plain"),
        (PTN, "text/*;q=0.5", 200, "text/plain"),
        (PTN, "application/x-ndjson", 406, "application/problem+json"),
        ("result", "application/json", 200, "application/json"),
        ("result", "application/jose", 406, "application/problem+json"),
        ("result?format=jws", "application/jose", 200, "application/jose"),
        ("result?format=jws", "*/*", 200, "application/jose"),
        ("result?format=jws", "application/json", 406, "application/problem+json"),
        ("result", "text/html", 406, "application/problem+json"),
        ("audit", "application/x-ndjson", 406, "application/problem+json"),
        ("states/1", "text/plain", 406, "application/problem+json"),
    ],
)
def test_what_is_not_accepted_is_not_sent(
    over: Game, what: str, accept: str, status: int, media_type: str
):
    answer = read(over.client, over.id, what, Accept=accept)
    assert (answer.status, answer.media_type) == (status, media_type)


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("export?format=pdf", "invalid_parameter"),
        ("export?format=", "invalid_parameter"),
        ("export?format=json", "invalid_parameter"),
        ("export?format=ptn&format=ptn", "invalid_parameter"),
        ("export?viewer=N", "unknown_parameter"),
        ("result?format=ndjson", "invalid_parameter"),
        ("result?format=JWS", "invalid_parameter"),
        ("audit?format=json", "unknown_parameter"),
        ("states/1?after=1", "unknown_parameter"),
    ],
)
def test_a_bad_format_is_refused(over: Game, what: str, code: str):
    assert told(read(over.client, over.id, what)) == (400, code)


@pytest.fixture
def over(place: Place) -> Game:
    """A game that is over."""
    game = Game.of(place.platform(), "two-player", options=SHORT)
    game.play_until(lambda view: view["status"] == "finished")
    return game


def signed_by(client: ApiClient, jws: str) -> Json:
    """The payload of a JWS whose signature is by a key of the service's."""
    keys = client.get("/.well-known/jwks.json").body["keys"]
    kid = jwt.get_unverified_header(jws)["kid"]
    key = next(jwt.PyJWK(key) for key in keys if key["kid"] == kid)
    payload: Json = jwt.decode(jws, key, algorithms=["EdDSA"])
    return payload


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_result_tells_and_signs_how_the_game_ended(either: Place, ruleset: str):
    watched = Watched(either, ruleset, options=SHORT)
    last = watched.finish()
    result = read(watched.owner, watched.id, "result").body
    jws = result.pop("jws")
    ended = watched.owner.all_events(watched.id)[-1]
    assert result == {
        "format": "spades-result/1",
        "id": result["id"],
        "supersedes": None,
        "issued_at": result["issued_at"],
        "game_id": watched.id,
        "ruleset": ruleset,
        "options": last["options"],
        "options_hash": sha256(rfc8785.dumps(last["options"])).hexdigest(),
        "status": "finished",
        **{key: last["result"][key] for key in ("winner", "reason", "points", "bags", "hands")},
        "seats": {
            seat: {"kind": "human", "level": None, "player_ref": None}
            for seat in watched.game.tokens
        },
        "finished_at": ended["at"],
        "version": last["version"],
        "log_head": last["log_head"],
    }
    assert signed_by(either.client, jws) == result
    header = jwt.get_unverified_header(jws)
    assert (header["alg"], header["typ"]) == ("EdDSA", "spades-result+json")
    for client in watched.clients.values():
        compact = read(client, watched.id, "result?format=jws")
        assert compact.content.decode() == jws
        assert read(client, watched.id, "result").body == {**result, "jws": jws}


def test_there_is_no_result_before_the_end(place: Place):
    watched = Watched(place, "pairs", options=SHORT)
    for view in watched.steps(moves=9):
        over = view["status"] == "finished"
        for client in watched.clients.values():
            for what in ("result", "result?format=jws"):
                expected = (200, None) if over else (409, "game_not_over")
                assert told(read(client, watched.id, what)) == expected


def test_a_result_tells_of_bots_and_of_seats_that_were_claimed(place: Place):
    owner = place.platform()
    seats = {
        "N": {"kind": "human", "player_ref": "plr-ada", "name": "Ada"},
        "E": {"kind": "bot"},
        "S": {"kind": "open"},
        "W": {"kind": "bot", "level": "novice"},
    }
    made = owner.create({"ruleset": "pairs", "seats": seats, "options": SHORT}).body
    claimed = owner.claim(made["game"]["id"], "S", made["join_codes"]["S"], player_ref="plr-lin")
    tokens = {**made["tokens"], "S": claimed.body["token"]}
    game = Game(owner, made["game"]["id"], tokens, Random(1))
    game.play_until(lambda view: view["status"] == "finished")
    result = read(owner, game.id, "result").body
    bot = {"kind": "bot", "level": "novice", "player_ref": None}
    assert result["seats"] == {
        "N": {"kind": "human", "level": None, "player_ref": "plr-ada"},
        "E": bot,
        "S": {"kind": "human", "level": None, "player_ref": "plr-lin"},
        "W": bot,
    }


def test_a_result_keeps_its_id_in_every_process(either: Place, serve):
    watched = Watched(either, "two-player", options=SHORT)
    watched.finish()
    first = read(watched.owner, watched.id, "result").body
    other = serve(either.store).client.bearing(watched.owner.token)
    assert read(other, watched.id, "result").body == first
    assert read(watched.owner, watched.id, "result").body == first


def test_a_correction_supersedes_what_was_told_before(either: Place):
    owner = either.platform()
    seats = {seat: {"kind": "human"} for seat in "NS"}
    seats["N"] = {"kind": "human", "player_ref": "plr-eve", "name": "Evelyn"}
    game = Game.of(owner, "two-player", options=SHORT, seats=seats)
    game.play_until(lambda view: view["status"] == "finished")
    told_results = [read(owner, game.id, "result").body]
    sit = {"player_ref": "plr-ada", "name": "Ada"}
    owner.request("PUT", f"/v1/games/{game.id}/seats/N/player", sit)
    told_results.append(read(owner, game.id, "result").body)
    owner.request("DELETE", "/v1/players/plr-ada")
    told_results.append(read(owner, game.id, "result").body)
    refs = [result["seats"]["N"]["player_ref"] for result in told_results]
    assert refs == ["plr-eve", "plr-ada", None]
    ids = [result["id"] for result in told_results]
    assert len(set(ids)) == 3
    assert [result["supersedes"] for result in told_results] == [None, *ids[:2]]
    for result in told_results:
        jws = result.pop("jws")
        assert signed_by(owner, jws) == result
        for changing in ("id", "supersedes", "issued_at", "seats"):
            result.pop(changing)
    assert told_results[0] == told_results[1] == told_results[2]
    assert read(owner, game.id, "result").body["id"] == ids[2]
    for what in ("result", "audit", "export", PTN, "events", "hands/1", "states/1"):
        content = read(owner, game.id, what).content.decode()
        assert not any(text in content for text in ("plr-ada", "plr-eve", "Evelyn", ids[0]))


def test_a_result_supersedes_the_one_that_was_told_last(either: Place):
    owner = either.platform()
    game = Game.of(owner, "two-player", options=SHORT)
    game.play_until(lambda view: view["status"] == "finished")
    first = read(owner, game.id, "result").body
    for ref in ("plr-eve", "plr-bo", "plr-ada", "plr-ada"):
        owner.request("PUT", f"/v1/games/{game.id}/seats/N/player", {"player_ref": ref})
    second = read(owner, game.id, "result").body
    assert (second["supersedes"], second["seats"]["N"]["player_ref"]) == (first["id"], "plr-ada")
    for who in ({"player_ref": "plr-ada"}, {"player_ref": "plr-ada", "name": "Ada"}):
        owner.request("PUT", f"/v1/games/{game.id}/seats/N/player", who)
        owner.request("PUT", "/v1/players/plr-ada", {"name": "Countess"})
        assert read(owner, game.id, "result").body == second


def test_a_correction_between_a_look_and_its_result_is_in_the_result(
    either: Place, monkeypatch: pytest.MonkeyPatch
):
    owner = either.platform()
    game = Game.of(owner, "two-player", options=SHORT)
    game.play_until(lambda view: view["status"] == "finished")
    issue = either.store.issue

    def corrected_meanwhile(*args: Any) -> Any:
        owner.request("PUT", f"/v1/games/{game.id}/seats/N/player", {"player_ref": "plr-ada"})
        return issue(*args)

    monkeypatch.setattr(either.store, "issue", corrected_meanwhile)
    result = read(owner, game.id, "result").body
    assert (result["supersedes"], result["seats"]["N"]["player_ref"]) == (None, "plr-ada")
    assert read(owner, game.id, "result").body == result


def test_who_sits_there_before_the_result_is_told_needs_no_correction(place: Place):
    owner = place.platform()
    game = Game.of(owner, "two-player", options=SHORT)
    game.play_until(lambda view: view["status"] == "finished")
    for ref in ("plr-eve", "plr-ada"):
        owner.request("PUT", f"/v1/games/{game.id}/seats/N/player", {"player_ref": ref})
    result = read(owner, game.id, "result").body
    assert (result["supersedes"], result["seats"]["N"]["player_ref"]) == (None, "plr-ada")
