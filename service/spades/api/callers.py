"""What a caller may do: act for a seat, look at a game, speak for a platform."""

from flask import request

from spades.api import traffic
from spades.api.service import Service
from spades.api.tokens import (
    Anonymous,
    Caller,
    Pass,
    PlatformCaller,
    SeatCaller,
    ViewerCaller,
    known,
)
from spades.errors import (
    GameNotFound,
    InvalidParameter,
    NotASeat,
    ScopeMissing,
    SpectatorsDisabled,
    TokenRevoked,
    WrongGame,
)
from spades.game.audience import AUDITOR, PLATFORM, SPECTATOR, Viewer, seated
from spades.game.commands import Spectators
from spades.game.position import FIRST_GENERATION
from spades.game.seats import Seat
from spades.store import Reading
from spades.tables import Table


def checked_id(game_id: str) -> str:
    """Returns an id that a game may have; raises GameNotFound for any other text."""
    if not traffic.GAME_ID.fullmatch(game_id):
        raise GameNotFound()
    return game_id


def acting_seat(caller: Caller, game_id: str) -> SeatCaller:
    """Returns the seat that a caller acts for; raises what keeps the caller from acting."""
    match known(caller):
        case SeatCaller() as seat:
            if seat.game_id != checked_id(game_id):
                raise WrongGame()
            return seat
        case PlatformCaller() | ViewerCaller():
            raise NotASeat()


def platform_of(caller: Caller) -> str:
    """Returns the platform that calls; raises TokenMissing, ScopeMissing."""
    match known(caller):
        case PlatformCaller(name=name):
            return name
        case SeatCaller() | ViewerCaller():
            raise ScopeMissing("Only the key of a platform covers this.")


def check_owner(caller: Caller, table: Table) -> None:
    """Raises ScopeMissing for anybody but the platform that created a game."""
    if platform_of(caller) != table.owner:
        raise ScopeMissing("Only the platform that created the game may do this.")


def viewer_of(here: Service, caller: Caller, table: Table) -> Viewer:
    """Returns as whom a caller looks at a game, and records an auditor's reading.

    Raises WrongGame, TokenRevoked, SpectatorsDisabled.
    """
    match caller:
        case SeatCaller():
            _check_seat(caller, table)
            return seated(caller.seat)
        case ViewerCaller(ticket=ticket):
            _check_ticket(ticket, table)
            if ticket.viewer == AUDITOR:
                here.store.note_reading(_reading(here, ticket, table))
            return ticket.viewer
        case PlatformCaller(name=table.owner):
            return PLATFORM
        case PlatformCaller() | Anonymous():
            if table.game.spectators is Spectators.NONE:
                raise SpectatorsDisabled()
            return SPECTATOR


def seat_of(table: Table, name: str) -> Seat:
    """Returns the game's seat of this name; raises InvalidParameter."""
    if name not in table.game.seats:
        seats = ", ".join(table.game.seats)
        raise InvalidParameter(f"This game has the seats {seats}.", parameter="seat")
    return Seat(name)


def _check_seat(caller: SeatCaller, table: Table) -> None:
    if caller.game_id != table.ledger.game_id:
        raise WrongGame()
    player = table.game.players.get(caller.seat)
    if player is None or player.generation != caller.generation:
        raise TokenRevoked()


def _check_ticket(ticket: Pass, table: Table) -> None:
    if ticket.game_id != table.ledger.game_id:
        raise WrongGame()
    if ticket.generation != table.generations.get(str(ticket.viewer), FIRST_GENERATION):
        raise TokenRevoked()


def _reading(here: Service, ticket: Pass, table: Table) -> Reading:
    return Reading(
        id=here.new_id(),
        game_id=ticket.game_id,
        at=here.now(),
        token_id=ticket.id,
        kind=str(ticket.viewer),
        operation=(request.endpoint or "").rpartition(".")[2],
        version=table.game.version,
    )
