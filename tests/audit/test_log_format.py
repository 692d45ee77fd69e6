"""`spades/log/v1` against its vectors: leaves, public forms, canonical text, chain."""

import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from spades.audit.log import canonical, commit, genesis, link, opened, salt, seal
from spades.game.events import read_event

LOGS = json.loads((Path(__file__).parents[1] / "cases" / "log-v1.json").read_text())["logs"]
LEAVES = [(log, leaf) for log in LOGS for leaf in log["leaves"]]
MOST = 2**53 - 1

log_values = st.recursive(
    st.none() | st.booleans() | st.integers(-MOST, MOST) | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(max_codepoint=127)), inner)
    ),
)


def openings_of(log: dict[str, Any], version: int) -> dict[str, Any]:
    return {
        leaf["pointer"]: {"salt": leaf["salt"], "value": leaf["value"]}
        for leaf in log["leaves"]
        if leaf["version"] == version
    }


@pytest.mark.parametrize(("log", "leaf"), LEAVES)
def test_a_leaf_is_committed_to_with_the_salt_of_its_place(
    log: dict[str, Any], leaf: dict[str, Any]
) -> None:
    assert salt(log["hand_seed"], leaf["version"], leaf["pointer"]) == leaf["salt"]
    assert canonical(leaf["value"]).decode() == leaf["jcs"]
    assert commit(leaf["salt"], leaf["value"]) == leaf["commit"]


@pytest.mark.parametrize("log", LOGS)
def test_the_chain_runs_from_the_genesis_over_every_public_form(log: dict[str, Any]) -> None:
    head = genesis(log["game_id"])
    assert head == log["hashes"][0]
    for public, text, expected in zip(log["publics"], log["jcs"], log["hashes"][1:], strict=True):
        assert canonical(public).decode() == text
        head = link(head, public)
        assert head == expected


@pytest.mark.parametrize("log", LOGS)
def test_an_event_read_from_the_log_seals_to_the_same_record(log: dict[str, Any]) -> None:
    for place, public in enumerate(log["publics"]):
        stored = seal(log["hashes"][place], _frame(public), public["data"], None)
        openings = openings_of(log, public["version"])
        event = read_event(public, opened(type(stored)(public, openings, stored.hash)))
        record = seal(log["hashes"][place], _frame(public), event.data(), log["hand_seed"])
        assert record.public == public
        assert record.secret == openings
        assert record.hash == log["hashes"][place + 1]
        assert (event.type, event.seat, event.actor) == (
            public["type"],
            public["seat"],
            public["actor"],
        )


def _frame(public: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in public.items() if key != "data"}


@given(log_values)
def test_the_canonical_form_is_that_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)
