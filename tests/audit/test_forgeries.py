"""Forgeries that once passed, and files that once were no answer at all but a traceback."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from spades.audit.auditing import audited_records
from spades.audit.exports import export_of
from spades.audit.log import Record
from spades.audit.signing import SigningKeys, verify
from spades.bots import VERSIONS
from spades.errors import SignatureInvalid
from spades.game.audience import SPECTATOR
from spades.game.dealing import is_client_seed
from spades.game.rulesets import RULESETS
from tests.support.exports import (
    BOTS,
    Log,
    finished,
    leaves_of,
    made_good,
    played,
    read,
    rechained,
)
from tests.support.statements import JWKS, KEYS, STRANGER, office, signed_result
from tests.support.verifiers import (
    Found,
    in_javascript,
    in_python,
    needs_node,
    told_in_javascript,
    told_in_python,
)

NOTHING = {"commit": "00" * 32}


def checks(found: list[Found]) -> set[str]:
    return {finding.check for finding in found}


def hidden_game_with_other_points() -> bytes:
    """A game whose seeds nobody is told, since leaves stand where the score and the winner do."""
    log = read(finished("partnership"))
    for event in log.events:
        event.pop("opens", None)
        for _, leaf in leaves_of(event):
            leaf.pop("salt", None)
            leaf.pop("value", None)
    score = log.first("hand_scored")["data"]
    score["sides"]["NS"]["points"], score["tricks"] = 999, dict(NOTHING)
    end = log.first("game_finished")["data"]
    end["points"], end["winner"] = {"NS": 999, "EW": -999}, dict(NOTHING)
    return rechained(log).lines()


def test_a_leaf_where_none_may_stand_hides_nothing() -> None:
    assert "format" in checks(in_python(hidden_game_with_other_points()))


@needs_node
def test_a_leaf_where_none_may_stand_hides_nothing_in_javascript() -> None:
    assert "format" in checks(in_javascript({"file": hidden_game_with_other_points()})["file"])


ODD_STARTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a key too many": lambda event: event["data"].update(extra=1),
    "no number": lambda event: event["data"].pop("number"),
    "a number beyond four bytes": lambda event: event["data"].update(number=2**32),
    "a schema that never was": lambda event: event.update(schema=2),
    "by the clock": lambda event: event.update(actor="clock"),
    "by a seat": lambda event: event.update(seat="N"),
    "a seat without cards": lambda event: event["data"]["holdings"].pop("W"),
    "a stock as well": lambda event: event["data"].update(stock=dict(NOTHING)),
    "a hidden dealer": lambda event: event["data"].update(dealer=dict(NOTHING)),
    "cards for nobody": lambda event: event["data"]["holdings"].update(X=dict(NOTHING)),
}


@pytest.mark.parametrize("change", ODD_STARTS.values(), ids=ODD_STARTS.keys())
def test_a_hand_that_is_still_hidden_must_have_the_form_of_one(
    change: Callable[[dict[str, Any]], Any],
) -> None:
    log = read(export_of(played("partnership", stop=9).ledger, SPECTATOR))
    assert in_python(log.lines()) == []
    change(log.first("hand_started"))
    assert checks(in_python(rechained(log).lines())) & {"format", "deals"}


@pytest.mark.parametrize("seed", ["", "a\nW=b", "é" * 33, "\x07", "\x85"])
def test_a_client_seed_that_could_not_have_been_given_is_found(seed: str) -> None:
    assert not is_client_seed(seed)
    log = read(export_of(played("pairs", stop=9).ledger, SPECTATOR))
    log.first("seat_taken")["data"]["client_seed"] = seed
    assert "format" in checks(in_python(rechained(log).lines()))


def test_a_client_seed_may_have_as_many_bytes_as_it_is_told() -> None:
    assert is_client_seed("é" * 32)
    assert not is_client_seed("é" * 32 + "x")
    assert not is_client_seed("\ud800")


@pytest.mark.parametrize("header", ["viewer", "version", "log_head"])
@pytest.mark.parametrize("odd", [[], {}, None, True, "5", 5.5])
def test_an_odd_header_is_a_finding(header: str, odd: Any) -> None:
    log = read(finished("pairs"))
    log.header[header] = odd
    files = {"game": log.lines(), "result": json.dumps(signed_result(office().result(2))).encode()}
    assert not told_in_python(files)["ok"]


@pytest.mark.parametrize("viewer", ["E", "W"])
def test_nobody_looks_from_a_seat_that_the_game_has_not(viewer: str) -> None:
    log = read(finished("two-player"))
    log.header["viewer"] = viewer
    assert "format" in checks(in_python(log.lines()))


@pytest.mark.parametrize("at", ["2026-99-99T99:99:99.999Z", "2026-02-30T12:00:00.000Z"])
def test_a_time_that_is_none_is_a_finding(at: str) -> None:
    log = read(finished("pairs"))
    log.events[-1]["at"] = at
    assert "format" in checks(in_python(rechained(log).lines()))


def test_a_header_may_have_its_keys_in_any_order() -> None:
    """Each header begins the next export, however its JSON is written."""
    game, other = finished("pairs"), read(finished("two-player"))
    turned = json.dumps(dict(reversed(other.header.items()))).encode()
    rest = b"".join(finished("two-player").splitlines(keepends=True)[1:])
    told = told_in_python({"file": game + b"  " + turned + b"\n" + rest})
    assert [file["game_id"] for file in told["files"]] == [
        read(game).header["game_id"],
        other.header["game_id"],
    ]


def opens_dropped(log: Log) -> None:
    del log.first("hand_scored")["opens"]


def an_opening_twice(log: Log) -> None:
    opens = log.first("hand_scored")["opens"]
    opens.append(opens[0])


def opens_on_a_play(log: Log) -> None:
    log.first("card_played")["opens"] = log.first("hand_scored")["opens"][:1]


ODD_OPENS = [opens_dropped, an_opening_twice, opens_on_a_play]


def with_odd_opens() -> dict[str, bytes]:
    files = {}
    for ruleset in RULESETS:
        for change in ODD_OPENS:
            log = read(finished(ruleset))
            change(log)
            files[f"{ruleset} {change.__name__}"] = log.lines()
    return files


def test_an_event_opens_just_what_it_must() -> None:
    for name, file in with_odd_opens().items():
        assert checks(in_python(file)) == {"leaves"}, name


@needs_node
def test_an_event_opens_just_what_it_must_in_javascript() -> None:
    for name, found in in_javascript(with_odd_opens()).items():
        assert checks(found) == {"leaves"}, name


def cards_in_the_opens_of_a_running_game() -> bytes:
    """What a spectator is served, with a seat's true cards told in the last event's `opens`."""
    table = played("partnership", stop=9)
    log = read(export_of(table.ledger, SPECTATOR))
    start = next(step.record for step in table.ledger.steps if step.record.type == "hand_started")
    opening = start.secret["/data/holdings/N"]
    place = {"version": start.version, "pointer": "/data/holdings/N"}
    log.events[-1]["opens"] = [{**place, **opening}]
    return log.lines()


def test_opens_tell_no_card_that_is_closed_in_its_place() -> None:
    assert checks(in_python(cards_in_the_opens_of_a_running_game())) == {"leaves"}


@needs_node
def test_opens_tell_no_card_that_is_closed_in_its_place_in_javascript() -> None:
    found = in_javascript({"file": cards_in_the_opens_of_a_running_game()})["file"]
    assert checks(found) == {"leaves"}


def test_what_comes_after_an_illegal_action_is_left_open() -> None:
    log = read(finished("pairs"))
    play = log.first("card_played")
    play["seat"] = next(seat for seat in "NESW" if seat != play["seat"])
    told = told_in_python({"file": made_good(log).lines()})
    verdicts = told["files"][0]["checks"]
    assert verdicts["actions"] == "failed"
    assert {verdicts[check] for check in ("deals", "bots", "scores", "end")} == {"open"}


def beyond_the_end(result: dict[str, Any]) -> None:
    result["version"] += 1
    result["points"] = dict.fromkeys(result["points"], 999)


def other_options_hash(result: dict[str, Any]) -> None:
    result["options_hash"] = "17" * 32


def superseding_itself(result: dict[str, Any]) -> None:
    result["supersedes"] = result["id"]


def nested_options(result: dict[str, Any]) -> None:
    for _ in range(300):
        result["options"] = {"x": result["options"]}


def no_ruleset(result: dict[str, Any]) -> None:
    result["ruleset"] = []


ODD_RESULTS = [beyond_the_end, other_options_hash, superseding_itself, no_ruleset]


def with_its_game(change: Callable[[dict[str, Any]], None]) -> dict[str, bytes]:
    payload = deepcopy(office().result(2))
    change(payload)
    return {"game": office().export(2), "result": json.dumps(signed_result(payload)).encode()}


@pytest.mark.parametrize("change", ODD_RESULTS)
def test_a_signed_result_that_is_wrong_is_found(change: Callable[[dict[str, Any]], None]) -> None:
    assert not told_in_python(with_its_game(change), JWKS)["ok"]


@needs_node
@pytest.mark.parametrize("change", ODD_RESULTS)
def test_a_signed_result_that_is_wrong_is_found_in_javascript(
    change: Callable[[dict[str, Any]], None],
) -> None:
    assert not told_in_javascript(with_its_game(change), JWKS)["ok"]


def test_a_result_nested_without_end_is_a_finding() -> None:
    payload = {**office().result(2), "jws": "a.b.c"}
    nested_options(payload)
    assert not told_in_python({"result": json.dumps(payload).encode()})["ok"]


@pytest.mark.parametrize(("member", "value"), [("hands", True), ("supersedes", ""), ("winner", 1)])
def test_members_that_only_look_like_those_signed_are_found(member: str, value: Any) -> None:
    shown = {**signed_result(office().result(2)), member: value}
    assert not told_in_python({"result": json.dumps(shown).encode()}, JWKS)["ok"]


def test_a_statement_without_a_signature_is_found_without_any_key() -> None:
    text = signed_result(office().result(2))["jws"]
    assert not told_in_python({"result": text[: text.rindex(".") + 1].encode()})["ok"]


def test_two_results_of_a_game_that_differ_in_its_points_are_found() -> None:
    one, other = office().result(2), deepcopy(office().result(2))
    other |= {"id": "01940000-0000-7000-8000-00000000beef", "supersedes": one["id"]}
    files = {"one": signed_result(one), "other": signed_result(other)}
    assert told_in_python({n: json.dumps(r).encode() for n, r in files.items()}, JWKS)["ok"]
    other["points"] = dict.fromkeys(other["points"], 999)
    files["other"] = signed_result(other)
    assert not told_in_python({n: json.dumps(r).encode() for n, r in files.items()}, JWKS)["ok"]


def test_a_key_under_anothers_name_verifies_nothing() -> None:
    kid = KEYS.jwks()["keys"][0]["kid"]
    stranger = {**STRANGER.jwks()["keys"][0], "kid": kid}
    text = KEYS.sign({"a": 1}, "test")
    header, payload, _ = text.split(".")
    forged = f"{header}.{payload}.{_signature_by_stranger(header, payload)}"
    for jwks in ({"keys": [stranger]}, {"keys": [stranger, *JWKS["keys"]]}):
        with pytest.raises(SignatureInvalid):
            verify(forged, jwks, "test")


def _signature_by_stranger(header: str, payload: str) -> str:
    key = Ed25519PrivateKey.from_private_bytes(b"\x17" * 32)
    return urlsafe_b64encode(key.sign(f"{header}.{payload}".encode())).decode().rstrip("=")


@pytest.mark.parametrize(("member", "value"), [("alg", "none"), ("use", "enc")])
def test_a_key_for_something_else_verifies_nothing(member: str, value: str) -> None:
    keys = SigningKeys([b"\x05" * 32])
    jwks = {"keys": [{**keys.jwks()["keys"][0], member: value}]}
    with pytest.raises(SignatureInvalid):
        verify(keys.sign({"a": 1}, "test"), jwks, "test")


def stored(ruleset: str) -> tuple[str, list[Record]]:
    ledger = played(ruleset, bots=BOTS[ruleset], stop=12).ledger
    return ledger.game_id, [step.record for step in ledger.steps]


def found_in_store(game_id: str, records: list[Record]) -> set[tuple[str, int | None]]:
    last = records[-1]
    report = audited_records(game_id, len(records), last.hash, records, VERSIONS)
    return {(finding.check, finding.version) for finding in report.findings}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_cards_put_into_the_stored_public_form_are_found(ruleset: str) -> None:
    game_id, records = stored(ruleset)
    assert found_in_store(game_id, records) == set()
    place = next(n for n, record in enumerate(records) if record.type == "hand_started")
    record = deepcopy(records[place])
    pointer = next(iter(record.secret))
    *path, last = pointer.split("/")[1:]
    level = record.public
    for key in path:
        level = level[key]
    level[last] |= record.secret[pointer]
    records[place] = record
    assert found_in_store(game_id, records) == {("leaves", place + 1)}


@pytest.mark.parametrize("pointer", ["foo", "/data/number", "/data/holdings/X", "/data"])
def test_an_opening_that_belongs_to_no_leaf_is_found_and_shown_to_nobody(pointer: str) -> None:
    ledger = played("pairs", stop=12).ledger
    records = [step.record for step in ledger.steps]
    place = next(n for n, record in enumerate(records) if record.type == "hand_started")
    odd = {**records[place].secret, pointer: {"salt": "00" * 32, "value": "AS"}}
    records[place] = replace(records[place], secret=odd)
    assert found_in_store(ledger.game_id, records) == {("leaves", place + 1)}
