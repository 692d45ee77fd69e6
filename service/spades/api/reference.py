"""Writes `docs/errors.md` from the table of errors: `python -m spades.api.reference [FILE]`."""

import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from spades.api.errors import ANSWERS, Answer

HEAD = """\
# Errors

Every answer that is not a success is `application/problem+json` (RFC 9457):

```json
{
  "type": "/v1/errors/must_follow_suit",
  "title": "You must follow the suit led",
  "status": 422,
  "code": "must_follow_suit",
  "detail": "Diamonds were led and you hold KD, TD.",
  "instance": "/v1/games/01940000-0000-7000-8000-000000000001/actions",
  "request_id": "8YkQ2mZ0",
  "retryable": false,
  "led": "D",
  "legal_actions": [{"type": "play", "card": "KD", "expected_version": 71}]
}
```

Switch on `code`: it is stable, and the list is closed. `title` and `detail` are for people.
`retryable` says that the same request may succeed when it is sent again unchanged.
`request_id` is the caller's own `X-Request-Id`, or a fresh one; it also stands in the header of
every answer and in the service's log. A refused action carries the `legal_actions` of its seat,
a `version_conflict` the whole fresh `view`.

`validation_failed` lists every fault of the body in `errors`, each with the JSON `pointer` of
the place, a `code` (`required`, `unknown_field`, `invalid_type`, `out_of_range`,
`invalid_choice`, `invalid`), a `detail`, and `min` and `max` or `choices` where they help.

<!-- Made by `python -m spades.api.reference` from the table that answers with these codes. -->
"""

COLUMNS = ("| code | title | when | what to do | retryable |", "|---|---|---|---|---|")


def reference() -> str:
    """Returns the text of the page."""
    by_status = groupby(sorted(ANSWERS, key=lambda row: row.status), key=lambda row: row.status)
    return HEAD + "".join(_section(status, rows) for status, rows in by_status)


def _section(status: int, rows: Iterable[Answer]) -> str:
    lines = [_line(row) for row in rows]
    return "\n".join(("", f"## {status}", "", *COLUMNS, *lines, ""))


def _line(row: Answer) -> str:
    retryable = "yes" if row.retryable else "no"
    return f"| `{row.code}` | {row.error.title} | {row.when} | {row.remedy} | {retryable} |"


def main(file: str = "docs/errors.md") -> None:
    """Writes the page."""
    Path(file).write_text(reference())


if __name__ == "__main__":
    main(*sys.argv[1:])
