"""Seats and sides: who sits where, who plays with whom (P-01)."""

from enum import StrEnum


class Seat(StrEnum):
    """A seat, named clockwise from the north."""

    N = "N"
    E = "E"
    S = "S"
    W = "W"


class Side(StrEnum):
    """Those who score together: two partners, or one of two players."""

    NS = "NS"
    EW = "EW"
    N = "N"
    S = "S"


Seats = tuple[Seat, ...]

FOUR: Seats = (Seat.N, Seat.E, Seat.S, Seat.W)
TWO: Seats = (Seat.N, Seat.S)


def clockwise_from(seats: Seats, first: Seat) -> Seats:
    """Returns the seats in turn, beginning with `first`."""
    start = seats.index(first)
    return seats[start:] + seats[:start]


def left_of(seats: Seats, seat: Seat) -> Seat:
    """Returns the next seat clockwise."""
    return seats[(seats.index(seat) + 1) % len(seats)]


def partner_of(seats: Seats, seat: Seat) -> Seat | None:
    """Returns the seat opposite at a table of four, None at a table of two."""
    if len(seats) == len(TWO):
        return None
    return seats[(seats.index(seat) + 2) % len(seats)]


def side_of(seats: Seats, seat: Seat) -> Side:
    """Returns the side a seat plays for."""
    if len(seats) == len(TWO):
        return Side(seat.value)
    return Side.NS if seat in TWO else Side.EW


def sides_of(seats: Seats) -> tuple[Side, ...]:
    """Returns the sides at a table."""
    return tuple(dict.fromkeys(side_of(seats, seat) for seat in seats))


def members_of(seats: Seats, side: Side) -> Seats:
    """Returns the seats of a side, in seat order."""
    return tuple(seat for seat in seats if side_of(seats, seat) is side)
