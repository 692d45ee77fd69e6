"""The options: defaults as the sources have them, ranges, and what is refused."""

from typing import Any

import pytest

from spades.errors import ValidationFailed
from spades.game.rulesets import (
    OPTION_KINDS,
    OPTION_MEANINGS,
    PAIRS,
    PARTNERSHIP,
    RULESETS,
    TWO_PLAYER,
    Choice,
    WholeNumber,
    options_of,
    resolve_options,
)

COMMON = {
    "target": 500,
    "bag_limit": 10,
    "bag_penalty": 100,
    "nil": 100,
    "double_nil_deficit": 0,
    "lead_spades": "broken",
    "min_side_bid": None,
    "ten_for_200": False,
    "max_hands": 200,
}
OWN = {
    "two-player": {
        "lose_at": None,
        "double_nil": 200,
        "exchange_cards": 3,
        "failed_nil_tricks": "ignore",
        "undo": "off",
    },
    "partnership": {
        "lose_at": None,
        "double_nil": 200,
        "exchange_cards": 3,
        "failed_nil_tricks": "bags",
        "undo": "off",
    },
    "pairs": {
        "lose_at": -200,
        "double_nil": None,
        "exchange_cards": 0,
        "failed_nil_tricks": "bags",
        "undo": "bots_only",
    },
}
RANGES: dict[str, tuple[int, int, bool]] = {
    "target": (1, 10000, False),
    "lose_at": (-10000, -1, True),
    "bag_limit": (1, 100, True),
    "bag_penalty": (0, 1000, False),
    "nil": (0, 1000, True),
    "double_nil": (0, 1000, True),
    "double_nil_deficit": (0, 1000, False),
    "exchange_cards": (0, 13, False),
    "min_side_bid": (1, 13, True),
    "max_hands": (1, 1000, False),
}
WORDS = {
    "failed_nil_tricks": ("ignore", "bags", "bid"),
    "lead_spades": ("broken", "anytime"),
    "undo": ("off", "bots_only", "consent"),
}


def fault(name: str, value: Any) -> dict[str, Any]:
    with pytest.raises(ValidationFailed) as refusal:
        resolve_options(PARTNERSHIP, {name: value})
    (found,) = refusal.value.facts["errors"]
    assert found["pointer"] == f"/options/{name}"
    return dict(found)


@pytest.mark.parametrize("name", RULESETS)
def test_the_defaults_are_those_of_the_sources(name: str) -> None:
    """C-10, C-11, C-13, T-08, V-09, A-01, A-15, A-17, A-21."""
    assert RULESETS[name].options.as_json() == {**COMMON, **OWN[name]}


def test_every_option_is_told_of() -> None:
    names = {*COMMON, *OWN["pairs"]}
    assert set(OPTION_KINDS) == set(OPTION_MEANINGS) == names == {*RANGES, *WORDS, "ten_for_200"}


@pytest.mark.parametrize(("name", "span"), RANGES.items())
def test_a_number_is_taken_inside_its_range_and_refused_outside(
    name: str, span: tuple[int, int, bool]
) -> None:
    least, most, nullable = span
    for value in (least, (least + most) // 2, most):
        assert resolve_options(PAIRS, {name: value}).as_json()[name] == value
    for value in (least - 1, most + 1, 10**30):
        found = fault(name, value)
        assert (found["code"], found["min"], found["max"]) == ("out_of_range", least, most)
    if nullable:
        assert resolve_options(TWO_PLAYER, {name: None}).as_json()[name] is None
    else:
        assert fault(name, None)["code"] == "invalid_type"


@pytest.mark.parametrize("name", OPTION_KINDS)
@pytest.mark.parametrize("value", ["3", 2.5, [], {}, float("nan"), "BAGS"])
def test_values_of_another_kind_are_refused(name: str, value: object) -> None:
    assert fault(name, value)["code"] in ("invalid_type", "invalid_choice")


@pytest.mark.parametrize("name", [n for n, k in OPTION_KINDS.items() if isinstance(k, WholeNumber)])
def test_true_is_not_a_number(name: str) -> None:
    assert fault(name, True)["code"] == "invalid_type"


@pytest.mark.parametrize(("name", "words"), WORDS.items())
def test_a_choice_is_one_of_its_words(name: str, words: tuple[str, ...]) -> None:
    for word in words:
        assert resolve_options(PAIRS, {name: word}).as_json()[name] == word
    kind = OPTION_KINDS[name]
    assert isinstance(kind, Choice)
    assert tuple(word.value for word in kind.words) == words


def test_a_yes_or_no_is_not_a_number() -> None:
    assert resolve_options(PAIRS, {"ten_for_200": True}).ten_for_200
    for value in (1, 0, None, "true"):
        assert fault("ten_for_200", value)["code"] == "invalid_type"


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(ValidationFailed) as refusal:
        resolve_options(PAIRS, {"jokers/~": 2, "target": 0})
    assert [found["pointer"] for found in refusal.value.facts["errors"]] == [
        "/options/jokers~1~0",
        "/options/target",
    ]


def test_recorded_options_are_read_back_as_they_were() -> None:
    chosen = resolve_options(PAIRS, {"target": 250, "undo": "consent", "nil": None})
    assert options_of(chosen.as_json()) == chosen
