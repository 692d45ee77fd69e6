"""What each operation promises: the words of the document, the errors, the parameters."""

from spades.api import shapes
from spades.api.bodies import Claim, GameWanted
from spades.api.components import ref
from spades.api.errors import BodyTooLarge, RouteNotFound, UnsupportedMediaType
from spades.api.operations import (
    NO_TOKEN,
    PLATFORM_KEY,
    SEAT_TOKEN,
    VIEWER_TOKEN,
    Operation,
    Success,
    in_header,
    in_path,
)
from spades.api.parameters import Parameter, moment, number, word
from spades.errors import (
    BidOutOfRange,
    CardNotHeld,
    DamagedLog,
    DatabaseUnavailable,
    DoubleNilNotOffered,
    ExchangeCount,
    ExchangeDuplicate,
    GameNotFound,
    GameNotStarted,
    GameOver,
    GameQuarantined,
    HandNotFound,
    IdempotencyKeyReused,
    InvalidCursor,
    InvalidParameter,
    JoinCodeInvalid,
    MalformedJson,
    MustFollowSuit,
    NilNotOffered,
    NoHumanSeat,
    NotASeat,
    NotYourTurn,
    PreconditionRequired,
    RequestInProgress,
    RulesetNotFound,
    ScopeMissing,
    SeatTaken,
    ShuttingDown,
    SpadesNotBroken,
    SpectatorsDisabled,
    TokenExpired,
    TokenInvalid,
    TokenMissing,
    TokenRevoked,
    ValidationFailed,
    VersionConflict,
    WrongGame,
    WrongPhase,
)
from spades.game.position import Status
from spades.game.rulesets import RULESETS
from spades.game.seats import Seat

KEY_HEADER = "Idempotency-Key"
MOST_HANDS = 1000
MOST_EVENTS = 1000
MOST_GAMES = 200
LAST_VERSION = 2**31 - 1

GAME = in_path("game_id", "The game's id.", format="uuid")
SEAT = in_path("seat", "The seat.", enum=[seat.value for seat in Seat])
ETAG = {"ETag": 'Stands for this view: `"<version>-<viewer>"`.'}
REPLAYED_SAYS = {"Idempotent-Replayed": "`true` if this had been done before."}
HAND = in_path("number", "The hand's number.", type="integer", minimum=1, maximum=MOST_HANDS)
AFTER = number("after", "Only events after this version.", 0, LAST_VERSION, 0)
LIMIT = number("limit", "At most so many events.", 1, MOST_EVENTS, 100)
CURSOR = Parameter(
    "cursor", "Where to go on: the `next` of an earlier page.", {"type": "string"}, str
)
PAGE = number("limit", "At most so many games.", 1, MOST_GAMES, 50)
STATUS = word("status", "Only games of this status.", Status)
RULESET = word("ruleset", "Only games of this ruleset.", RULESETS)
UPDATED_AFTER = moment("updated_after", "Only games in which something happened after this time.")
READERS = (NO_TOKEN, SEAT_TOKEN, VIEWER_TOKEN, PLATFORM_KEY)
TOKENS = (TokenInvalid, TokenExpired, TokenRevoked)
NOT_READ = (*TOKENS, WrongGame, SpectatorsDisabled, GameNotFound, DamagedLog)
RULES = (
    BidOutOfRange,
    NilNotOffered,
    DoubleNilNotOffered,
    CardNotHeld,
    MustFollowSuit,
    SpadesNotBroken,
    ExchangeCount,
    ExchangeDuplicate,
)
NO_BODY = (MalformedJson, BodyTooLarge, UnsupportedMediaType, ValidationFailed)

CREATE_GAME = Operation(
    id="createGame",
    summary="Create a game",
    description=(
        "The game starts at once unless a seat is `open`. The answer holds the token of each"
        " `human` seat and the join code of each `open` one. `game` is the view of the only"
        " human seat when there is exactly one and none is open, so that the next call can be"
        " a move; otherwise it is what a spectator sees. Sent again by a platform with the"
        " same `Idempotency-Key` and body it answers with the same game, tokens and codes."
    ),
    successes={
        201: Success(
            "The game, with what opens its seats.",
            shapes.Created,
            headers={"Location": "The game.", **ETAG, **REPLAYED_SAYS},
        )
    },
    security=(NO_TOKEN, PLATFORM_KEY),
    errors=(
        TokenMissing,
        *TOKENS,
        ScopeMissing,
        InvalidParameter,
        *NO_BODY,
        NoHumanSeat,
        IdempotencyKeyReused,
        RequestInProgress,
        DatabaseUnavailable,
    ),
    headers=(
        in_header(
            KEY_HEADER,
            "With a platform key: makes it safe to send the creation again.",
            pattern="^[!-~]{1,255}$",
        ),
    ),
    body=GameWanted,
)

LIST_GAMES = Operation(
    id="listGames",
    summary="List the platform's games",
    description="The games that this platform created, with whichever of its keys, newest first.",
    successes={200: Success("A page of games.", shapes.GamePage)},
    security=(PLATFORM_KEY,),
    errors=(
        TokenMissing,
        *TOKENS,
        ScopeMissing,
        InvalidParameter,
        InvalidCursor,
        DatabaseUnavailable,
    ),
    query=(CURSOR, PAGE, STATUS, RULESET, UPDATED_AFTER),
)

READ_GAME = Operation(
    id="readGame",
    summary="Look at a game",
    description=(
        "The game as the caller sees it: with a seat's token from that seat, with the key of"
        " the platform that created it as its platform, with a viewer's token as a spectator or"
        " an auditor, otherwise as a spectator, if the game admits spectators. `If-None-Match`"
        " with the `ETag` of an earlier answer makes it 304"
        " without a body as long as nothing has happened."
    ),
    successes={
        200: Success("The view.", shapes.GameView, headers=ETAG),
        304: Success("Nothing has happened since.", headers=ETAG),
    },
    security=READERS,
    errors=(*NOT_READ, DatabaseUnavailable),
    headers=(in_header("If-None-Match", "The `ETag` of an earlier answer."),),
)

ACT = Operation(
    id="act",
    summary="Act for a seat",
    description=(
        "Send an entry of `legal_actions` as it is (an exchange: with the `cards` chosen)."
        " The answer holds every event since `expected_version`, the bots' answers included,"
        " and the view after them. An action of which the answer was lost may be sent again at"
        " any time: the log knows it, and it is never done twice. An action that names an old"
        " version is accepted if all that happened since leaves the position alone, as in the"
        " phases where several seats act at the same time."
    ),
    successes={200: Success("What followed.", shapes.Acted, headers={**ETAG, **REPLAYED_SAYS})},
    security=(SEAT_TOKEN,),
    errors=(
        TokenMissing,
        *TOKENS,
        WrongGame,
        NotASeat,
        GameNotFound,
        DamagedLog,
        *NO_BODY,
        PreconditionRequired,
        VersionConflict,
        GameOver,
        GameQuarantined,
        GameNotStarted,
        WrongPhase,
        NotYourTurn,
        *RULES,
        DatabaseUnavailable,
    ),
    body=ref("Action"),
)

LIST_EVENTS = Operation(
    id="listEvents",
    summary="Follow a game's log",
    description=(
        "The events after a version, as the caller may see them: hidden values are commitments,"
        " opened in place where the caller may see them now. The hashes are the same for"
        " everybody; docs/log-format.md tells how to verify them."
    ),
    successes={200: Success("A page of events.", shapes.EventPage)},
    security=READERS,
    errors=(*NOT_READ, InvalidParameter, DatabaseUnavailable),
    query=(AFTER, LIMIT),
)

READ_HAND = Operation(
    id="readHand",
    summary="Look at one hand",
    description=(
        "The record of a hand, also of the one on the table: its deal, draft, bids, exchanges,"
        " tricks and score. Cards that the caller may not see are null."
    ),
    successes={200: Success("The record.", shapes.HandRecord)},
    security=READERS,
    errors=(*NOT_READ, HandNotFound, InvalidParameter, DatabaseUnavailable),
)

CLAIM_SEAT = Operation(
    id="claimSeat",
    summary="Take an open seat",
    description=(
        "Whoever has the join code takes the seat and gets its token; the game starts when no"
        " seat is open any more. The same claim again gives the same token until the seat has"
        " acted. `client_seed` puts chance of the player's own into every shuffle."
    ),
    successes={200: Success("The seat's token.", shapes.Claimed, headers=ETAG)},
    errors=(
        InvalidParameter,
        JoinCodeInvalid,
        GameNotFound,
        DamagedLog,
        SeatTaken,
        GameQuarantined,
        *NO_BODY,
        DatabaseUnavailable,
    ),
    body=Claim,
)

NAME = in_path("name", "The ruleset's name.", enum=list(RULESETS))
CODE = in_path("code", "The error code.")
ASSET = in_path("asset", "The file's name.")

LIST_RULESETS = Operation(
    id="listRulesets",
    summary="List the rulesets",
    description="The games that can be played, each with its options.",
    successes={200: Success("All rulesets.", shapes.RulesetList)},
)

READ_RULESET = Operation(
    id="readRuleset",
    summary="Look at a ruleset",
    description=(
        "A game's seats, its default options and the JSON Schema of the options that a creation"
        " may give. docs/rules.md tells what each option does."
    ),
    successes={200: Success("The ruleset.", shapes.RulesetView)},
    errors=(RulesetNotFound,),
)

LIST_BOTS = Operation(
    id="listBots",
    summary="List the computer players",
    description="The levels that a bot seat may have.",
    successes={200: Success("All levels.", shapes.BotList)},
)

READ_ME = Operation(
    id="readMe",
    summary="Ask what a token is",
    description="Whose token was sent: a platform's, a seat's, a viewer's, or none.",
    successes={200: Success("What the service knows.", shapes.Me)},
    security=READERS,
    errors=(*TOKENS, DamagedLog, DatabaseUnavailable),
)

READ_ERROR = Operation(
    id="readError",
    summary="Look up an error code",
    description="The `type` of every problem points here.",
    successes={200: Success("What the code means.", shapes.ErrorCode)},
    errors=(RouteNotFound,),
)

HEALTHZ = Operation(
    id="healthz",
    summary="Ask whether the process lives",
    description="Answers without asking anybody else.",
    successes={200: Success("It lives.", shapes.Health)},
)

READYZ = Operation(
    id="readyz",
    summary="Ask whether the process wants requests",
    description="No while the database does not answer, and from the moment of a stop.",
    successes={200: Success("It does.", shapes.Health)},
    errors=(DatabaseUnavailable, ShuttingDown),
)

OPENAPI = Operation(
    id="readDocument",
    summary="Read this document",
    description="The OpenAPI 3.1 document of this API.",
    successes={200: Success("The document.", {"type": "object"})},
)

READ_DOCS = Operation(
    id="readDocs",
    summary="Read this document as a page",
    description="A page to read the document and to try the operations; all its files are here.",
    successes={200: Success("The page.", {"type": "string"}, "text/html")},
)

READ_ASSET = Operation(
    id="readDocsAsset",
    summary="Get a file of that page",
    description="Style, scripts and icon of `/docs`.",
    successes={200: Success("The file.", {}, "*/*")},
    errors=(RouteNotFound,),
)
