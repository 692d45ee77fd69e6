"""Every rule is tested by a test that names it, and only rules that exist are named."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULE = re.compile(r"\b[CTPVAB]-\d\d\b")
NOT_OFFERED_YET = {"V-10", "V-11", "V-12", "A-50", "A-51"}


def told() -> set[str]:
    rules = (ROOT / "docs" / "rules.md").read_text()
    return set(re.findall(r"^\| ([CTPVAB]-\d\d) \|", rules, flags=re.MULTILINE))


def cited() -> set[str]:
    tests = [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]
    return {rule for path in tests for rule in RULE.findall(path.read_text())}


def test_docs_rules_are_each_cited_by_a_test() -> None:
    assert sorted(told() - cited() - NOT_OFFERED_YET) == []


def test_docs_tell_of_every_rule_that_a_test_cites() -> None:
    assert sorted(cited() - told()) == []
