"""What checks find: findings by check, and a verdict on each check."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Check(StrEnum):
    """What is asked of a log; `docs/exports.md` tells each in full."""

    FORMAT = "format"
    CHAIN = "chain"
    LEAVES = "leaves"
    DEALS = "deals"
    ACTIONS = "actions"
    BOTS = "bots"
    SCORES = "scores"
    END = "end"


class Verdict(StrEnum):
    """What became of a check; open where not enough is known to make it."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, and where: an event's version and a JSON pointer into it.

    `check` is a `Check` of a log, or the word for what else was checked. `detail` names no
    hidden value, so that a finding may be shown to anybody.
    """

    check: str
    detail: str
    version: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        place = [f"event {self.version}"] if self.version is not None else []
        place += [self.pointer] if self.pointer else []
        return ": ".join([part for part in (" ".join(place), self.check, self.detail) if part])

    def as_json(self) -> dict[str, Any]:
        """Returns the finding by its parts."""
        return {
            "check": self.check,
            "version": self.version,
            "pointer": self.pointer,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit of one log came to: a verdict on every check, and all findings.

    `reached` is the version up to which the log could be replayed.
    """

    findings: tuple[Finding, ...]
    verdicts: Mapping[Check, Verdict]
    reached: int

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def report(findings: Iterable[Finding], unanswered: Iterable[Check], reached: int) -> Report:
    """Returns the report of an audit that left some checks unanswered."""
    found = tuple(findings)
    failed, still_open = {finding.check for finding in found}, set(unanswered)
    verdicts = {check: _verdict(check, failed, still_open) for check in Check}
    return Report(found, verdicts, reached)


def _verdict(check: Check, failed: set[str], still_open: set[Check]) -> Verdict:
    if check in failed:
        return Verdict.FAILED
    return Verdict.OPEN if check in still_open else Verdict.PASSED
