"""The service's verifier against cheats, damage and garbage; in JavaScript: `tests/verifier`."""

import json
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.audit.exports import export_of
from spades.game.audience import SPECTATOR
from spades.game.events import READERS
from spades.game.rulesets import RULESETS
from tests.support.cheats import CHEATS, Bolder, Cheat
from tests.support.damage import (
    first_of_each_type,
    flipped,
    garbage,
    mutated,
    nearly_all_places,
    places,
)
from tests.support.exports import (
    BOTS,
    finished,
    made_good,
    opened_too_early,
    played,
    read,
    rechained,
    viewers,
)
from tests.support.house import House
from tests.support.verifiers import Found, in_python, told_in_python

CASES = [
    pytest.param(ruleset, cheat, id=f"{ruleset}-{cheat.name}")
    for cheat in CHEATS
    for ruleset in cheat.rulesets
]
NEVER_WRITTEN = {"game_aborted"}
PASSED = {"format", "chain", "leaves", "deals", "actions", "bots", "scores", "end"}


def checks(found: list[Found]) -> set[str]:
    return {finding.check for finding in found}


def named(found: list[Found], version: int) -> bool:
    """Whether a finding names an event, be it by the place where it should stand."""
    place = re.compile(rf"\b{version}\b")
    return any(one.version == version or place.search(one.detail) for one in found)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_an_export_as_it_is_passes_every_check(ruleset: str) -> None:
    told = told_in_python({"file": finished(ruleset, 2)})
    assert told["ok"]
    assert told["findings"] == []
    assert told["files"][0]["checks"] == dict.fromkeys(PASSED, "passed")


def test_the_exports_that_are_tried_hold_every_event_that_is_ever_written() -> None:
    logs = [read(finished(ruleset)) for ruleset in RULESETS]
    assert {e["type"] for log in logs for e in log.events} == set(READERS) - NEVER_WRITTEN


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_was_made_good_without_a_change_is_the_same(ruleset: str) -> None:
    export = finished(ruleset, 2)
    assert made_good(read(export)).lines() == export
    assert rechained(read(export)).lines() == export


@pytest.mark.parametrize(("ruleset", "cheat"), CASES)
def test_a_cheat_is_found_as_it_is(ruleset: str, cheat: Cheat) -> None:
    assert checks(in_python(cheat.clumsy(finished(ruleset, 2)))) & cheat.as_it_is


@pytest.mark.parametrize(("ruleset", "cheat"), CASES)
def test_a_cheat_is_found_with_all_else_made_good(ruleset: str, cheat: Cheat) -> None:
    assert checks(in_python(cheat.careful(finished(ruleset, 2)))) & cheat.checks


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_bot_that_was_not_played_by_its_policy_is_found(ruleset: str) -> None:
    table = played(ruleset, bots=BOTS[ruleset], policies={"novice": Bolder()})
    assert checks(in_python(export_of(table.ledger, SPECTATOR))) == {"bots"}


def test_a_bot_of_another_level_is_found() -> None:
    log = read(finished("pairs"))
    log.events[0]["data"]["seats"]["E"]["level"] = "master"
    assert checks(in_python(made_good(log).lines())) == {"bots"}


@pytest.mark.parametrize("policy", ["novice/0", "novice/2", "novice/"])
def test_a_policy_that_nobody_knows_hides_no_cheat(policy: str) -> None:
    log = read(finished("pairs"))
    next(e for e in log.all("card_played") if e["seat"] == "E")["data"]["policy"] = policy
    assert checks(in_python(made_good(log).lines())) == {"bots"}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_changed_bit_in_any_field_is_found_and_its_event_named(ruleset: str) -> None:
    export = finished(ruleset)
    lines = export.splitlines()
    for event in first_of_each_type(read(export)):
        for place in places(lines[event["version"]])[:40]:
            found = in_python(flipped(export, event["version"], place))
            assert named(found, event["version"]), (event["version"], place)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_changed_bit_anywhere_in_an_event_is_found_and_the_event_named(ruleset: str) -> None:
    export = finished(ruleset)
    lines = export.splitlines()
    for event in first_of_each_type(read(export)):
        line = lines[event["version"]]
        for place in places(line) if "opens" in event else nearly_all_places(line):
            found = in_python(flipped(export, event["version"], place))
            assert named(found, event["version"]), (event["version"], place)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_changed_bit_in_any_field_of_any_event_is_found(ruleset: str) -> None:
    export = finished(ruleset)
    for version, line in enumerate(export.splitlines()):
        for place in places(line)[version % 2 :: 2]:
            found = in_python(flipped(export, version, place))
            assert found if version == 0 else named(found, version), (version, place)


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("stop", [0, 2, 20, 40])
def test_a_game_under_way_passes_for_every_viewer_as_far_as_it_is_known(
    ruleset: str, stop: int
) -> None:
    table = played(ruleset, bots=BOTS[ruleset], stop=stop, reissues=True, max_hands=2)
    for viewer in viewers(table):
        told = told_in_python({"file": export_of(table.ledger, viewer)})
        assert told["findings"] == []
        verdicts = told["files"][0]["checks"]
        sealed = {name: verdicts[name] for name in ("format", "chain", "leaves")}
        assert set(sealed.values()) == {"passed"}
        assert verdicts["actions"] == "open"


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_thirty_games_pass_for_every_viewer_under_way_and_over(ruleset: str) -> None:
    for seed in range(30):
        bots = BOTS[ruleset] if seed % 2 else ""
        for stop in (seed * 3, None):
            table = played(ruleset, seed, bots=bots, stop=stop, max_hands=2)
            for viewer in viewers(table):
                assert in_python(export_of(table.ledger, viewer)) == [], (seed, stop, viewer)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_leaf_opened_to_somebody_who_may_not_see_it_is_found(ruleset: str) -> None:
    opened = list(opened_too_early(played(ruleset, stop=30)))
    for name, version, export in opened:
        found = [(finding.check, finding.version) for finding in in_python(export)]
        assert ("leaves", version) in found, name
    assert opened


def test_two_exports_that_disagree_are_found_and_the_first_difference_named() -> None:
    log = read(finished("pairs"))
    log.events[-1]["at"] = "2027-01-01T00:00:00.000Z"
    other = rechained(log).lines()
    told = told_in_python({"one": finished("pairs"), "other": other})
    assert [(f["file"], f["check"], f["version"]) for f in told["findings"]] == [
        ("other", "exports", len(log.events))
    ]


def test_a_seed_of_two_games_is_found() -> None:
    games = [played("pairs", house=House(seed=3, first_id=number)) for number in (1, 2)]
    files = {str(n): export_of(game.ledger, SPECTATOR) for n, game in enumerate(games)}
    assert [f["check"] for f in told_in_python(files)["findings"]] == ["seeds"]


def test_exports_of_one_game_for_all_viewers_agree_with_one_another() -> None:
    house = House()
    table = played("partnership", house=house, stop=30)
    files = {str(viewer): export_of(table.ledger, viewer) for viewer in viewers(table)}
    one_file = b"".join(files.values())
    assert told_in_python({**files, "all": one_file})["findings"] == []
    assert len(told_in_python({"all": one_file})["files"]) == 5


@pytest.mark.parametrize(
    ("name", "data"), [pytest.param(*case, id=case[0]) for case in garbage(finished("pairs"))]
)
def test_garbage_is_found_wrong(name: str, data: bytes) -> None:
    assert in_python(data), name


@pytest.mark.parametrize("mark", [b"\r\n", b" \n", b"\n "])
def test_white_space_around_lines_is_no_fault(mark: bytes) -> None:
    assert in_python(finished("pairs").replace(b"\n", mark).rstrip(b" ")) == []


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_whatever_are_found_wrong(data: bytes) -> None:
    assert in_python(data)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(RULESETS)), st.integers(0, 2**32), st.booleans())
def test_any_odd_value_anywhere_in_an_export_is_no_crash(
    ruleset: str, seed: int, chained: bool
) -> None:
    data = mutated(finished(ruleset), Random(seed))
    if chained:
        data = chained_if_possible(data)
    json.dumps(told_in_python({"file": data}))


def chained_if_possible(data: bytes) -> bytes:
    try:
        return rechained(read(data)).lines()
    except (ValueError, TypeError, KeyError):
        return data


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_cut_of_an_export_is_no_crash(data: st.DataObject) -> None:
    export = finished(data.draw(st.sampled_from(list(RULESETS))))
    start = data.draw(st.integers(0, len(export)))
    end = data.draw(st.integers(start, len(export)))
    some = data.draw(st.binary(max_size=8))
    json.dumps(told_in_python({"file": export[:start] + some + export[end:]}))
