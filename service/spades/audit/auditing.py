"""The audit of one log: every check, in the order in which they build on one another."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from spades.audit.evidence import CLOSED, Evidence, all_opened, leaves_in, of_served
from spades.audit.exports import Export
from spades.audit.findings import Check, Finding, Report, Verdict, report
from spades.audit.form import misplaced_events, sound_events
from spades.audit.ledger import GAME_SEED
from spades.audit.log import Record
from spades.audit.replaying import REPLAYED, Policies, Replay
from spades.audit.sealing import broken_links, undue_opens, wrong_leaves
from spades.audit.values import is_digest


def audited(evidence: Evidence, policies: Policies) -> Report:
    """Returns the report on a log whose events all have their form."""
    findings = [*broken_links(evidence), *wrong_leaves(evidence)]
    if not findings:
        findings += undue_opens(evidence)
    replay = Replay(evidence, policies)
    replay.run()
    return report([*findings, *replay.findings], replay.unanswered, replay.reached)


def audited_records(
    game_id: str,
    version: int,
    head: str,
    records: Sequence[Record],
    policies: Policies,
    checkpointed: Mapping[int, str] | None = None,
) -> Report:
    """Returns the report on a stored log by one who knows everything in it.

    `version` and `head` are where the store says that the log has come to, `checkpointed`
    the hashes that checkpoints took in, by version.
    """
    events = [all_opened(record) for record in records]
    findings, sound = sound_events(events)
    findings += _misplaced_openings(records)
    if _game_seed(records) is None:
        findings.append(Finding(Check.DEALS, "the game's seed is not kept with it", 1))
    evidence = of_served(game_id, events[:sound], None, _game_seed(records))
    findings += misplaced_events(evidence)
    known = {0: None, **{place: event["hash"] for place, event in enumerate(events, 1)}}
    if version != len(events) or head != known[len(events)]:
        findings.append(Finding(Check.END, "the game's head is not its last event", version))
    for place, noted in (checkpointed or {}).items():
        if known.get(place) != noted:
            findings.append(Finding(Check.CHAIN, "not the event that a checkpoint knows", place))
    return _completed(audited(evidence, policies), findings, 0 < sound == len(events))


def _misplaced_openings(records: Sequence[Record]) -> Iterator[Finding]:
    """Yields openings that stand in a public form, and those kept for no leaf of it."""
    for place, record in enumerate(records, 1):
        leaves = dict(leaves_in(record.public.get("data")))
        for pointer, leaf in leaves.items():
            if leaf.keys() != CLOSED:
                detail = "opened in the stored public form"
                yield Finding(Check.LEAVES, detail, place, pointer)
        if record.secret.keys() - leaves.keys() - {GAME_SEED}:
            yield Finding(Check.LEAVES, "an opening of no leaf is kept", place)


def _game_seed(records: Sequence[Record]) -> str | None:
    seed = records[0].secret.get(GAME_SEED) if records else None
    return seed if is_digest(seed) else None


def audited_export(export: Export, policies: Policies) -> Report:
    """Returns the report on an export, as far as its form lets it be read."""
    known = audited(export.evidence, policies)
    return _completed(known, export.findings, export.is_whole)


def _completed(known: Report, findings: Iterable[Finding], is_whole: bool) -> Report:
    """Adds what was found in the form; a log that is not whole leaves the rest unanswered."""
    unanswered = {check for check, verdict in known.verdicts.items() if verdict is Verdict.OPEN}
    if not is_whole:
        unanswered |= {Check.CHAIN, Check.LEAVES, *REPLAYED}
    return report([*findings, *known.findings], unanswered, known.reached)
