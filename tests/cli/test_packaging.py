"""What is installed is locked, explained and free of addresses."""

import re
import tomllib
from pathlib import Path

import pytest

PROJECT = tomllib.loads(Path("pyproject.toml").read_text())
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-build.lock")


def named(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[>=<;]", requirement)[0] for requirement in requirements}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address_and_hashes_everything(lock: str) -> None:
    text = Path(lock).read_text()
    assert not re.search(r"https?://|file:|git\+", text)
    pins = re.findall(r"^\S+==\S+(.*\n(?:    .*\n)*)", text, re.MULTILINE)
    assert pins
    assert all("--hash=sha256:" in pin for pin in pins)


def test_every_dependency_is_locked_and_has_its_reason() -> None:
    reasons = Path("CONTRIBUTING.md").read_text().split("## Dependencies")[1]
    runtime = named(PROJECT["project"]["dependencies"])
    groups = PROJECT["dependency-groups"]
    for lock, names in zip(
        LOCKS, (runtime, named(groups["dev"]), named(groups["build"])), strict=True
    ):
        pinned = set(
            re.findall(r"^([a-z0-9-]+)(?:\[.*\])?==", Path(lock).read_text(), re.MULTILINE)
        )
        assert names <= pinned
        for name in names:
            assert re.search(rf"\b{name}\b", reasons), f"CONTRIBUTING.md gives no reason for {name}"
