"""The audit of one log: every check, in the order in which they build on one another."""

from spades.audit.evidence import Evidence
from spades.audit.exports import Export
from spades.audit.findings import Check, Finding, Report, report
from spades.audit.replaying import Policies, Replay
from spades.audit.sealing import broken_links, wrong_leaves

REPLAYED = (Check.DEALS, Check.ACTIONS, Check.BOTS, Check.SCORES, Check.END)


def audited(evidence: Evidence, policies: Policies) -> Report:
    """Returns the report on a log whose events all have their form."""
    findings = [*broken_links(evidence), *wrong_leaves(evidence)]
    replay = Replay(evidence, policies)
    replay.run()
    return report([*findings, *replay.findings], replay.unanswered)


def audited_export(export: Export, policies: Policies) -> Report:
    """Returns the report on an export, as far as its form lets it be read."""
    known = audited(export.evidence, policies)
    findings: list[Finding] = [*export.findings, *known.findings]
    unanswered = {check for check, verdict in known.verdicts.items() if verdict == "open"}
    if not export.is_whole:
        unanswered |= {Check.CHAIN, Check.LEAVES, *REPLAYED}
    return report(findings, unanswered)
