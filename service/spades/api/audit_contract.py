"""What the operations of trust promise: tokens to look, audits, results, checkpoints, players."""

from spades.api import audit_shapes, shapes
from spades.api.bodies import PlayerWanted, SeatedWanted, TokenWanted
from spades.api.contract import (
    CURSOR,
    LAST_VERSION,
    NO_BODY,
    NOT_READ,
    READERS,
    TOKENS,
)
from spades.api.operations import PLATFORM_KEY, Operation, Success, in_path
from spades.api.parameters import number, word
from spades.audit.values import SAFE_INTEGER
from spades.errors import (
    CheckpointNotFound,
    DamagedLog,
    DatabaseUnavailable,
    GameNotFound,
    GameNotOver,
    GameOver,
    GameQuarantined,
    InvalidCursor,
    InvalidParameter,
    PlayerNotFound,
    ScopeMissing,
    SeatNotHeld,
    TokenMissing,
    VersionNotFound,
)

NDJSON, PLAIN_TEXT, JOSE = "application/x-ndjson", "text/plain", "application/jose"
LARGEST_TREE = SAFE_INTEGER
MOST_READINGS = 200
MOST_CHECKPOINTS = 200

VERSION = in_path("version", "The version.", type="integer", minimum=1, maximum=LAST_VERSION)
REF = in_path("ref", "The platform's reference, percent-encoded.", minLength=1, maxLength=128)
SIZE = in_path(
    "tree_size", "The checkpoint's size.", type="integer", minimum=1, maximum=LARGEST_TREE
)
EXPORT_FORMAT = word(
    "format", "JSON lines that can be verified, or text to read.", ("ndjson", "ptn"), "ndjson"
)
RESULT_FORMAT = word("format", "JSON, or the compact JWS alone.", ("json", "jws"), "json")
TREE_SIZE = number("tree_size", "The checkpoint's size; default: the last.", 1, LARGEST_TREE)
FIRST_SIZE = number(
    "first_size", "The size of the earlier checkpoint.", 1, LARGEST_TREE, required=True
)
SECOND_SIZE = number(
    "second_size", "The size of the later checkpoint.", 1, LARGEST_TREE, required=True
)
READINGS = number("limit", "At most so many readings.", 1, MOST_READINGS, 50)
CHECKPOINTS = number("limit", "At most so many checkpoints.", 1, MOST_CHECKPOINTS, 50)
BEFORE = number("before", "Only checkpoints smaller than this.", 1, LARGEST_TREE)
KNOWN = (TokenMissing, *TOKENS)
OWNERS = (*KNOWN, ScopeMissing, GameNotFound, DamagedLog)

ISSUE_TOKEN = Operation(
    id="issueToken",
    summary="Issue a token to look at a game",
    description=(
        "For a spectator or an auditor, by the platform that created the game. Both see a"
        " running game as a spectator does, also one with `spectators: none`; a game that is"
        " over is seen whole. What an auditor reads is recorded in the access log under the"
        " token's `id`. `revoke_earlier` ends all earlier tokens of this kind."
    ),
    successes={201: Success("The token.", audit_shapes.ViewerToken)},
    security=(PLATFORM_KEY,),
    errors=(*OWNERS, *NO_BODY, DatabaseUnavailable),
    body=TokenWanted,
)

REISSUE_TOKEN = Operation(
    id="reissueSeatToken",
    summary="Give a seat a new token",
    description=(
        "By the platform that created the game. The seat's earlier tokens open nothing any"
        " more. The log tells of it, and no move becomes stale by it."
    ),
    successes={200: Success("The token.", audit_shapes.SeatToken)},
    security=(PLATFORM_KEY,),
    errors=(
        *OWNERS,
        InvalidParameter,
        SeatNotHeld,
        GameOver,
        GameQuarantined,
        DatabaseUnavailable,
    ),
)

SEAT_PLAYER = Operation(
    id="seatPlayer",
    summary="Say who sits in a seat",
    description=(
        "Names the player in a seat by the platform's reference, also after the game. If the"
        " game's result had been issued, a result with a new id supersedes it."
    ),
    successes={200: Success("Who sits there.", shapes.SeatProfile)},
    security=(PLATFORM_KEY,),
    errors=(*OWNERS, InvalidParameter, *NO_BODY, DatabaseUnavailable),
    body=SeatedWanted,
)

READ_ACCESS_LOG = Operation(
    id="readAccessLog",
    summary="See who has read a game",
    description="Every reading by an auditor, for the platform that created the game.",
    successes={200: Success("A page of readings.", audit_shapes.AccessLog)},
    security=(PLATFORM_KEY,),
    errors=(*OWNERS, InvalidParameter, InvalidCursor, DatabaseUnavailable),
    query=(CURSOR, READINGS),
)

READ_STATE = Operation(
    id="readState",
    summary="Look at a game as it was",
    description=(
        "What the caller could see at a version, without hindsight: cards that were hidden then"
        " are hidden. Names are those of today."
    ),
    successes={200: Success("The view.", shapes.GameView)},
    security=READERS,
    errors=(*NOT_READ, VersionNotFound, InvalidParameter, DatabaseUnavailable),
)

AUDIT = Operation(
    id="audit",
    summary="Audit a game",
    description=(
        "Recomputes the whole log and tells what every check came to, with every commitment and"
        " its opening where the caller may see it. A log that diverges is reported, its recorded"
        " result stands, and the game takes no more actions until an audit finds nothing."
        " docs/audit.md tells how to do the same without this service."
    ),
    successes={200: Success("The audit.", audit_shapes.AuditView)},
    security=READERS,
    errors=(*NOT_READ, DatabaseUnavailable),
)

EXPORT = Operation(
    id="exportGame",
    summary="Export a game",
    description=(
        "The whole log as the caller may see it. `ndjson` is complete and can be verified"
        " offline (docs/exports.md); `ptn` is a text to read (docs/ptn.md)."
    ),
    successes={
        200: Success(
            "The export.", {"type": "string"}, NDJSON, others={PLAIN_TEXT: {"type": "string"}}
        )
    },
    security=READERS,
    errors=(*NOT_READ, InvalidParameter, DatabaseUnavailable),
    query=(EXPORT_FORMAT,),
)

READ_RESULT = Operation(
    id="readResult",
    summary="Get a game's signed result",
    description=(
        "The result of a game that is over, as JSON with its signature, or as the compact JWS"
        " alone. The keys are at `/.well-known/jwks.json`. A correction has a new `id` and names"
        " in `supersedes` the one before."
    ),
    successes={
        200: Success("The result.", audit_shapes.ResultView, others={JOSE: {"type": "string"}})
    },
    security=READERS,
    errors=(*NOT_READ, GameNotOver, InvalidParameter, DatabaseUnavailable),
    query=(RESULT_FORMAT,),
)

READ_INCLUSION = Operation(
    id="readInclusion",
    summary="Prove that a game is in a checkpoint",
    description="The game's last entry in the tree of a checkpoint, with its inclusion path.",
    successes={200: Success("The proof.", audit_shapes.InclusionView)},
    security=READERS,
    errors=(*NOT_READ, CheckpointNotFound, InvalidParameter, DatabaseUnavailable),
    query=(TREE_SIZE,),
)

MAKE_CHECKPOINT = Operation(
    id="makeCheckpoint",
    summary="Make a checkpoint",
    description=(
        "Takes in every game that changed since the last checkpoint. If none did, the last one"
        " is answered again."
    ),
    successes={200: Success("The checkpoint.", audit_shapes.CheckpointView)},
    security=(PLATFORM_KEY,),
    errors=(*KNOWN, ScopeMissing, CheckpointNotFound, DatabaseUnavailable),
)

LIST_CHECKPOINTS = Operation(
    id="listCheckpoints",
    summary="List the checkpoints",
    description="The latest first.",
    successes={200: Success("A page of checkpoints.", audit_shapes.CheckpointPage)},
    errors=(InvalidParameter, DatabaseUnavailable),
    query=(BEFORE, CHECKPOINTS),
)

READ_CHECKPOINT = Operation(
    id="readCheckpoint",
    summary="Look at a checkpoint",
    description="The checkpoint of a size.",
    successes={200: Success("The checkpoint.", audit_shapes.CheckpointView)},
    errors=(CheckpointNotFound, InvalidParameter, DatabaseUnavailable),
)

READ_LATEST_CHECKPOINT = Operation(
    id="readLatestCheckpoint",
    summary="Look at the last checkpoint",
    description="Keep it: nothing that it covers can be rewritten unnoticed any more.",
    successes={200: Success("The checkpoint.", audit_shapes.CheckpointView)},
    errors=(CheckpointNotFound, DatabaseUnavailable),
)

READ_CONSISTENCY = Operation(
    id="readConsistency",
    summary="Prove that a checkpoint continues an earlier one",
    description="The consistency path between the trees of two checkpoints.",
    successes={200: Success("The proof.", audit_shapes.ConsistencyView)},
    errors=(CheckpointNotFound, InvalidParameter, DatabaseUnavailable),
    query=(FIRST_SIZE, SECOND_SIZE),
)

READ_KEYS = Operation(
    id="readKeys",
    summary="Get the keys that sign",
    description="The public keys of results and checkpoints as a JWK Set; old keys stay in it.",
    successes={200: Success("The keys.", audit_shapes.KeySet)},
)

PUT_PLAYER = Operation(
    id="putPlayer",
    summary="Name a player",
    description=(
        "Notes a player's name for the calling platform. It is shown in every seat of its games"
        " that has this reference, and in those that will."
    ),
    successes={200: Success("The player.", audit_shapes.PlayerView)},
    security=(PLATFORM_KEY,),
    errors=(*KNOWN, ScopeMissing, InvalidParameter, *NO_BODY, DatabaseUnavailable),
    body=PlayerWanted,
)

READ_PLAYER = Operation(
    id="readPlayer",
    summary="Look at a player",
    description="What the calling platform has noted of a player.",
    successes={200: Success("The player.", audit_shapes.PlayerView)},
    security=(PLATFORM_KEY,),
    errors=(*KNOWN, ScopeMissing, PlayerNotFound, InvalidParameter, DatabaseUnavailable),
)

ERASE_PLAYER = Operation(
    id="erasePlayer",
    summary="Erase a player",
    description=(
        "Takes a player's name and reference out of everything of the calling platform. Games"
        " and their logs stay as they are, with nobody's name on the seat; results that had been"
        " issued are superseded by ones without the reference. A reference that is not known is"
        " no error."
    ),
    successes={204: Success("Nothing is left.")},
    security=(PLATFORM_KEY,),
    errors=(*KNOWN, ScopeMissing, InvalidParameter, DatabaseUnavailable),
)
