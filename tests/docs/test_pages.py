"""The pages hold together: links lead somewhere, what must be told is told."""

import re
from pathlib import Path

import pytest

from spades.game.events import READERS as EVENT_TYPES
from spades.game.rulesets import OPTION_KINDS

ROOT = Path(__file__).parents[2]
SKIPPED = {".venv", ".venv-lock", ".git", ".spades", "node_modules"}
PAGES = sorted(
    page for page in ROOT.rglob("*.md") if not SKIPPED & set(page.relative_to(ROOT).parts)
)


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_docs_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"https?://|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} leads nowhere"
        if anchor:
            assert anchor in anchors(file), f"{target} has no such heading"


def test_docs_tell_of_every_option() -> None:
    rules = (ROOT / "docs" / "rules.md").read_text()
    assert [name for name in OPTION_KINDS if f"`{name}`" not in rules] == []


def test_docs_tell_of_every_event() -> None:
    log = (ROOT / "docs" / "log-format.md").read_text()
    assert [name for name in EVENT_TYPES if f"`{name}`" not in log] == []


def test_docs_list_every_decision() -> None:
    decisions = ROOT / "docs" / "decisions"
    index = (decisions / "README.md").read_text()
    pages = {page.name for page in decisions.glob("[0-9]*.md")}
    assert pages == set(re.findall(r"\]\((\d{4}[^)]*)\)", index))


def test_docs_tell_of_every_make_target() -> None:
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    told = (ROOT / "README.md").read_text() + (ROOT / "CONTRIBUTING.md").read_text()
    assert [target for target in targets if f"make {target}" not in told] == []
