"""Writes the published vectors, once: `python -m tests.verifier.vectors`."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from spades.audit.exports import export_of
from spades.game.audience import SPECTATOR, seated
from spades.game.seats import Seat
from spades.tables import Table
from tests.support.cheats import CHEATS, Bolder, a_time_that_goes_back
from tests.support.exports import (
    BOTS,
    Event,
    Log,
    leaves_of,
    played,
    read,
    rechained,
)
from tests.support.house import House
from tests.support.records import game_id
from tests.support.statements import (
    JWKS,
    SIZES,
    STRANGER,
    Office,
    signed_head,
    signed_result,
)
from tests.support.vectors import FOLDER

Where = Callable[[Log], Event] | None
CHANGED = "changed"
ANY = "any"
KEYS = "jwks.json"
WITH_REPLACEMENTS = 3
FIRST_ID = int(game_id(2).replace("-", ""), 16)


def of_type(*types: str) -> Where:
    return lambda log: log.first(*types)


def the_last(log: Log) -> Event:
    return log.events[-1]


CHEATS_SHOWN: dict[str, tuple[str, str, Where | str, str]] = {
    "another_value_in_a_leaf": (
        "pairs", "leaves", of_type("hand_started"), "A holding was turned round in its opening."),
    "another_salt": (
        "pairs", "leaves", of_type("hand_started"), "A holding has another salt."),
    "an_open_leaf_closed": (
        "pairs", "leaves", of_type("hand_started"), "A holding of a revealed hand is not opened."),
    "another_value_in_opens": (
        "pairs", "leaves", of_type("hand_scored"), "The score opens a leaf with another value."),
    "another_game_seed": ("pairs", "deals", None, "The end tells another game seed."),
    "another_hand_seed": ("pairs", "deals", None, "The score tells another hand seed."),
    "another_client_seed": (
        "pairs", "deals", of_type("hand_started"), "A client seed was changed after the deal."),
    "another_first_dealer": ("pairs", "deals", None, "The first dealer was not drawn."),
    "holdings_swapped": (
        "pairs", "deals", of_type("hand_started"), "N and E have each other's holdings."),
    "drafted_cards_exchanged": (
        "two-player", "deals", of_type("card_kept"), "The kept card was the discarded one."),
    "replacements_chosen": (
        "two-player", "deals", of_type("cards_exchanged"), "Replacements were chosen, not drawn."),
    "a_card_given_that_was_not_held": (
        "partnership", "actions", of_type("cards_exchanged"), "A card given was not held."),
    "a_revoke": ("pairs", "actions", CHANGED, "A seat did not follow suit and could have."),
    "a_play_out_of_turn": ("pairs", "actions", of_type("card_played"), "Two seats changed turns."),
    "a_trick_to_somebody_else": (
        "pairs", "actions", of_type("trick_taken"), "A trick went to another seat than won it."),
    "points_too_many": ("pairs", "scores", of_type("hand_scored"), "A contract paid ten too much."),
    "another_winner": ("pairs", "scores", the_last, "The end names the other side."),
    "the_end_cut_off": ("pairs", "end", the_last, "After the last score there is no end."),
    "a_play_after_the_end": ("pairs", "end", the_last, "A card is played after the end."),
}  # fmt: skip


class Vectors:
    """The vectors as they are made: their files, and what is expected of them."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.told: list[dict[str, Any]] = []

    def add(
        self,
        name: str,
        says: str,
        files: dict[str, Any],
        *,
        check: str | None = None,
        version: int | None = None,
        jwks: str | None = None,
    ) -> None:
        """Adds a vector; a file that several have is told again or by None."""
        self.files |= {
            file: content if isinstance(content, bytes) else in_json(content)
            for file, content in files.items()
            if content is not None
        }
        known = None if check == ANY else check
        verdict = {"ok": check is None, "check": known, "version": version}
        self.told.append(
            {"name": name, "files": list(files), "jwks": jwks, **verdict, "says": says}
        )


def in_json(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def all_vectors() -> Vectors:
    made, office = Vectors(), Office(first_id=FIRST_ID)
    exports = {
        "two-player": office.export(WITH_REPLACEMENTS),
        "partnership": office.export(1),
        "pairs": office.export(2),
    }
    for ruleset, export in exports.items():
        says = f"A finished game of {ruleset}, as a spectator sees it."
        made.add(ruleset, says, {f"{ruleset}.ndjson": export})
    add_cheats(made, exports)
    running = played("pairs", house=office.house, bots="E", stop=5)
    add_running(made, running)
    add_bot(made)
    add_between(made, exports["pairs"])
    add_statements(made, office)
    return made


def add_cheats(made: Vectors, exports: dict[str, bytes]) -> None:
    known = {cheat.name: cheat for cheat in CHEATS}
    for name, (ruleset, check, where, says) in CHEATS_SHOWN.items():
        export = known[name].careful(exports[ruleset])
        version = place_of(where, read(exports[ruleset]), read(export))
        file = f"{name.replace('_', '-')}.ndjson"
        made.add(file.removesuffix(".ndjson"), says, {file: export}, check=check, version=version)


def place_of(where: Where | str, before: Log, after: Log) -> int | None:
    """The version of the event that a finding must name; None if more than one would do."""
    if where == CHANGED:
        pairs = zip(before.events, after.events, strict=True)
        return next(int(new["version"]) for old, new in pairs if old["data"] != new["data"])
    return int(where(after)["version"]) if callable(where) else None


def add_running(made: Vectors, table: Table) -> None:
    export = export_of(table.ledger, SPECTATOR)
    size = len(read(export).events)
    for viewer in (SPECTATOR, seated(Seat.N)):
        says = f"A game under way, as {viewer} sees it: most checks are open."
        made.add(
            f"under-way-{viewer}",
            says,
            {f"under-way-{viewer}.ndjson": export_of(table.ledger, viewer)},
        )
    for name, says, check, version, data in changed(export, size):
        made.add(name, says, {f"{name}.ndjson": data}, check=check, version=version)
    log = read(export)
    start = log.first("hand_started")
    secret = table.ledger.steps[start["version"] - 1].record.secret
    dict(leaves_of(start))["/data/holdings/N"].update(secret["/data/holdings/N"])
    made.add(
        "opened-too-early",
        "A holding is opened, truly, to a spectator while the hand is played.",
        {"opened-too-early.ndjson": log.lines()},
        check="leaves",
        version=start["version"],
    )


def changed(export: bytes, size: int) -> Iterator[tuple[str, str, str, int | None, bytes]]:
    """Yields the running game with one line or byte changed."""
    first, last = b'"version":1,', f'"version":{size},'.encode()
    lines = export.splitlines(keepends=True)
    log = read(export)
    log.events[2]["at"] = "2026-11-30T11:59:59.999Z"
    yield "chain-broken", "A time was changed and no hash.", "chain", 3, log.lines()
    log = read(export)
    a_time_that_goes_back(log)
    yield "time-goes-back", "The last time is too early.", "format", size, rechained(log).lines()
    log = read(export)
    log.events[2]["note"] = "as agreed"
    yield "key-too-many", "An event has one key more.", "format", 3, rechained(log).lines()
    twice = export.replace(first, first + first)
    yield "key-twice", "The first event has a key twice.", "format", None, twice
    fraction = export.replace(last, last[:-1] + b".0,")
    yield "number-with-a-point", "The last version is 1.0 of itself.", "format", None, fraction
    yield "event-left-out", "An event is left out.", "format", None, b"".join(lines[:3] + lines[4:])
    cut = export[:-40]
    yield "cut-off", "The last line is cut off.", "format", None, cut
    shorter = b"".join(lines[:-1])
    yield "header-names-more", "The last event is missing.", "format", None, shorter


def add_bot(made: Vectors) -> None:
    house = House(first_id=FIRST_ID + 50, policies={"novice": Bolder()})
    table = played("pairs", house=house, bots=BOTS["pairs"])
    export = export_of(table.ledger, SPECTATOR)
    bid = next(e for e in read(export).all("bid_made") if e["actor"] == "bot")
    made.add(
        "bot-that-bids-otherwise",
        "The bots bid what novice/1 would not; only who has the policies can tell.",
        {"bot-that-bids-otherwise.ndjson": export},
        check="bots",
        version=bid["version"],
    )


def add_between(made: Vectors, export: bytes) -> None:
    log = read(export)
    log.events[-1]["at"] = "2027-01-01T00:00:00.000Z"
    made.add(
        "rewritten",
        "A log whose end was moved and chained anew: nothing in it is wrong.",
        {"rewritten.ndjson": rechained(log).lines()},
    )
    made.add(
        "two-that-disagree",
        "Two exports of one game have another last event.",
        {"pairs.ndjson": None, "rewritten.ndjson": None},
        check="exports",
        version=len(log.events),
    )


def add_statements(made: Vectors, office: Office) -> None:
    result = signed_result(office.result(2))
    game = {"pairs.ndjson": None}
    made.files[KEYS] = in_json(JWKS)
    made.add("result", "A result and its game.", {"result.json": result, **game}, jwks=KEYS)
    made.add(
        "result-compact", "The same as a JWS.", {"result.jws": result["jws"].encode()}, jwks=KEYS
    )
    made.add("result-unchecked", "Without keys a signature is no fault.", {"result.json": None})
    forged = signed_result(office.result(2), STRANGER)
    made.add(
        "result-by-a-stranger", "Signed by a key that is not in the set.",
        {"result-by-a-stranger.json": forged}, check="signature", jwks=KEYS,
    )  # fmt: skip
    made.add(
        "result-changed", "The hands beside the signature are not those signed.",
        {"result-changed.json": {**result, "hands": 2}}, check=ANY, jwks=KEYS,
    )  # fmt: skip
    wrong = signed_result({**office.result(2), "points": {"NS": 1000, "EW": 0}})
    made.add(
        "result-with-other-points", "Well signed, and not what the game's export says.",
        {"result-with-other-points.json": wrong, **game}, check="result", jwks=KEYS,
    )  # fmt: skip
    made.add(
        "result-of-a-rewritten-game", "The export has another end than the result names.",
        {"result.json": None, "rewritten.ndjson": None}, check="result", jwks=KEYS,
    )  # fmt: skip
    add_trees(made, office)


def add_trees(made: Vectors, office: Office) -> None:
    early, late = (f"checkpoint-{size}.json" for size in SIZES)
    heads = {early: signed_head(office.first), late: signed_head(office.second)}
    proofs = {
        "inclusion.json": office.inclusion(2, SIZES[0]),
        "consistency.json": office.consistency(),
    }
    made.add(
        "checkpoints", "Two checkpoints, the later begins with the earlier, a game is in that.",
        {**heads, **proofs, "pairs.ndjson": None}, jwks=KEYS,
    )  # fmt: skip
    made.add(
        "checkpoint-missing", "The proof's checkpoint is not among the files.",
        {"inclusion.json": None}, check="checkpoint", jwks=KEYS,
    )  # fmt: skip
    made.add(
        "checkpoint-of-another-history", "The export is not the one that was checkpointed.",
        {early: None, "inclusion.json": None, "rewritten.ndjson": None},
        check="checkpoint", jwks=KEYS,
    )  # fmt: skip
    for name in ("inclusion", "consistency"):
        proof = dict(proofs[f"{name}.json"])
        proof[f"{name}_path"] = ["17" * 32, *proof[f"{name}_path"][1:]]
        made.add(
            f"{name}-with-another-path", "The path does not lead to the checkpoint.",
            {early: None, late: None, f"{name}-with-another-path.json": proof},
            check="checkpoint", jwks=KEYS,
        )  # fmt: skip


def main() -> None:
    """Writes the files; refuses if they are there."""
    if (FOLDER / "vectors.json").exists():
        sys.exit(f"{FOLDER} has its vectors already, and published vectors are never made again.")
    made = all_vectors()
    for name, content in made.files.items():
        (FOLDER / name).write_bytes(content)
    text = json.dumps({"vectors": made.told}, indent=2) + "\n"
    (FOLDER / "vectors.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
