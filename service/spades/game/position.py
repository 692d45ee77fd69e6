"""Where a game stands: a frozen value folded from its events.

What can be worked out (phase, turn) is a property; what must be remembered is a field.
A game never holds its seed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from spades.game.cards import Card, Suit
from spades.game.commands import PlayerKind, Spectators
from spades.game.rulesets import Options, Ruleset
from spades.game.seats import (
    Seat,
    Seats,
    Side,
    clockwise_from,
    left_of,
    partner_of,
    sides_of,
)

DRAFT_TURNS = 26
FIRST_GENERATION = 1
TRICKS_IN_HAND = 13


class Phase(StrEnum):
    """The part of a hand that is being played."""

    BLIND = "blind"
    DRAFT = "draft"
    BIDDING = "bidding"
    EXCHANGE = "exchange"
    PLAY = "play"


class Status(StrEnum):
    """Where a game is in its life; `paused` is kept for later."""

    SEATING = "seating"
    ACTIVE = "active"
    PAUSED = "paused"
    FINISHED = "finished"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Contract:
    """One seat's bid: a number of tricks, 0 with `double` for a Double Nil."""

    tricks: int
    double: bool = False

    @property
    def is_number(self) -> bool:
        """Whether tricks were bid, rather than Nil or Double Nil."""
        return self.tricks > 0


@dataclass(frozen=True, slots=True)
class DraftTurn:
    """One turn of the two-player draft; `seen` is the card looked at (T-02)."""

    seat: Seat
    seen: Card
    unseen: Card
    kept_seen: bool

    @property
    def kept(self) -> Card:
        """The card that went to the drawer's hand."""
        return self.seen if self.kept_seen else self.unseen

    @property
    def discarded(self) -> Card:
        """The card that went to the discards."""
        return self.unseen if self.kept_seen else self.seen


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What one seat gave and received; `received` is None until the partner gave too."""

    given: tuple[Card, ...]
    received: tuple[Card, ...] | None


@dataclass(frozen=True, slots=True)
class Played:
    """A card on the table and the seat that played it."""

    seat: Seat
    card: Card


def winning(plays: tuple[Played, ...]) -> Played:
    """Returns the card that wins: the highest spade, else the highest of the suit led (C-05)."""
    led = plays[0].card.suit
    in_power = [play for play in plays if play.card.suit in (Suit.SPADES, led)]
    return max(in_power, key=lambda play: (play.card.suit is Suit.SPADES, play.card.rank))


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick."""

    number: int
    plays: tuple[Played, ...]
    winner: Seat

    @property
    def leader(self) -> Seat:
        """The seat that led."""
        return self.plays[0].seat


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand. `asked` are the seats that may bid Double Nil; the rest see their cards.

    `bids` and `exchanges` hold an entry for each seat that has made one; `discards` are the
    two-player discards in the order they were made.
    """

    number: int
    dealer: Seat
    hand_commit: str
    seats: Seats
    exchange_cards: int
    asked: frozenset[Seat]
    holdings: Mapping[Seat, tuple[Card, ...]]
    stock: tuple[Card, ...] | None
    looked: frozenset[Seat] = frozenset()
    draft: tuple[DraftTurn, ...] = ()
    discards: tuple[Card, ...] = ()
    bids: Mapping[Seat, Contract] = field(default_factory=dict)
    exchanges: Mapping[Seat, Exchanged] = field(default_factory=dict)
    tricks: tuple[Trick, ...] = ()
    plays: tuple[Played, ...] = ()
    spades_broken: bool = False
    scored: bool = False

    @property
    def bidding_order(self) -> Seats:
        """The seats in the order they bid: from the dealer's left (P-03, T-04)."""
        return clockwise_from(self.seats, left_of(self.seats, self.dealer))

    @property
    def double_nil(self) -> Seats:
        """The seats that bid Double Nil, in seat order."""
        return tuple(s for s in self.seats if (bid := self.bids.get(s)) and bid.double)

    @property
    def unanswered(self) -> Seats:
        """The seats that still owe an answer in the blind step, in bidding order."""
        if not self.asked:
            return ()
        answered = self.looked.union(self.bids)
        return tuple(s for s in self.bidding_order if s in self.asked and s not in answered)

    @property
    def exchangers(self) -> Seats:
        """The seats that exchange in this hand, in bidding order (P-08, P-09, T-09)."""
        blind = self.double_nil
        if not blind or not self.exchange_cards:
            return ()
        return tuple(seat for seat in self.bidding_order if self._exchanges(seat, blind))

    @property
    def owing(self) -> Seats:
        """The seats that still owe an exchange, in bidding order."""
        return tuple(seat for seat in self.exchangers if seat not in self.exchanges)

    @property
    def phase(self) -> Phase:
        """The part of the hand that is on."""
        if self.plays or self.tricks:
            return Phase.PLAY
        if self.unanswered:
            return Phase.BLIND
        if self.stock is not None and len(self.draft) < DRAFT_TURNS:
            return Phase.DRAFT
        if len(self.bids) < len(self.seats):
            return Phase.BIDDING
        return Phase.EXCHANGE if self.owing else Phase.PLAY

    @property
    def to_act(self) -> Seats:
        """The seats that may act now."""
        match self.phase:
            case Phase.BLIND:
                return self.unanswered
            case Phase.DRAFT:
                return (self.drawer,)
            case Phase.BIDDING:
                return (next(s for s in self.bidding_order if s not in self.bids),)
            case Phase.EXCHANGE:
                return self.owing if self.stock is None else self.owing[:1]
            case Phase.PLAY:
                return () if self.is_played_out or self.trick_is_full else (self._player,)

    @property
    def drawer(self) -> Seat:
        """The seat whose turn of the draft it is; the dealer draws first (T-02)."""
        order = clockwise_from(self.seats, self.dealer)
        return order[len(self.draft) % len(order)]

    @property
    def shown(self) -> tuple[Card, Card]:
        """The card the drawer looks at and the one under it."""
        stock, place = self.stock or (), 2 * len(self.draft)
        return stock[place], stock[place + 1]

    @property
    def leader(self) -> Seat:
        """The seat that leads the trick on the table (C-06, P-10)."""
        return self.tricks[-1].winner if self.tricks else self.bidding_order[0]

    @property
    def trick_is_full(self) -> bool:
        """Whether every seat has played to the trick on the table."""
        return len(self.plays) == len(self.seats)

    @property
    def is_played_out(self) -> bool:
        """Whether all thirteen tricks have been taken (A-45)."""
        return len(self.tricks) == TRICKS_IN_HAND

    @property
    def choices_made(self) -> int:
        """How many looks, drafts, bids, exchanges and plays the hand has seen."""
        played = len(self.tricks) * len(self.seats) + len(self.plays)
        answered = len(self.looked) + len(self.bids)
        return answered + len(self.draft) + len(self.exchanges) + played

    def tricks_of(self, seat: Seat) -> int:
        """Returns how many tricks a seat has taken."""
        return sum(trick.winner is seat for trick in self.tricks)

    def sees_cards(self, seat: Seat) -> bool:
        """Whether a seat may see its own cards: once it has answered, if it was asked."""
        return seat not in self.asked or seat in self.looked or seat in self.bids

    def _exchanges(self, seat: Seat, blind: Seats) -> bool:
        partner = partner_of(self.seats, seat)
        return seat in blind if partner is None else (seat in blind) != (partner in blind)

    @property
    def _player(self) -> Seat:
        return clockwise_from(self.seats, self.leader)[len(self.plays)]


@dataclass(frozen=True, slots=True)
class Standing:
    """A side's totals over the hands scored so far."""

    points: int = 0
    bags: int = 0


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits in a seat; `claimed` when the seat was open and somebody took it.

    `generation` is that of the seat's token: earlier ones are revoked.
    """

    kind: PlayerKind
    level: str | None
    claimed: bool = False
    client_seed: str | None = None
    generation: int = FIRST_GENERATION


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended; `status` is finished or aborted, `winner` None for a draw."""

    status: Status
    winner: Side | None
    reason: str
    points: Mapping[Side, int]
    bags: Mapping[Side, int]
    hands: int


@dataclass(frozen=True, slots=True)
class Game:
    """A game after `version` events."""

    version: int
    ruleset: Ruleset
    options: Options
    players: Mapping[Seat, Player]
    first_dealer: Seat
    spectators: Spectators
    algorithm: str
    game_commit: str
    standings: Mapping[Side, Standing]
    hands_scored: int = 0
    hand: Hand | None = None
    last_trick: Trick | None = None
    acted: frozenset[Seat] = frozenset()
    result: Result | None = None

    @property
    def seats(self) -> Seats:
        """The seats at the table, in seat order."""
        return self.ruleset.seats

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides at the table."""
        return sides_of(self.seats)

    @property
    def status(self) -> Status:
        """Where the game is in its life."""
        if self.result:
            return self.result.status
        return Status.ACTIVE if self.hand else Status.SEATING

    @property
    def phase(self) -> Phase | None:
        """The phase of the hand on the table, None before the first and after the last."""
        return self.hand.phase if self.hand and not self.result else None

    @property
    def to_act(self) -> Seats:
        """The seats that may act now."""
        return self.hand.to_act if self.hand and not self.result else ()

    @property
    def place(self) -> tuple[int, int]:
        """The hand's number and the choices made in it, zeros before the first hand."""
        return (self.hand.number, self.hand.choices_made) if self.hand else (0, 0)

    @property
    def open_seats(self) -> Seats:
        """The seats that wait for somebody to claim them."""
        return tuple(s for s in self.seats if self.players[s].kind is PlayerKind.OPEN)

    @property
    def client_seeds(self) -> dict[Seat, str | None]:
        """What each seat put into the game's chance, in seat order."""
        return {seat: self.players[seat].client_seed for seat in self.seats}
