"""The shapes of answers about trust: tokens to look, audits, results, checkpoints, players."""

from marshmallow import fields

from spades.api.bodies import VIEWERS
from spades.api.shapes import (
    OUTCOMES,
    Options,
    Shape,
    a_side,
    by_name,
    digest,
    game_id,
    link,
    many,
    moment,
    part,
    text,
    whole,
    word,
)
from spades.audit.findings import Check, Verdict
from spades.game.commands import PlayerKind
from spades.game.rulesets import RULESETS

JWS = r"^[\w-]+\.[\w-]+\.[\w-]+$"


def uuid(says: str, *, null: bool = False) -> fields.String:
    """Returns the id of something that is no game."""
    return text(says, null=null, format="uuid")


class ViewerToken(Shape):
    """A token to look at one game."""

    token = text("The token; it is not shown again.")
    id = uuid("What names the token in the access log.")
    kind = word("Whom it makes its bearer.", VIEWERS)
    generation = whole("The generation of the game's tokens of this kind.", 1)
    expires_at = text("When it expires; null: never.", null=True, format="date-time")


class SeatToken(Shape):
    """The next token of a seat."""

    token = text("The token: the earlier ones open nothing any more.")
    generation = whole("The generation of the seat's token.", 2)
    version = whole("The version of the game's event that tells of it.", 1)


class ReadingView(Shape):
    """One reading of a game by an auditor."""

    at = moment("When.")
    token_id = uuid("The `id` of the token that was sent.")
    kind = word("Who read.", VIEWERS)
    operation = text("The operation, by its `operationId`.")
    version = whole("How far the game had come.", 1)


class AccessLog(Shape):
    """A page of a game's access log."""

    items = many(ReadingView, "The readings, latest first.")
    next = link("The next page; null when there is none.", null=True)


class CheckView(Shape):
    """What became of one check."""

    check = word("What was asked.", Check)
    verdict = word("What became of it; open: not enough is known yet.", Verdict)


class Divergence(Shape):
    """Something in a log that is not as it must be."""

    check = word("The check that found it.", Check)
    version = whole("The version of the event.", 1, null=True)
    pointer = text("Where in the event.", null=True, format="json-pointer")
    detail = text("What is wrong; it names no hidden value.")


class LeafView(Shape):
    """A commitment in the log, with its opening where the caller may see it."""

    version = whole("The version of the event it stands in.", 1)
    pointer = text("Where in the event.", format="json-pointer")
    commit = digest("The commitment.")
    salt = digest("The salt; null where the leaf is closed to the caller.", null=True)
    value = fields.Raw(
        required=True,
        allow_none=True,
        metadata={"description": "The value; null where the leaf is closed to the caller."},
    )


class HandDeal(Shape):
    """The deal of one hand."""

    number = whole("The hand's number.", 1)
    version = whole("The version of the event that started it.", 1)
    hand_commit = digest("The commitment to the hand's seed.")
    hand_seed = digest("The seed, once the hand is revealed.", null=True)
    verdict = word("Whether the deal follows from the seeds.", Verdict)


class AuditView(Shape):
    """An audit of a game's whole log."""

    game_id = game_id()
    version = whole("The number of events.", 1)
    log_head = digest("The hash of the last event.")
    game_commit = digest("The commitment to the game's seed.", null=True)
    game_seed = digest("The seed, once the game is over.", null=True)
    checks = many(CheckView, "Every check with its verdict.")
    hands = many(HandDeal, "The deal of each hand.")
    leaves = many(LeafView, "Every commitment in the log.")
    divergences = many(Divergence, "What is not as it must be.")
    quarantined = fields.Boolean(
        required=True,
        metadata={"description": "Whether the game takes no more actions, because it diverges."},
    )


class SeatResult(Shape):
    """Who sat in a seat."""

    kind = word("What kind of player.", PlayerKind)
    level = text("A bot's level.", null=True)
    player_ref = text("The platform's reference.", null=True)


class ResultView(Shape):
    """The result of a game that is over, as it is signed."""

    format = word("The form of the payload.", ("spades-result/1",))
    id = uuid("The result's id.")
    supersedes = uuid("The id of the result that this one corrects.", null=True)
    issued_at = moment("When it was issued.")
    game_id = game_id()
    ruleset = word("The game's ruleset.", RULESETS)
    options = part(Options, "The game's options, resolved.")
    options_hash = digest("The SHA-256 of the options' canonical JSON.")
    status = word("How the game stands.", OUTCOMES)
    winner = a_side("The side that won; null for a draw.", null=True)
    reason = text("Why it ended.")
    points = by_name(whole(""), "Points by side.")
    bags = by_name(whole("", 0), "Bags by side.")
    hands = whole("Hands scored.", 0)
    seats = by_name(SeatResult, "Who sat where.")
    finished_at = moment("When the game ended.")
    version = whole("The version of the event that ended it.", 1)
    log_head = digest("The hash of that event.")
    jws = text("All of this as a compact JWS.", pattern=JWS)


class CheckpointView(Shape):
    """A signed tree head over the list of all games' heads."""

    format = word("The form of the payload.", ("spades-checkpoint/1",))
    tree_size = whole("How many entries the list had.", 1)
    root_hash = digest("The root of the Merkle tree over them.")
    made_at = moment("When it was made.")
    jws = text("All of this as a compact JWS.", pattern=JWS)


class CheckpointPage(Shape):
    """A page of checkpoints."""

    items = many(CheckpointView, "The checkpoints, latest first.")
    next = link("The next page; null when there is none.", null=True)


class InclusionView(Shape):
    """The proof that a game's head is in a checkpoint."""

    format = word("The form of the proof.", ("spades-inclusion/1",))
    game_id = game_id()
    version = whole("How far the game's log had come.", 1)
    head = digest("The hash of that event.")
    leaf_index = whole("The entry's place in the list, from 0.", 0)
    tree_size = whole("The checkpoint's size.", 1)
    inclusion_path = many(digest(""), "The path of RFC 9162, 2.1.3.")


class ConsistencyView(Shape):
    """The proof that the later of two checkpoints begins with the earlier."""

    format = word("The form of the proof.", ("spades-consistency/1",))
    first_size = whole("The size of the earlier.", 1)
    second_size = whole("The size of the later.", 1)
    consistency_path = many(digest(""), "The path of RFC 9162, 2.1.4.")


class PublicKey(Shape):
    """A public key (RFC 7517, RFC 8037)."""

    kty = word("Its type.", ("OKP",))
    crv = word("Its curve.", ("Ed25519",))
    x = text("The key, in base64url.")
    kid = text("Its RFC 7638 thumbprint.")
    alg = word("What it signs with.", ("EdDSA",))
    use = word("What it is for.", ("sig",))


class KeySet(Shape):
    """The keys that signed results and checkpoints."""

    keys = many(PublicKey, "The key that signs now, then the earlier ones.")


class PlayerView(Shape):
    """A platform's player."""

    ref = text("The platform's reference.")
    name = text("The name shown in every seat of theirs.", null=True)
    games = whole("In how many of the platform's games they sit.", 0)
