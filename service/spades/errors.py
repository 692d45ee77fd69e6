"""Every error of the service, in one tree.

SpadesError
├── RuleBroken                 the rules of Spades say no
│   ├── BidOutOfRange, NilNotOffered, DoubleNilNotOffered
│   ├── CardNotHeld, MustFollowSuit, SpadesNotBroken
│   └── ExchangeCount, ExchangeDuplicate
├── NotNow                     the game is not where the caller thinks it is
│   ├── NotYourTurn, WrongPhase, GameNotStarted, GameOver, GameNotOver, GameQuarantined
│   ├── VersionConflict, SeatTaken, SeatNotHeld, RequestInProgress
│   └── PreconditionRequired
├── BadRequest                 the request can't be understood
│   ├── MalformedJson, InvalidParameter, UnknownParameter, InvalidCursor
│   └── ValidationFailed, NoHumanSeat, IdempotencyKeyReused
├── NotAuthenticated           TokenMissing, TokenInvalid, TokenRevoked, TokenExpired
├── NotAllowed                 WrongGame, NotASeat, ScopeMissing, SpectatorsDisabled,
│                              JoinCodeInvalid
├── NotFound                   GameNotFound, HandNotFound, RulesetNotFound,
│                              VersionNotFound, PlayerNotFound, CheckpointNotFound
├── Unavailable                DatabaseUnavailable, ShuttingDown
├── DamagedLog                 a stored log can't be read
├── DamagedTranscript          a text is not the record of a game
├── SignatureInvalid           a signed statement can't be trusted
└── ConfigurationError         a setting is wrong

A class's docstring is its title, its name in snake case its stable code.
"""

import re
from typing import Any, ClassVar


class SpadesError(Exception):
    """Something went wrong"""

    code: ClassVar[str]
    title: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        cls.title = (cls.__doc__ or cls.code).strip()

    def __init__(self, detail: str = "", **facts: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title + "."
        self.facts = facts


class RuleBroken(SpadesError):
    """The rules of Spades do not allow this"""


class BidOutOfRange(RuleBroken):
    """The bid is outside the legal range"""


class NilNotOffered(RuleBroken):
    """Nil may not be bid in this game"""


class DoubleNilNotOffered(RuleBroken):
    """Double Nil may not be bid by this seat now"""


class CardNotHeld(RuleBroken):
    """You do not hold that card"""


class MustFollowSuit(RuleBroken):
    """You must follow the suit led"""


class SpadesNotBroken(RuleBroken):
    """Spades may not be led before they are broken"""


class ExchangeCount(RuleBroken):
    """The number of cards is not the number to exchange"""


class ExchangeDuplicate(RuleBroken):
    """A card may be exchanged only once"""


class NotNow(SpadesError):
    """The game is not in a position for this"""


class NotYourTurn(NotNow):
    """It is not your turn"""


class WrongPhase(NotNow):
    """The hand is in another phase"""


class GameNotStarted(NotNow):
    """The game has not started: a seat is still open"""


class GameOver(NotNow):
    """The game is over"""


class GameNotOver(NotNow):
    """The game is not over yet"""


class GameQuarantined(NotNow):
    """The game's log diverges from the rules: nobody may act in it"""


class VersionConflict(NotNow):
    """The game has moved on since the version you expected"""


class SeatTaken(NotNow):
    """The seat is taken"""


class SeatNotHeld(NotNow):
    """Nobody holds this seat: it is open, or a bot's"""


class RequestInProgress(NotNow):
    """The same request is still being worked on"""


class PreconditionRequired(NotNow):
    """An action must say which version of the game it expects"""


class BadRequest(SpadesError):
    """The request can't be understood"""


class MalformedJson(BadRequest):
    """The body is not well-formed JSON"""


class InvalidParameter(BadRequest):
    """A parameter or header has a value that is not allowed"""


class UnknownParameter(BadRequest):
    """A query parameter is not known here"""


class InvalidCursor(BadRequest):
    """The cursor was not issued by this service"""


class ValidationFailed(BadRequest):
    """The request does not have the right shape"""


class NoHumanSeat(BadRequest):
    """A game needs at least one seat that is not a bot"""


class IdempotencyKeyReused(BadRequest):
    """The Idempotency-Key was used before with another body"""


class NotAuthenticated(SpadesError):
    """The caller is not known"""


class TokenMissing(NotAuthenticated):
    """A bearer token is needed"""


class TokenInvalid(NotAuthenticated):
    """The bearer token is not valid"""


class TokenRevoked(NotAuthenticated):
    """The bearer token has been revoked"""


class TokenExpired(NotAuthenticated):
    """The bearer token has expired"""


class NotAllowed(SpadesError):
    """The caller may not do this"""


class WrongGame(NotAllowed):
    """The token belongs to another game"""


class NotASeat(NotAllowed):
    """Only the token of a seat can act"""


class ScopeMissing(NotAllowed):
    """This token does not cover this operation"""


class SpectatorsDisabled(NotAllowed):
    """This game does not admit spectators"""


class JoinCodeInvalid(NotAllowed):
    """The join code is not right"""


class NotFound(SpadesError):
    """There is no such thing"""


class GameNotFound(NotFound):
    """There is no such game"""


class HandNotFound(NotFound):
    """There is no such hand in this game"""


class RulesetNotFound(NotFound):
    """There is no such ruleset"""


class VersionNotFound(NotFound):
    """The game has not reached this version"""


class PlayerNotFound(NotFound):
    """The platform has no such player"""


class CheckpointNotFound(NotFound):
    """There is no such checkpoint, or the game is not in it"""


class Unavailable(SpadesError):
    """The service can't answer now"""


class DatabaseUnavailable(Unavailable):
    """The database can't be reached"""


class ShuttingDown(Unavailable):
    """The service is shutting down"""


class DamagedLog(SpadesError):
    """A stored log can't be read"""


class DamagedTranscript(SpadesError):
    """The text is not the record of a game"""


class SignatureInvalid(SpadesError):
    """A signature is not valid"""


class ConfigurationError(SpadesError):
    """A setting is wrong"""
