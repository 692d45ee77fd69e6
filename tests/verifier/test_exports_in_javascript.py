"""The verifier in JavaScript against the same cheats, damage and garbage as the service's.

Node is asked once about all files of a kind.
"""

import re
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

import pytest

from spades.audit.exports import export_of
from spades.game.audience import SPECTATOR
from spades.game.rulesets import RULESETS
from tests.support.cheats import CHEATS, Cheat
from tests.support.damage import first_of_each_type, flipped, garbage, mutated, places
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
from tests.support.verifiers import (
    Found,
    in_javascript,
    in_python,
    needs_node,
    told_in_javascript,
)

pytestmark = needs_node

CASES = {
    f"{ruleset}-{cheat.name}": (ruleset, cheat) for cheat in CHEATS for ruleset in cheat.rulesets
}


@cache
def found_in_cheats() -> Mapping[str, list[Found]]:
    files = {}
    for name, (ruleset, cheat) in CASES.items():
        files[f"{name}-clumsy"] = cheat.clumsy(finished(ruleset, 2))
        files[f"{name}-careful"] = cheat.careful(finished(ruleset, 2))
    return in_javascript(files)


def checks(found: list[Found]) -> set[str]:
    return {finding.check for finding in found}


@pytest.mark.parametrize("name", CASES)
def test_a_cheat_is_found_as_it_is(name: str) -> None:
    cheat: Cheat = CASES[name][1]
    assert checks(found_in_cheats()[f"{name}-clumsy"]) & cheat.as_it_is


@pytest.mark.parametrize("name", CASES)
def test_a_cheat_is_found_with_all_else_made_good(name: str) -> None:
    cheat: Cheat = CASES[name][1]
    assert checks(found_in_cheats()[f"{name}-careful"]) & cheat.checks


def test_a_changed_bit_is_found_and_its_event_named() -> None:
    files = {}
    for ruleset in RULESETS:
        export = finished(ruleset)
        lines = export.splitlines()
        for event in first_of_each_type(read(export)):
            version = event["version"]
            for place in places(lines[version])[:30]:
                files[f"{ruleset} {version} {place}"] = flipped(export, version, place)
    for name, found in in_javascript(files).items():
        version = int(name.split()[1])
        told = re.compile(rf"\b({version}|line {version + 1})\b")
        assert any(one.version == version or told.search(one.detail) for one in found), name


def test_garbage_is_found_wrong_and_nothing_is_a_crash() -> None:
    for name, found in in_javascript(dict(garbage(finished("pairs")))).items():
        assert found, name
        assert not any("cannot be checked" in finding.detail for finding in found), found


@pytest.mark.slow
def test_both_find_something_wrong_with_the_same_of_many_odd_exports() -> None:
    chance, files = Random(17), dict[str, bytes]()
    for ruleset in RULESETS:
        for number in range(300):
            odd = mutated(finished(ruleset), chance)
            files[f"{ruleset} {number}"] = odd
            files[f"{ruleset} {number} chained"] = chained_if_possible(odd)
    for name, found in in_javascript(files).items():
        known = in_python(files[name])
        only_bots = checks(known) == {"bots"}
        assert only_bots or bool(known) is bool(found), (name, known, found)
        assert not any("cannot be checked" in finding.detail for finding in found), found


def chained_if_possible(data: bytes) -> bytes:
    try:
        return rechained(read(data)).lines()
    except (ValueError, TypeError, KeyError):
        return data


def games(seeds: range) -> dict[str, bytes]:
    """Exports of games of each ruleset for all viewers, under way and over."""
    files: dict[str, bytes] = {}
    house = House()
    for ruleset in RULESETS:
        for seed in seeds:
            for stop in (seed * 3, None):
                bots = BOTS[ruleset] if seed % 2 else ""
                table = played(ruleset, seed, house=house, bots=bots, stop=stop, max_hands=2)
                how = "over" if table.game.result else f"after {stop}"
                for viewer in viewers(table):
                    name = f"{ruleset} {seed} {how} {viewer}"
                    files[name] = export_of(table.ledger, viewer)
    return files


@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 32), marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_true_games_pass_for_every_viewer_under_way_and_over(seeds: range) -> None:
    told = told_in_javascript(games(seeds))
    assert told["findings"] == []
    for file in told["files"]:
        verdicts = set(file["checks"].values())
        over = " over " in file["file"]
        assert verdicts == {"passed", "open"}
        assert file["checks"]["bots"] == "open"
        assert (file["checks"]["actions"] == "passed") is over


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_leaf_opened_to_somebody_who_may_not_see_it_is_found(ruleset: str) -> None:
    opened = list(opened_too_early(played(ruleset, stop=30)))
    told = in_javascript({name: export for name, _, export in opened})
    for name, version, _ in opened:
        assert ("leaves", version) in [(one.check, one.version) for one in told[name]], name
    assert opened


def test_two_exports_that_disagree_are_found_and_the_first_difference_named() -> None:
    log = read(finished("pairs"))
    log.events[-1]["at"] = "2027-01-01T00:00:00.000Z"
    told = told_in_javascript({"one": finished("pairs"), "other": rechained(log).lines()})
    assert [(f["file"], f["version"]) for f in told["findings"]] == [("other", len(log.events))]


def test_a_seed_of_two_games_is_found() -> None:
    games = [played("pairs", house=House(seed=3, first_id=number)) for number in (1, 2)]
    files = {str(n): export_of(game.ledger, SPECTATOR) for n, game in enumerate(games)}
    assert [f["check"] for f in told_in_javascript(files)["findings"]] == ["seeds"]


def test_a_bot_that_decides_otherwise_is_left_open() -> None:
    log: Any = read(finished("pairs"))
    bid = next(event for event in log.all("bid_made") if event["actor"] == "bot")
    bid["data"]["tricks"] = bid["data"]["tricks"] % 13 + 1
    found = in_javascript({"file": made_good(log).lines()})["file"]
    assert checks(found) == {"scores"}
