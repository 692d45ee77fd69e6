"""What happened: the facts of a game, and their data in the log.

Each event writes its `data` with hidden values wrapped in `Hidden`, and reads it back with
the values in the open. Types, keys and leaves are frozen in `docs/log-format.md`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from spades.errors import DamagedLog
from spades.game.cards import CARDS, Card, cards
from spades.game.commands import Chair, PlayerKind, Spectators
from spades.game.rulesets import Options, options_of
from spades.game.seats import Seat, Side

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A value that the log's public form shows only as a commitment."""

    value: Any


def _hidden(held: Iterable[Card]) -> Hidden:
    return Hidden([str(card) for card in held])


def _policy(policy: str | None) -> Data:
    return {} if policy is None else {"policy": policy}


def _by_seat(values: Mapping[str, Any]) -> dict[Seat, Any]:
    return {seat: values[seat.value] for seat in Seat if seat.value in values}


def _by_side(values: Mapping[str, Any]) -> dict[Side, Any]:
    return {side: values[side.value] for side in Side if side.value in values}


def _named(values: Mapping[Any, Any]) -> Data:
    return {key.value: value for key, value in values.items()}


@dataclass(frozen=True, slots=True)
class GameCreated:
    """A game was opened, with everything that its rules depend on."""

    type: ClassVar[str] = "game_created"
    actor: ClassVar[str] = "platform"
    seat: ClassVar[None] = None
    ruleset: str
    options: Options
    chairs: Mapping[Seat, Chair]
    dealer: Seat
    dealer_fixed: bool
    spectators: Spectators
    algorithm: str
    game_commit: str

    def data(self) -> Data:
        """Returns the event's data."""
        return {
            "ruleset": self.ruleset,
            "options": self.options.as_json(),
            "seats": {
                seat.value: {"kind": chair.kind.value, "level": chair.level}
                for seat, chair in self.chairs.items()
            },
            "dealer": self.dealer.value,
            "dealer_fixed": self.dealer_fixed,
            "spectators": self.spectators.value,
            "algorithm": self.algorithm,
            "game_commit": self.game_commit,
        }

    @classmethod
    def read(cls, _frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        chairs = {
            seat: Chair(PlayerKind(chair["kind"]), chair["level"])
            for seat, chair in _by_seat(data["seats"]).items()
        }
        return cls(
            ruleset=data["ruleset"],
            options=options_of(data["options"]),
            chairs=chairs,
            dealer=Seat(data["dealer"]),
            dealer_fixed=data["dealer_fixed"],
            spectators=Spectators(data["spectators"]),
            algorithm=data["algorithm"],
            game_commit=data["game_commit"],
        )


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Somebody claimed an open seat."""

    type: ClassVar[str] = "seat_taken"
    actor: ClassVar[str] = "seat"
    seat: Seat
    client_seed: str | None

    def data(self) -> Data:
        """Returns the event's data."""
        return {"kind": PlayerKind.HUMAN.value, "client_seed": self.client_seed}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(Seat(frame["seat"]), data["client_seed"])


@dataclass(frozen=True, slots=True)
class TokenReissued:
    """A seat got a new token, and every earlier one opens nothing any more."""

    type: ClassVar[str] = "token_reissued"
    actor: ClassVar[str] = "platform"
    seat: Seat
    generation: int

    def data(self) -> Data:
        """Returns the event's data."""
        return {"generation": self.generation}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(Seat(frame["seat"]), data["generation"])


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A hand was dealt: `holdings` at a table of four, a face-down `stock` at one of two."""

    type: ClassVar[str] = "hand_started"
    actor: ClassVar[str] = "game"
    seat: ClassVar[None] = None
    number: int
    dealer: Seat
    hand_commit: str
    holdings: Mapping[Seat, tuple[Card, ...]] | None
    stock: tuple[Card, ...] | None

    def data(self) -> Data:
        """Returns the event's data, its cards hidden."""
        data: Data = {
            "number": self.number,
            "dealer": self.dealer.value,
            "hand_commit": self.hand_commit,
        }
        if self.stock is not None:
            data["stock"] = _hidden(self.stock)
        if self.holdings is not None:
            data["holdings"] = {s.value: _hidden(held) for s, held in self.holdings.items()}
        return data

    @classmethod
    def read(cls, _frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        holdings = data.get("holdings")
        dealt = {seat: cards(held) for seat, held in _by_seat(holdings or {}).items()}
        return cls(
            number=data["number"],
            dealer=Seat(data["dealer"]),
            hand_commit=data["hand_commit"],
            holdings=dealt if holdings is not None else None,
            stock=cards(data["stock"]) if "stock" in data else None,
        )


@dataclass(frozen=True, slots=True)
class _Choice:
    seat: Seat
    policy: str | None = None

    @property
    def actor(self) -> str:
        """Who acted: the seat itself, or a bot in it."""
        return "seat" if self.policy is None else "bot"

    def data(self) -> Data:
        """Returns the event's data."""
        return _policy(self.policy)

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(Seat(frame["seat"]), data.get("policy"))


@dataclass(frozen=True, slots=True)
class CardsLookedAt(_Choice):
    """A seat that might have bid Double Nil looked at its cards."""

    type: ClassVar[str] = "cards_looked_at"


@dataclass(frozen=True, slots=True)
class DoubleNilBid(_Choice):
    """A seat bid Double Nil unseen."""

    type: ClassVar[str] = "double_nil_bid"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKept(_Choice):
    """A drawer kept the card she looked at; the next went to the discards unseen."""

    type: ClassVar[str] = "card_kept"
    turn: int
    kept: Card
    discarded: Card

    def data(self) -> Data:
        """Returns the event's data, both cards hidden."""
        hidden = {"kept": Hidden(str(self.kept)), "discarded": Hidden(str(self.discarded))}
        return {"turn": self.turn, **hidden, **_policy(self.policy)}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(
            Seat(frame["seat"]),
            data.get("policy"),
            turn=data["turn"],
            kept=CARDS[data["kept"]],
            discarded=CARDS[data["discarded"]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRefused(_Choice):
    """A drawer refused the card she looked at and kept the next one."""

    type: ClassVar[str] = "card_refused"
    turn: int
    refused: Card
    kept: Card

    def data(self) -> Data:
        """Returns the event's data, both cards hidden."""
        hidden = {"refused": Hidden(str(self.refused)), "kept": Hidden(str(self.kept))}
        return {"turn": self.turn, **hidden, **_policy(self.policy)}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(
            Seat(frame["seat"]),
            data.get("policy"),
            turn=data["turn"],
            refused=CARDS[data["refused"]],
            kept=CARDS[data["kept"]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BidMade(_Choice):
    """A seat bid a number of tricks; 0 is Nil."""

    type: ClassVar[str] = "bid_made"
    tricks: int

    def data(self) -> Data:
        """Returns the event's data."""
        return {"tricks": self.tricks, **_policy(self.policy)}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(Seat(frame["seat"]), data.get("policy"), tricks=data["tricks"])


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsGiven(_Choice):
    """A seat chose the cards that it swaps with its partner, here in deck order."""

    type: ClassVar[str] = "cards_exchanged"
    given: tuple[Card, ...]

    def data(self) -> Data:
        """Returns the event's data, the cards hidden."""
        return {"given": _hidden(self.given), **_policy(self.policy)}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(Seat(frame["seat"]), data.get("policy"), given=cards(data["given"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsReplaced(_Choice):
    """A Double Nil bidder threw cards away, here in deck order, and drew as many."""

    type: ClassVar[str] = "cards_exchanged"
    thrown: tuple[Card, ...]
    drawn: tuple[Card, ...]

    def data(self) -> Data:
        """Returns the event's data: the count public, the cards hidden (A-31)."""
        hidden = {"thrown": _hidden(self.thrown), "drawn": _hidden(self.drawn)}
        return {"count": len(self.thrown), **hidden, **_policy(self.policy)}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(
            Seat(frame["seat"]),
            data.get("policy"),
            thrown=cards(data["thrown"]),
            drawn=cards(data["drawn"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlayed(_Choice):
    """A seat played a card to the trick."""

    type: ClassVar[str] = "card_played"
    card: Card

    def data(self) -> Data:
        """Returns the event's data."""
        return {"card": str(self.card), **_policy(self.policy)}

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(Seat(frame["seat"]), data.get("policy"), card=CARDS[data["card"]])


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """A trick was won; its seat is the winner, `cards` stand in the order played."""

    type: ClassVar[str] = "trick_taken"
    actor: ClassVar[str] = "game"
    seat: Seat
    number: int
    leader: Seat
    cards: tuple[Card, ...]

    def data(self) -> Data:
        """Returns the event's data."""
        return {
            "number": self.number,
            "leader": self.leader.value,
            "cards": [str(card) for card in self.cards],
        }

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(Seat(frame["seat"]), data["number"], Seat(data["leader"]), cards(data["cards"]))


@dataclass(frozen=True, slots=True)
class SideScore:
    """The parts of one side's score for a hand, and its totals after it (C-09, C-10).

    `bag_penalty` is zero or negative and part of `hand_points`; `bag_points` equals
    `new_bags`; `tricks` counts all tricks of the side, `tricks_for_bid` those that count
    towards the contract.
    """

    bid: int
    tricks: int
    tricks_for_bid: int
    made: bool
    contract_points: int
    bag_points: int
    nil_points: int
    bag_penalty: int
    new_bags: int
    bags: int
    hand_points: int
    points: int


@dataclass(frozen=True, slots=True)
class HandScored:
    """A hand was scored, and its seed told."""

    type: ClassVar[str] = "hand_scored"
    actor: ClassVar[str] = "game"
    seat: ClassVar[None] = None
    number: int
    bids: Mapping[Seat, int]
    double_nil: tuple[Seat, ...]
    tricks: Mapping[Seat, int]
    sides: Mapping[Side, SideScore]
    hand_seed: str

    def data(self) -> Data:
        """Returns the event's data."""
        return {
            "number": self.number,
            "bids": _named(self.bids),
            "double_nil": [seat.value for seat in self.double_nil],
            "tricks": _named(self.tricks),
            "sides": {side.value: asdict(score) for side, score in self.sides.items()},
            "hand_seed": self.hand_seed,
        }

    @classmethod
    def read(cls, _frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(
            number=data["number"],
            bids=_by_seat(data["bids"]),
            double_nil=tuple(Seat(seat) for seat in data["double_nil"]),
            tricks=_by_seat(data["tricks"]),
            sides={side: SideScore(**parts) for side, parts in _by_side(data["sides"]).items()},
            hand_seed=data["hand_seed"],
        )


@dataclass(frozen=True, slots=True)
class GameFinished:
    """A game ended with an outcome; `winner` is None only for a draw."""

    type: ClassVar[str] = "game_finished"
    seat: ClassVar[None] = None
    winner: Side | None
    reason: str
    points: Mapping[Side, int]
    bags: Mapping[Side, int]
    hands: int
    game_seed: str
    actor: str = "game"

    def data(self) -> Data:
        """Returns the event's data."""
        return {
            "winner": self.winner.value if self.winner else None,
            "reason": self.reason,
            "points": _named(self.points),
            "bags": _named(self.bags),
            "hands": self.hands,
            "game_seed": self.game_seed,
        }

    @classmethod
    def read(cls, frame: Data, data: Data) -> Self:
        """Returns the event with this data."""
        return cls(
            winner=Side(data["winner"]) if data["winner"] else None,
            reason=data["reason"],
            points=_by_side(data["points"]),
            bags=_by_side(data["bags"]),
            hands=data["hands"],
            game_seed=data["game_seed"],
            actor=frame["actor"],
        )


@dataclass(frozen=True, slots=True)
class GameAborted(GameFinished):
    """A game was broken off without a winner."""

    type: ClassVar[str] = "game_aborted"


Event = (
    GameCreated
    | SeatTaken
    | TokenReissued
    | HandStarted
    | CardsLookedAt
    | DoubleNilBid
    | CardKept
    | CardRefused
    | BidMade
    | CardsGiven
    | CardsReplaced
    | CardPlayed
    | TrickTaken
    | HandScored
    | GameFinished
    | GameAborted
)


def _read_exchange(frame: Data, data: Data) -> Event:
    return CardsGiven.read(frame, data) if "given" in data else CardsReplaced.read(frame, data)


READERS: dict[str, Callable[[Data, Data], Event]] = {
    GameCreated.type: GameCreated.read,
    SeatTaken.type: SeatTaken.read,
    TokenReissued.type: TokenReissued.read,
    HandStarted.type: HandStarted.read,
    CardsLookedAt.type: CardsLookedAt.read,
    DoubleNilBid.type: DoubleNilBid.read,
    CardKept.type: CardKept.read,
    CardRefused.type: CardRefused.read,
    BidMade.type: BidMade.read,
    CardsGiven.type: _read_exchange,
    CardPlayed.type: CardPlayed.read,
    TrickTaken.type: TrickTaken.read,
    HandScored.type: HandScored.read,
    GameFinished.type: GameFinished.read,
    GameAborted.type: GameAborted.read,
}


SCHEMAS: dict[str, int] = dict.fromkeys(READERS, 1)
"""The schema in which each type of event is written today."""

Upcaster = Callable[[Data], Data]
UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""For each older schema of a type, what turns its data into those of the next schema."""


def read_event(frame: Data, data: Data) -> Event:
    """Returns the event of a stored public form, given its data with all leaves opened.

    Data of an older schema are first brought up, step by step; what is stored and hashed
    stays as it is. Raises DamagedLog for a type or schema that this version does not know,
    or data of another shape.
    """
    kind, schema = frame["type"], frame["schema"]
    try:
        return READERS[kind](frame, upcast(kind, schema, data))
    except DamagedLog:
        raise
    except (KeyError, ValueError, TypeError, AttributeError) as fault:
        raise DamagedLog(f"Event {frame['version']} has damaged data.") from fault


def upcast(kind: str, schema: int, data: Data) -> Data:
    """Returns an event's data as today's schema of its type has them; raises DamagedLog."""
    if kind not in SCHEMAS:
        raise DamagedLog(f"Unknown event {kind}.")
    while schema != SCHEMAS[kind]:
        upcaster = UPCASTERS.get((kind, schema))
        if upcaster is None:
            raise DamagedLog(f"Unknown event {kind} schema {schema}.")
        data, schema = upcaster(data), schema + 1
    return data
