"""Checks of what is sealed: the chain and the leaves."""

from collections.abc import Iterable, Iterator

from spades.audit.evidence import Evidence, Exhibit
from spades.audit.findings import Check, Finding
from spades.audit.ledger import Ledger
from spades.audit.log import JsonObject, Record, canonical, commit, genesis, link, salt
from spades.errors import DamagedLog
from spades.game.audience import SPECTATOR, Viewer, leaf_at, seated
from spades.game.events import GameCreated
from spades.game.seats import Seat, partner_of


def broken_links(evidence: Evidence) -> Iterator[Finding]:
    """Yields each event whose hash does not follow from the one before it."""
    head = genesis(evidence.game_id)
    for exhibit in evidence.exhibits:
        if link(head, exhibit.public) != exhibit.hash:
            detail = "the hash does not follow from the event and the one before"
            yield Finding(Check.CHAIN, detail, exhibit.version)
        head = exhibit.hash


def wrong_leaves(evidence: Evidence) -> Iterator[Finding]:
    """Yields each opening that does not fit, is missing, or is too much."""
    for number, exhibit in evidence.hands():
        seed = evidence.hand_seed(number)
        for pointer, commitment in exhibit.leaves.items():
            fault = _leaf_fault(evidence, exhibit, pointer, commitment, seed)
            if fault:
                yield Finding(Check.LEAVES, fault, exhibit.version, pointer)
        yield from _wrong_opens(evidence, exhibit)


def _leaf_fault(
    evidence: Evidence, exhibit: Exhibit, pointer: str, commitment: str, seed: str | None
) -> str | None:
    opening = exhibit.openings.get(pointer)
    if opening is None:
        return "not opened, though the hand is revealed" if seed else None
    if commit(opening["salt"], opening["value"]) != commitment:
        return "the opening does not fit its commitment"
    if seed is None:
        may_see = _may_see(evidence, exhibit, pointer)
        return None if may_see else "opened to a viewer who may not see it"
    if salt(seed, exhibit.version, pointer) != opening["salt"]:
        return "the salt does not follow from the hand's seed"
    return None


def _may_see(evidence: Evidence, exhibit: Exhibit, pointer: str) -> bool:
    """Whether a leaf of a hand that is not revealed could be open to the viewer at all."""
    if evidence.viewer is None:
        return True
    try:
        viewer, owner = Seat(evidence.viewer), exhibit.public["seat"]
        leaf = leaf_at(0, pointer, Seat(owner) if owner else None)
    except ValueError:
        return False
    if leaf.name in ("stock", "discarded"):
        return False
    shared = leaf.name == "given" and leaf.seat is _partner(evidence, viewer)
    return leaf.seat is viewer or shared


def _partner(evidence: Evidence, viewer: Seat) -> Seat | None:
    created = evidence.events[0]
    seats = tuple(created.chairs) if isinstance(created, GameCreated) else ()
    return partner_of(seats, viewer) if viewer in seats else None


def _wrong_opens(evidence: Evidence, exhibit: Exhibit) -> Iterator[Finding]:
    for place, opening in enumerate(exhibit.opens):
        if not _fits_earlier(evidence, exhibit, opening):
            detail = "opens no leaf of an earlier event as it is"
            yield Finding(Check.LEAVES, detail, exhibit.version, f"/opens/{place}")


def _fits_earlier(evidence: Evidence, exhibit: Exhibit, opening: JsonObject) -> bool:
    earlier = evidence.exhibits[: exhibit.version - 1]
    if not 1 <= opening["version"] <= len(earlier):
        return False
    known = earlier[opening["version"] - 1].openings.get(opening["pointer"])
    told = {"salt": opening["salt"], "value": opening["value"]}
    return known is not None and canonical(known) == canonical(told)


def undue_opens(evidence: Evidence) -> Iterator[Finding]:
    """Yields each event of a game that is all known whose `opens` are not just what it opened."""
    if evidence.viewer is None or evidence.game_seed is None:
        return
    records = [Record(one.public, dict(one.openings), one.hash) for one in evidence.exhibits]
    try:
        ledger = Ledger(evidence.game_id, evidence.game_seed).read(records)
        served = ledger.served(_viewer(evidence.viewer), 0)
    except DamagedLog:
        return
    for exhibit, event in zip(evidence.exhibits, served, strict=True):
        if _in_order(exhibit.opens) != _in_order(event.get("opens", [])):
            yield Finding(
                Check.LEAVES, "does not open just what it must", exhibit.version, "/opens"
            )


def _in_order(opens: Iterable[JsonObject]) -> bytes:
    return canonical(sorted(opens, key=lambda opening: (opening["version"], opening["pointer"])))


def _viewer(name: str) -> Viewer:
    return seated(Seat(name)) if name in list(Seat) else SPECTATOR
