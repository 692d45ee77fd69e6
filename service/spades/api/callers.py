"""What a caller may do: act for a seat, look at a game, speak for a platform."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from flask import request

from spades.api.service import Service
from spades.api.tokens import (
    Anonymous,
    Caller,
    PlatformCaller,
    SeatCaller,
    Ticket,
    ViewerCaller,
    known,
)
from spades.audit.values import is_uuid
from spades.errors import (
    GameNotFound,
    InvalidParameter,
    NotASeat,
    ScopeMissing,
    SpectatorsDisabled,
    TokenInvalid,
    TokenRevoked,
    WrongGame,
)
from spades.game.audience import AUDITOR, PLATFORM, SPECTATOR, Viewer, seated
from spades.game.commands import Spectators
from spades.game.position import FIRST_GENERATION
from spades.game.seats import Seat
from spades.store import Reading, Stored
from spades.tables import Table


def checked_id(game_id: str) -> str:
    """Returns an id that a game may have; raises GameNotFound for any other text."""
    if not is_uuid(game_id):
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


def own_table(here: Service, game_id: str) -> Table:
    """Returns a game for the platform that created it.

    Raises TokenMissing, GameNotFound, and ScopeMissing for anybody else.
    """
    owner = platform_of(here.caller())
    table = here.tables.table(checked_id(game_id))
    if table.owner != owner:
        raise ScopeMissing("Only the platform that created the game may do this.")
    return table


@contextmanager
def looking(here: Service, caller: Caller, table: Table) -> Iterator[Viewer]:
    """Gives as whom a caller looks at a game; what an auditor then reads is recorded.

    Raises WrongGame, TokenRevoked, SpectatorsDisabled.
    """
    yield viewer_of(caller, table)
    _note(here, caller, table.ledger.game_id, table.game.version)


@contextmanager
def looking_at_damage(here: Service, caller: Caller, stored: Stored) -> Iterator[None]:
    """Lets a caller hear what is wrong with a log that can't be read; an auditor is recorded.

    Which tokens of seats were revoked, such a log does not tell. Raises WrongGame,
    TokenRevoked, SpectatorsDisabled.
    """
    match caller:
        case SeatCaller(game_id=game_id):
            if game_id != stored.game_id:
                raise WrongGame()
        case ViewerCaller(ticket=ticket):
            _check_ticket(ticket, stored.game_id, stored.generations)
        case PlatformCaller() | Anonymous():
            if caller != PlatformCaller(stored.owner or "") and not _admits_all(stored):
                raise SpectatorsDisabled()
    yield
    _note(here, caller, stored.game_id, stored.version)


def check_current(here: Service, caller: Caller) -> None:
    """Raises TokenRevoked for the token of a seat or a viewer that no longer opens its game.

    Raises TokenInvalid if there is no such game.
    """
    match caller:
        case SeatCaller(game_id=game_id) | ViewerCaller(ticket=Ticket(game_id=game_id)):
            try:
                viewer_of(caller, here.tables.table(game_id))
            except GameNotFound:
                raise TokenInvalid() from None


def viewer_of(caller: Caller, table: Table) -> Viewer:
    """Returns as whom a caller may look at a game.

    Raises WrongGame, TokenRevoked, SpectatorsDisabled.
    """
    match caller:
        case SeatCaller():
            _check_seat(caller, table)
            return seated(caller.seat)
        case ViewerCaller(ticket=ticket):
            _check_ticket(ticket, table.ledger.game_id, table.generations)
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


def _check_ticket(ticket: Ticket, game_id: str, generations: Mapping[str, int]) -> None:
    if ticket.game_id != game_id:
        raise WrongGame()
    if ticket.generation != generations.get(str(ticket.viewer), FIRST_GENERATION):
        raise TokenRevoked()


def _admits_all(stored: Stored) -> bool:
    created = stored.records[0].public.get("data") if stored.records else None
    return isinstance(created, dict) and created.get("spectators") == Spectators.PUBLIC


def _note(here: Service, caller: Caller, game_id: str, version: int) -> None:
    if not isinstance(caller, ViewerCaller) or caller.ticket.viewer != AUDITOR:
        return
    reading = Reading(
        id=here.new_id(),
        game_id=game_id,
        at=here.now(),
        token_id=caller.ticket.id,
        kind=str(caller.ticket.viewer),
        operation=(request.endpoint or "").rpartition(".")[2],
        version=version,
    )
    here.store.note_reading(reading)
