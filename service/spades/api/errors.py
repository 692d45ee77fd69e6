"""How errors become HTTP: one table from class to status, one shape of answer (RFC 9457).

Every answer that is not a success is `application/problem+json` with a stable `code`. The
same table documents the codes in the OpenAPI document and in `docs/errors.md`.
"""

import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import orjson
from flask import Flask, Response, request
from werkzeug import exceptions as http

from spades import errors
from spades.api.traffic import request_id
from spades.errors import SpadesError

PROBLEM_JSON = "application/problem+json"
TYPES = "/v1/errors/"
RETRY_SECONDS = "1"

log = logging.getLogger("spades.api")


class RouteNotFound(errors.NotFound):
    """There is nothing at this address"""


class MethodNotAllowed(errors.BadRequest):
    """This address does not know this method"""


class NotAcceptable(errors.BadRequest):
    """The answer can't be given in an accepted media type"""


class BodyTooLarge(errors.BadRequest):
    """The body is too large"""


class UnsupportedMediaType(errors.BadRequest):
    """The body is not of a supported media type"""


class InternalError(SpadesError):
    """The service made a mistake"""


@dataclass(frozen=True, slots=True)
class Answer:
    """How one error is answered and documented.

    `retryable` means that the same request may succeed when it is sent again unchanged.
    """

    error: type[SpadesError]
    status: int
    when: str
    remedy: str
    retryable: bool = False

    @property
    def code(self) -> str:
        """The stable code."""
        return self.error.code


MOVED_ON = "Read the view again; draw it."
PICK = "Offer `legal_actions` from the problem."
FIX = "Correct the request."

ANSWERS = (
    Answer(
        errors.MalformedJson,
        400,
        "The body is no JSON text in UTF-8, or it holds a key twice, NaN or Infinity, a lone"
        " surrogate, or nests too deep.",
        FIX,
    ),
    Answer(
        errors.InvalidParameter,
        400,
        "A path or query parameter or a header has a value that is not allowed; `parameter`"
        " names it.",
        FIX,
    ),
    Answer(
        errors.UnknownParameter,
        400,
        "The query holds a parameter that this operation does not know; `parameter` names it.",
        FIX,
    ),
    Answer(
        errors.InvalidCursor,
        400,
        "The `cursor` did not come from this service.",
        "Follow `next` as it was given, or start without a cursor.",
    ),
    Answer(
        errors.TokenMissing,
        401,
        "The operation needs a bearer token and none was sent.",
        "Send `Authorization: Bearer <token>`.",
    ),
    Answer(
        errors.TokenInvalid,
        401,
        "The `Authorization` header holds no token of this service.",
        "Check the token; it is sent as it was given.",
    ),
    Answer(
        errors.TokenRevoked,
        401,
        "The platform key was revoked by an operator, or the token of a seat or a viewer by the"
        " game's platform.",
        "Ask whoever gave it for another.",
    ),
    Answer(
        errors.TokenExpired,
        401,
        "The viewer's token has passed its `expires_at`.",
        "Ask the platform for another.",
    ),
    Answer(
        errors.WrongGame,
        403,
        "A seat's or a viewer's token was used on another game.",
        "Use a token of this game, or none.",
    ),
    Answer(
        errors.NotASeat,
        403,
        "A platform's key or a viewer's token was used to act. Only the token of a seat acts.",
        "Send the token of the seat.",
    ),
    Answer(
        errors.ScopeMissing,
        403,
        "The operation is for a platform, or for the one that created the game.",
        "Use the key of the platform that created the game.",
    ),
    Answer(
        errors.SpectatorsDisabled,
        403,
        "The game was created with `spectators: none` and the caller is not in it.",
        "Send the token of a seat, or of a viewer.",
    ),
    Answer(
        errors.JoinCodeInvalid,
        403,
        "The join code does not open this seat of this game.",
        "Check the code and the seat.",
    ),
    Answer(errors.GameNotFound, 404, "No game has this id.", "Check the id."),
    Answer(
        errors.HandNotFound,
        404,
        "The hand of this number has not been dealt.",
        "Ask for hands up to `hand_number` of the view.",
    ),
    Answer(
        errors.RulesetNotFound,
        404,
        "No ruleset has this name.",
        "Take a name from `GET /v1/rulesets`.",
    ),
    Answer(
        errors.VersionNotFound,
        404,
        "The game has not reached this version.",
        "Ask for versions up to `version` of the view.",
    ),
    Answer(
        errors.PlayerNotFound,
        404,
        "The platform has noted no such player, and none of its games has the reference.",
        "Check the reference.",
    ),
    Answer(
        errors.CheckpointNotFound,
        404,
        "There is no checkpoint of this size, or the game is not in it yet.",
        "Take a size from `GET /v1/checkpoints`, or wait for the next checkpoint.",
    ),
    Answer(RouteNotFound, 404, "The service has nothing at this address.", "Check the address."),
    Answer(
        MethodNotAllowed,
        405,
        "The address is known but not with this method; the `Allow` header lists those it knows.",
        "Use an allowed method.",
    ),
    Answer(
        NotAcceptable,
        406,
        "The `Accept` header excludes the media type of the answer.",
        "Accept the media type that the operation answers with, and `application/problem+json`.",
    ),
    Answer(
        errors.VersionConflict,
        409,
        "The game has moved on since `expected_version`, and this is not an action that the log"
        " already knows. The fresh view is in `view`.",
        "Draw `view`; let the player choose again.",
    ),
    Answer(errors.NotYourTurn, 409, "Another seat is to act; `seats` names it.", MOVED_ON),
    Answer(
        errors.WrongPhase,
        409,
        "The action belongs to another phase of the hand; `phase` names the present one.",
        MOVED_ON,
    ),
    Answer(
        errors.GameNotStarted,
        409,
        "A seat is still open.",
        "Wait until every seat has been claimed.",
    ),
    Answer(errors.GameOver, 409, "The game has ended.", "Show the `result` of the view."),
    Answer(
        errors.GameNotOver,
        409,
        "A result was asked for before the game was over.",
        "Ask again once `status` is `finished` or `aborted`.",
    ),
    Answer(
        errors.GameQuarantined,
        409,
        "An audit found that the game's log diverges from the rules. It can be read, not played.",
        "Look at `divergences` in the audit; tell the operator.",
    ),
    Answer(
        errors.SeatNotHeld,
        409,
        "The seat is open or a bot's, so that it has no token to give again.",
        "Ask for the token of a seat that somebody holds.",
    ),
    Answer(
        errors.SeatTaken,
        409,
        "The seat is not open, and this is not the claim that took it.",
        "Claim another seat; a lost token is given again by the game's platform.",
    ),
    Answer(
        errors.RequestInProgress,
        409,
        "Another request with the same `Idempotency-Key` is still being worked on.",
        "Send the same request again after `Retry-After`.",
        retryable=True,
    ),
    Answer(
        BodyTooLarge,
        413,
        "The body is longer than 64 KiB.",
        "Send less; `metadata` holds at most 4096 bytes.",
    ),
    Answer(
        UnsupportedMediaType,
        415,
        "A body was not declared as JSON.",
        "Send `Content-Type: application/json`.",
    ),
    Answer(
        errors.ValidationFailed,
        422,
        "The body is JSON but not of the right shape. `errors` lists each fault with its JSON"
        " `pointer` and `code`.",
        FIX,
    ),
    Answer(
        errors.NoHumanSeat,
        422,
        "All seats of the new game would be bots.",
        "Leave at least one seat `human` or `open`.",
    ),
    Answer(
        errors.IdempotencyKeyReused,
        422,
        "The `Idempotency-Key` was used before with another body.",
        "Use a fresh key for every new game.",
    ),
    Answer(
        errors.BidOutOfRange,
        422,
        "The bid is not between `min` and `max`.",
        PICK,
    ),
    Answer(errors.NilNotOffered, 422, "Nil was bid in a game without Nil.", PICK),
    Answer(
        errors.DoubleNilNotOffered,
        422,
        "Double Nil was bid by a seat to which this hand does not offer it.",
        PICK,
    ),
    Answer(errors.CardNotHeld, 422, "The card is not in the hand of this seat.", PICK),
    Answer(
        errors.MustFollowSuit,
        422,
        "Another suit was played by a seat that holds the suit led; `led` names that suit.",
        PICK,
    ),
    Answer(
        errors.SpadesNotBroken,
        422,
        "A spade was led before spades were broken by a seat that holds other suits.",
        PICK,
    ),
    Answer(
        errors.ExchangeCount,
        422,
        "Fewer or more cards were chosen than the exchange asks for; see `min` and `max`.",
        PICK,
    ),
    Answer(errors.ExchangeDuplicate, 422, "A card was chosen twice for the exchange.", PICK),
    Answer(
        errors.PreconditionRequired,
        428,
        "An action came without `expected_version`.",
        "Send the version of the view that the player saw.",
    ),
    Answer(
        errors.DamagedLog,
        500,
        "What is stored of the game can't be read: somebody or something has changed it.",
        "Ask for the game's audit, which tells where; tell the operator.",
    ),
    Answer(
        InternalError,
        500,
        "The service failed in a way that it did not foresee.",
        "Send the same request again; report the `request_id` if it stays so.",
        retryable=True,
    ),
    Answer(
        errors.DatabaseUnavailable,
        503,
        "The database did not answer. A move may or may not have been made.",
        "Send the same request again after `Retry-After`: a move that was made is found in the"
        " log and is never made twice.",
        retryable=True,
    ),
    Answer(
        errors.ShuttingDown,
        503,
        "This process is about to end (`/readyz` only).",
        "Send requests to another process.",
        retryable=True,
    ),
)

BY_CLASS: Mapping[type[SpadesError], Answer] = {answer.error: answer for answer in ANSWERS}
BY_CODE: Mapping[str, Answer] = {answer.code: answer for answer in ANSWERS}


def problem(error: SpadesError) -> Response:
    """Returns the answer to an error; one that has no row in the table is internal.

    Of a damaged log no more is told than that: what is in it may be hidden.
    """
    answer = BY_CLASS.get(type(error))
    if answer is None:
        return _internal(error)
    if isinstance(error, errors.DamagedLog):
        log.error("request_id=%s %s", request_id(), error.code)
        error = errors.DamagedLog()
    body = problem_body(answer, error.detail, quote(request.path), request_id(), error.facts)
    response = Response(orjson.dumps(body), answer.status, mimetype=PROBLEM_JSON)
    _add_headers(response, answer)
    return response


def problem_body(
    answer: Answer, detail: str, instance: str, request_id: str, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns a problem's members: the standard ones first, then the facts."""
    return {
        "type": TYPES + answer.code,
        "title": answer.error.title,
        "status": answer.status,
        "code": answer.code,
        "detail": detail,
        "instance": instance,
        "request_id": request_id,
        "retryable": answer.retryable,
        **facts,
    }


def _add_headers(response: Response, answer: Answer) -> None:
    if answer.status == 401:
        missing = answer.error is errors.TokenMissing
        response.headers["WWW-Authenticate"] = (
            "Bearer" if missing else 'Bearer error="invalid_token"'
        )
    if answer.retryable:
        response.headers["Retry-After"] = RETRY_SECONDS
    response.headers["Cache-Control"] = "no-store"


def _internal(error: Exception) -> Response:
    """Logs where it happened but no message: a message may hold a card or a token."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("request_id=%s %s\n%s", request_id(), type(error).__name__, frames)
    return problem(InternalError())


def _from_http(error: http.HTTPException) -> Response:
    match error:
        case http.NotFound():
            return problem(RouteNotFound())
        case http.MethodNotAllowed():
            allowed = sorted({*(error.valid_methods or ()), "OPTIONS"})
            response = problem(MethodNotAllowed())
            response.headers["Allow"] = ", ".join(allowed)
            return response
        case http.RequestEntityTooLarge():
            return problem(BodyTooLarge())
        case http.BadRequest():
            return problem(errors.InvalidParameter("The request can't be read."))
        case _:
            return _internal(error)


def answer_errors(app: Flask) -> None:
    """Has the application answer every error as a problem."""
    app.register_error_handler(SpadesError, problem)
    app.register_error_handler(http.HTTPException, _from_http)
    app.register_error_handler(Exception, _internal)
