"""Games whose stored log was tampered with: reported, set aside, and released once repaired."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from spades.audit.findings import Check
from spades.audit.log import Record, genesis, link
from spades.store import MemoryStore
from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient

Json = dict[str, Any]
Cheat = Callable[[list[Record]], None]
QUARANTINED = (409, "game_quarantined")
READABLE = ["", "/events", "/hands/1", "/states/2", "/audit", "/export", "/export?format=ptn"]


def told(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def audit(client: ApiClient, game_id: str) -> Json:
    answer = client.get(f"/v1/games/{game_id}/audit")
    assert answer.status == 200, answer.body
    body: Json = answer.body
    return body


def failed(audited: Json) -> set[str]:
    return {check["check"] for check in audited["checks"] if check["verdict"] == "failed"}


def records_of(place: Place, game_id: str) -> list[Record]:
    """The records that the store in memory holds, to be changed in place."""
    assert isinstance(place.store, MemoryStore)
    return place.store._games[game_id].records


def tamper(place: Place, game_id: str, cheat: Cheat) -> list[Record]:
    """Rewrites a stored log and makes its chain good again; returns it as it was."""
    records = records_of(place, game_id)
    before = list(records)
    changed = deepcopy(before)
    cheat(changed)
    head = genesis(game_id)
    for number, record in enumerate(changed):
        head = link(head, record.public)
        changed[number] = replace(record, hash=head)
    records[:] = changed
    return before


def repair(place: Place, game_id: str, before: list[Record]) -> None:
    records_of(place, game_id)[:] = before


def last(records: list[Record], kind: str) -> Record:
    return next(record for record in reversed(records) if record.type == kind)


def first(records: list[Record], kind: str) -> Record:
    return next(record for record in records if record.type == kind)


def another_bid(records: list[Record]) -> None:
    data = first(records, "bid_made").public["data"]
    data["tricks"] = 3 if data["tricks"] != 3 else 4


def more_points(records: list[Record]) -> None:
    first(records, "hand_scored").public["data"]["sides"]["NS"]["points"] += 50


def another_end(records: list[Record]) -> None:
    data = last(records, "game_finished").public["data"]
    data["points"] = {"NS": 999, "EW": 0}
    data["winner"] = "NS"


def another_winner(records: list[Record]) -> None:
    trick = first(records, "trick_taken").public
    trick["seat"] = {"N": "E", "E": "S", "S": "W", "W": "N"}[trick["seat"]]


def another_dealer(records: list[Record]) -> None:
    data = records[0].public["data"]
    data["dealer"] = {"N": "E", "E": "S", "S": "W", "W": "N"}[data["dealer"]]


def another_holding(records: list[Record]) -> None:
    dealt = first(records, "hand_started").secret
    north, south = dealt["/data/holdings/N"], dealt["/data/holdings/S"]
    north["value"], south["value"] = south["value"], north["value"]


def earlier(records: list[Record]) -> None:
    records[-1].public["at"] = "2020-01-01T00:00:00.000Z"


def in_hand_two(place: Place, **body: Any) -> tuple[ApiClient, Game]:
    owner = place.platform()
    game = Game.of(owner, "pairs", **body)
    game.play_until(lambda view: view["hand_number"] == 2 and view["phase"] == "play")
    return owner, game


@pytest.mark.parametrize(
    ("cheat", "kind", "check", "pointer"),
    [
        (more_points, "hand_scored", "scores", "/data/sides/NS/points"),
        (another_winner, "trick_taken", "actions", "/seat"),
        (another_holding, "hand_started", "leaves", "/data/holdings/N"),
    ],
)
def test_a_divergence_is_told_with_its_place(
    place: Place, cheat: Cheat, kind: str, check: str, pointer: str
):
    owner, game = in_hand_two(place)
    version = first(records_of(place, game.id), kind).version
    tamper(place, game.id, cheat)
    audited = audit(owner, game.id)
    assert audited["quarantined"]
    divergence = audited["divergences"][0]
    assert (divergence["check"], divergence["version"]) == (check, version)
    assert divergence["pointer"] == pointer
    assert check in failed(audited)


@pytest.mark.parametrize("cheat", [another_bid, more_points, another_winner, another_holding])
def test_a_divergence_names_no_hidden_card(place: Place, cheat: Cheat):
    owner, game = in_hand_two(place)
    tamper(place, game.id, cheat)
    for divergence in audit(owner, game.id)["divergences"]:
        assert not any(card in divergence["detail"] for card in ("AS", "KH", "2C", "TD"))


def test_a_recorded_result_stands_whatever_is_found(place: Place):
    owner = place.platform()
    game = Game.of(owner, "pairs", options={"max_hands": 1})
    game.play_until(lambda view: view["status"] == "finished")
    before = tamper(place, game.id, another_end)
    audited = audit(owner, game.id)
    assert audited["quarantined"]
    assert failed(audited) == {"scores"}
    assert {d["version"] for d in audited["divergences"]} == {len(before)}
    recorded = {"winner": "NS", "points": {"NS": 999, "EW": 0}}
    shown = owner.view(game.id).body["result"]
    result = owner.get(f"/v1/games/{game.id}/result").body
    for told_result in (shown, result):
        assert {key: told_result[key] for key in recorded} == recorded


def test_in_a_game_set_aside_nobody_acts_and_everybody_reads(place: Place):
    owner, game = in_hand_two(place)
    seat, action = game.next_action()
    first_answer = game.act(seat, action)
    other, next_action = game.next_action()
    before = tamper(place, game.id, more_points)
    assert audit(owner, game.id)["quarantined"]
    stands = list(records_of(place, game.id))
    late = {**next_action, "expected_version": owner.view(game.id).body["version"]}
    assert told(game.act(other, late)) == QUARANTINED
    assert told(owner.post(f"/v1/games/{game.id}/seats/N/token")) == QUARANTINED
    again = game.act(seat, action)
    assert (again.status, again.replayed) == (200, True)
    assert again.body["accepted"]["version"] == first_answer.body["accepted"]["version"]
    for client in (place.client, owner, game.seat("N")):
        for path in READABLE:
            assert client.get(f"/v1/games/{game.id}{path}").status == 200, path
    assert records_of(place, game.id) == stands
    repair(place, game.id, before)
    assert told(game.act(other, next_action)) == QUARANTINED
    released = audit(owner, game.id)
    assert (released["quarantined"], released["divergences"]) == (False, [])
    assert game.act(other, next_action).status == 200


def test_a_table_set_aside_while_it_waits_is_claimed_by_nobody(place: Place):
    owner = place.platform()
    made = owner.create({"ruleset": "pairs", "seats": {"S": {"kind": "open"}}}).body
    game_id, code = made["game"]["id"], made["join_codes"]["S"]
    before = tamper(place, game_id, another_dealer)
    audited = audit(owner, game_id)
    assert audited["divergences"][0]["pointer"] == "/data/dealer"
    assert audited["divergences"][0]["check"] == "deals"
    assert told(owner.claim(game_id, "S", code, name="Lin")) == QUARANTINED
    assert owner.view(game_id).body["seats"][2]["name"] is None
    repair(place, game_id, before)
    assert not audit(owner, game_id)["quarantined"]
    assert owner.claim(game_id, "S", code, name="Lin").status == 200


def test_a_log_rewritten_behind_a_checkpoint_is_found_by_it(place: Place):
    owner, game = in_hand_two(place)
    owner.post("/v1/checkpoints")
    version = game.version
    tamper(place, game.id, earlier)
    audited = audit(owner, game.id)
    assert ("chain", version) in {(d["check"], d["version"]) for d in audited["divergences"]}


def unlinked(record: Record, **changes: Any) -> Record:
    return replace(record, public={**record.public, **changes})


def test_an_opening_of_nothing_is_shown_to_nobody(place: Place):
    owner, game = in_hand_two(place)
    opening = {"salt": "00" * 32, "value": ["AS"]}
    for record in records_of(place, game.id):
        record.secret.update({"/data/joker": opening, "/data/holdings/Q/x": opening})
    for client in (owner, game.seat("N")):
        for path in READABLE:
            answer = client.get(f"/v1/games/{game.id}{path}")
            assert answer.status == 200
            assert b"joker" not in answer.content
    told_of = audit(owner, game.id)
    assert failed(told_of) == {"leaves"}
    assert {found["pointer"] for found in told_of["divergences"]} == {None}


DAMAGES: dict[str, Callable[[Record], Record]] = {
    "no data": lambda record: unlinked(record, data={}),
    "null for data": lambda record: unlinked(record, data=None),
    "a list for data": lambda record: unlinked(record, data=[1]),
    "another type": lambda record: unlinked(record, type="trick_taken"),
    "a type of before": lambda record: unlinked(record, type="game_created"),
    "an unknown type": lambda record: unlinked(record, type="card_burnt"),
    "a type that is none": lambda record: unlinked(record, type=7),
    "another schema": lambda record: unlinked(record, schema=99),
    "a schema that is none": lambda record: unlinked(record, schema=None),
    "another version": lambda record: unlinked(record, version=record.version + 1),
    "another seat": lambda record: unlinked(record, seat="Q"),
    "no actor": lambda record: unlinked(record, actor=None),
    "a missing type": lambda record: without(record, "type"),
    "a missing schema": lambda record: without(record, "schema"),
    "missing data": lambda record: without(record, "data"),
    "a missing version": lambda record: without(record, "version"),
    "a missing time": lambda record: without(record, "at"),
    "a missing seat": lambda record: without(record, "seat"),
    "one key more": lambda record: unlinked(record, note="x"),
    "nothing public": lambda record: replace(record, public={}),
    "no secrets": lambda record: replace(record, secret={}),
    "secrets that are none": lambda record: replace(record, secret=dict.fromkeys(record.secret)),
    "a hash that is none": lambda record: replace(record, hash="x"),
    "another hash": lambda record: replace(record, hash="00" * 32),
}


def without(record: Record, key: str) -> Record:
    return replace(record, public={k: v for k, v in record.public.items() if k != key})


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("kind", ["game_created", "hand_started", "card_played", "hand_scored"])
def test_a_damaged_log_is_an_answer_and_never_a_fault(
    place: Place, damage: Callable[[Record], Record], kind: str
):
    owner, game = in_hand_two(place, spectators="none")
    auditor = owner.post(f"/v1/games/{game.id}/tokens", {"kind": "auditor"}).body
    records = records_of(place, game.id)
    number = records.index(first(records, kind))
    harmless = damage(records[number]) == records[number]
    records[number] = damage(records[number])
    everybody = audit(owner, game.id)
    assert everybody["quarantined"] is not harmless
    assert bool(failed(everybody)) is not harmless
    assert {check["check"] for check in everybody["checks"]} == set(Check)
    for client in (owner.bearing(auditor["token"]), game.seat("N")):
        assert audit(client, game.id)["divergences"] == everybody["divergences"]
    readings = place.store.readings(game.id, None, 10)
    assert [reading.operation for reading in readings] == ["audit"]


@pytest.fixture
def damaged(place: Place) -> Game:
    """A game that admits nobody, of which the log can't be read from the second hand on."""
    _, game = in_hand_two(place, spectators="none")
    records = records_of(place, game.id)
    start = records.index(last(records, "hand_started"))
    records[start] = unlinked(records[start], type="card_burnt")
    return game


def test_a_log_that_cannot_be_read_shows_no_leaf(place: Place, damaged: Game):
    audited = audit(damaged.client, damaged.id)
    assert (audited["hands"], audited["leaves"], audited["game_seed"]) == ([], [], None)
    assert "format" in failed(audited)
    divergence = audited["divergences"][0]
    assert (divergence["check"], divergence["pointer"]) == ("format", "/type")


def test_who_might_not_look_hears_of_no_damage(place: Place, damaged: Game):
    path, owner = f"/v1/games/{damaged.id}/audit", damaged.client
    other = Game.of(owner, "pairs")
    tokens = f"/v1/games/{damaged.id}/tokens"
    assert told(place.client.get(path)) == (403, "spectators_disabled")
    assert told(place.platform("Stranger").get(path)) == (403, "spectators_disabled")
    assert told(other.seat("N").get(path)) == (403, "wrong_game")
    foreign = owner.post(f"/v1/games/{other.id}/tokens", {"kind": "auditor"}).body["token"]
    assert told(owner.bearing(foreign).get(path)) == (403, "wrong_game")
    assert told(owner.bearing("spv_x").get(path)) == (401, "token_invalid")
    revoked = owner.post(tokens, {"kind": "auditor"}).body["token"]
    owner.post(tokens, {"kind": "auditor", "revoke_earlier": True})
    assert told(owner.bearing(revoked).get(path)) == (401, "token_revoked")
    assert place.store.readings(damaged.id, None, 10) == ()


def test_anybody_hears_of_the_damage_to_a_public_game(place: Place):
    _, game = in_hand_two(place)
    records = records_of(place, game.id)
    records[-1] = unlinked(records[-1], type="card_burnt")
    assert audit(place.client, game.id)["quarantined"]
    records[0] = unlinked(records[0], data=None)
    answer = place.client.get(f"/v1/games/{game.id}/audit")
    assert told(answer) == (403, "spectators_disabled")


def test_a_damaged_log_that_is_repaired_is_played_on(place: Place):
    owner, game = in_hand_two(place)
    records = records_of(place, game.id)
    seat, action = game.next_action()
    whole = list(records)
    records[-1] = unlinked(records[-1], data={})
    assert audit(owner, game.id)["quarantined"]
    records[:] = whole
    assert told(game.act(seat, action)) == QUARANTINED
    assert not audit(owner, game.id)["quarantined"]
    assert game.act(seat, action).status == 200


ODD_DATA: list[tuple[str, str, Any]] = [
    ("hand_started", "number", None),
    ("hand_started", "number", 2**40),
    ("hand_started", "number", {}),
    ("bid_made", "tricks", ""),
    ("bid_made", "tricks", [{"commit": "00" * 32}]),
    ("trick_taken", "number", []),
    ("game_created", "seats", {}),
    ("game_created", "ruleset", "bridge"),
    ("hand_scored", "sides", {"NS": {"points": {}}}),
]


@pytest.mark.parametrize(("kind", "member", "odd"), ODD_DATA)
def test_data_of_another_kind_are_told_and_never_a_mistake_of_the_service(
    place: Place, kind: str, member: str, odd: Any
):
    owner, game = in_hand_two(place)

    def change(records: list[Record]) -> None:
        at = next(n for n, record in enumerate(records) if record.type == kind)
        record = records[at]
        data = {**record.public["data"], member: odd}
        records[at] = replace(record, public={**record.public, "data": data})

    tamper(place, game.id, change)
    audited = audit(owner, game.id)
    assert audited["quarantined"]
    assert "format" in failed(audited)
    for path in READABLE:
        answer = owner.get(f"/v1/games/{game.id}{path}")
        assert (answer.status, answer.code) in ((200, None), (500, "damaged_log"), (404, None))


def test_a_client_that_asks_for_news_hears_of_a_quarantine(place: Place):
    owner, game = in_hand_two(place)
    before = owner.view(game.id)
    assert owner.view(game.id, before.etag).status == 304
    place.store.quarantine(game.id, True)
    after = owner.view(game.id, before.etag)
    assert (after.status, after.body["quarantined"]) == (200, True)
