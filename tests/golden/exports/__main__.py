"""Writes the golden exports of this version, once: `python -m tests.golden.exports`."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from spades.audit.exports import export_of
from spades.game.audience import SPECTATOR, seated
from spades.game.rulesets import RULESETS
from spades.game.seats import Seat
from tests.support.exports import BOTS, played
from tests.support.records import game_id
from tests.support.statements import JWKS, SIZES, Office, signed_head, signed_result

FOLDER = Path(__file__).parent / version("spades-service")
FIRST_ID = int(game_id(1).replace("-", ""), 16)


def files() -> dict[str, bytes]:
    """The exports, statements and proofs by the names of their files."""
    office = Office(first_id=FIRST_ID)
    made = {
        f"{ruleset}-finished-spectator.ndjson": office.export(place)
        for place, ruleset in enumerate(RULESETS)
    }
    for ruleset in RULESETS:
        ledger = played(
            ruleset, house=office.house, bots=BOTS[ruleset], stop=18, reissues=True
        ).ledger
        for viewer in (SPECTATOR, seated(Seat.S)):
            made[f"{ruleset}-running-{viewer}.ndjson"] = export_of(ledger, viewer)
    statements = {
        "jwks.json": JWKS,
        "result.json": signed_result(office.result(0)),
        f"checkpoint-{SIZES[0]}.json": signed_head(office.first),
        f"checkpoint-{SIZES[1]}.json": signed_head(office.second),
        f"inclusion-in-{SIZES[0]}.json": office.inclusion(0, SIZES[0]),
        f"inclusion-in-{SIZES[1]}.json": office.inclusion(0, SIZES[1]),
        "consistency.json": office.consistency(),
    }
    return made | {name: json.dumps(told).encode() + b"\n" for name, told in statements.items()}


def main() -> None:
    """Writes the files; refuses if this version has them already."""
    if FOLDER.exists():
        sys.exit(f"{FOLDER} is there already, and golden files are never made again.")
    FOLDER.mkdir()
    for name, content in files().items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()
