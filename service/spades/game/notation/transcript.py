"""A game as its viewer can retell it: from the opening to the result, hidden cards unknown.

`transcript_of` takes the log at its word and judges nothing; that is the audit's work.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spades.errors import DamagedLog
from spades.game.cards import FRESH_DECK, Card, as_held, cards
from spades.game.commands import PlayerKind
from spades.game.events import (
    READERS,
    BidMade,
    CardKept,
    CardPlayed,
    CardRefused,
    CardsGiven,
    CardsLookedAt,
    DoubleNilBid,
    GameAborted,
    GameCreated,
    GameFinished,
    HandScored,
    HandStarted,
    SeatTaken,
    SideScore,
    TrickTaken,
    read_event,
)
from spades.game.position import TRICKS_IN_HAND, Player, Result, Status
from spades.game.rulesets import RULESETS, Options, Ruleset
from spades.game.seats import Seat, Side

Cards = tuple[Card | None, ...]
"""Cards in order, None for each that the viewer may not see."""

Served = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BlindAnswer:
    """What a seat entitled to Double Nil answered: the bid, or a look at its cards."""

    seat: Seat
    double_nil: bool


@dataclass(frozen=True, slots=True)
class DraftChoice:
    """One turn of the two-player draft: the card looked at, the one under it, the choice."""

    seat: Seat
    seen: Card | None
    unseen: Card | None
    kept_seen: bool


@dataclass(frozen=True, slots=True)
class BidTold:
    """A bid of a number of tricks, 0 for Nil."""

    seat: Seat
    tricks: int


@dataclass(frozen=True, slots=True)
class ExchangeTold:
    """What a seat gave or threw, as held; `drawn` in draw order, None between partners."""

    seat: Seat
    given: Cards
    drawn: Cards | None


@dataclass(frozen=True, slots=True)
class TrickTold:
    """Cards in the order played; the trick on the table has no winner yet."""

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat | None


@dataclass(frozen=True, slots=True)
class ScoreTold:
    """A hand's score, with the seed that its deal follows from."""

    sides: Mapping[Side, SideScore]
    hand_seed: str


@dataclass(frozen=True, slots=True)
class HandTranscript:
    """One hand as far as it has come.

    `deal` has each seat's cards as held, and is empty at a table of two; `stock` is what the
    draft has left of the stock, top first, and empty at a table of four.
    """

    number: int
    dealer: Seat
    hand_commit: str
    deal: Mapping[Seat, Cards]
    blind: tuple[BlindAnswer, ...] = ()
    draft: tuple[DraftChoice, ...] = ()
    stock: Cards = ()
    bids: tuple[BidTold, ...] = ()
    exchanges: tuple[ExchangeTold, ...] = ()
    tricks: tuple[TrickTold, ...] = ()
    score: ScoreTold | None = None


@dataclass(frozen=True, slots=True)
class EndTold:
    """How the game ended, with its seed."""

    result: Result
    game_seed: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """A game as far as it has come, as one viewer can tell it; no names, as in the log."""

    game_id: str
    ruleset: Ruleset
    options: Options
    players: Mapping[Seat, Player]
    dealer: Seat
    dealer_fixed: bool
    algorithm: str
    game_commit: str
    hands: tuple[HandTranscript, ...] = ()
    end: EndTold | None = None


def transcript_of(game_id: str, events: Iterable[Served]) -> Transcript:
    """Returns the transcript of a log as it is served to a viewer, from its first event on.

    Raises DamagedLog for events that this version does not know, or of another shape.
    """
    told = list(events)
    if unknown := {event["type"] for event in told} - READERS.keys():
        raise DamagedLog(f"Unknown event {min(unknown)}.")
    if not told or told[0]["type"] != GameCreated.type:
        raise DamagedLog("A log begins with game_created.")
    try:
        return _transcript(game_id, told)
    except (KeyError, ValueError, TypeError, AttributeError) as fault:
        raise DamagedLog("An event has damaged data.") from fault


def _transcript(game_id: str, events: Sequence[Served]) -> Transcript:
    created = read_event(dict(events[0]), events[0]["data"])
    assert isinstance(created, GameCreated)
    starts = [at for at, event in enumerate(events) if event["type"] == HandStarted.type]
    ends = [*starts[1:], len(events)]
    opening = events[1 : starts[0]] if starts else events[1:]
    hands = [events[start:end] for start, end in zip(starts, ends, strict=False)]
    return Transcript(
        game_id=game_id,
        ruleset=RULESETS[created.ruleset],
        options=created.options,
        players=_players(created, opening, events[len(opening) + 1 :]),
        dealer=created.dealer,
        dealer_fixed=created.dealer_fixed,
        algorithm=created.algorithm,
        game_commit=created.game_commit,
        hands=tuple(_hand(own, created.options) for own in hands),
        end=_end(events),
    )


def _players(
    created: GameCreated, before: Sequence[Served], after: Sequence[Served]
) -> dict[Seat, Player]:
    """A claim's client seed counts only if it came before the first hand."""
    players = {seat: Player(chair.kind, chair.level) for seat, chair in created.chairs.items()}
    for event in _of(before, SeatTaken.type):
        seed = event["data"]["client_seed"]
        players[Seat(event["seat"])] = Player(PlayerKind.HUMAN, None, True, seed)
    for event in _of(after, SeatTaken.type):
        seat = Seat(event["seat"])
        players[seat] = replace(players[seat], kind=PlayerKind.HUMAN, level=None, claimed=True)
    return players


def _hand(own: Sequence[Served], options: Options) -> HandTranscript:
    start = own[0]["data"]
    draft = tuple(_choice(event) for event in _of(own, CardKept.type, CardRefused.type))
    return HandTranscript(
        number=start["number"],
        dealer=Seat(start["dealer"]),
        hand_commit=start["hand_commit"],
        deal=_deal(start.get("holdings", {})),
        blind=tuple(_answer(event) for event in _of(own, CardsLookedAt.type, DoubleNilBid.type)),
        draft=draft,
        stock=_shown(start["stock"], len(FRESH_DECK))[2 * len(draft) :] if "stock" in start else (),
        bids=tuple(
            BidTold(Seat(event["seat"]), event["data"]["tricks"])
            for event in _of(own, BidMade.type)
        ),
        exchanges=tuple(_exchange(event, options) for event in _of(own, CardsGiven.type)),
        tricks=(*_tricks(own), *_on_table(own)),
        score=_score(own),
    )


def _of(events: Iterable[Served], *types: str) -> list[Served]:
    return [event for event in events if event["type"] in types]


def _shown(leaf: Mapping[str, Any], count: int) -> Cards:
    return cards(leaf["value"]) if "value" in leaf else (None,) * count


def _shown_as_held(leaf: Mapping[str, Any], count: int) -> Cards:
    return as_held(cards(leaf["value"])) if "value" in leaf else (None,) * count


def _shown_card(leaf: Mapping[str, Any]) -> Card | None:
    return cards([leaf["value"]])[0] if "value" in leaf else None


def _deal(holdings: Mapping[str, Any]) -> dict[Seat, Cards]:
    return {Seat(seat): _shown_as_held(leaf, TRICKS_IN_HAND) for seat, leaf in holdings.items()}


def _answer(event: Served) -> BlindAnswer:
    return BlindAnswer(Seat(event["seat"]), event["type"] == DoubleNilBid.type)


def _choice(event: Served) -> DraftChoice:
    seat, data = Seat(event["seat"]), event["data"]
    if event["type"] == CardKept.type:
        return DraftChoice(seat, _shown_card(data["kept"]), _shown_card(data["discarded"]), True)
    return DraftChoice(seat, _shown_card(data["refused"]), _shown_card(data["kept"]), False)


def _exchange(event: Served, options: Options) -> ExchangeTold:
    seat, data = Seat(event["seat"]), event["data"]
    if "given" in data:
        return ExchangeTold(seat, _shown_as_held(data["given"], options.exchange_cards), None)
    count = data["count"]
    return ExchangeTold(seat, _shown_as_held(data["thrown"], count), _shown(data["drawn"], count))


def _tricks(own: Sequence[Served]) -> list[TrickTold]:
    return [
        TrickTold(Seat(event["data"]["leader"]), cards(event["data"]["cards"]), Seat(event["seat"]))
        for event in _of(own, TrickTaken.type)
    ]


def _on_table(own: Sequence[Served]) -> list[TrickTold]:
    taken = sum(len(event["data"]["cards"]) for event in _of(own, TrickTaken.type))
    plays = _of(own, CardPlayed.type)[taken:]
    if not plays:
        return []
    return [TrickTold(Seat(plays[0]["seat"]), cards(p["data"]["card"] for p in plays), None)]


def _score(own: Sequence[Served]) -> ScoreTold | None:
    for event in _of(own, HandScored.type):
        data = event["data"]
        sides = {Side(side): SideScore(**parts) for side, parts in data["sides"].items()}
        return ScoreTold(sides, data["hand_seed"])
    return None


def _end(events: Sequence[Served]) -> EndTold | None:
    for event in _of(events, GameFinished.type, GameAborted.type):
        end = read_event(dict(event), event["data"])
        assert isinstance(end, GameFinished)
        status = Status.ABORTED if isinstance(end, GameAborted) else Status.FINISHED
        result = Result(status, end.winner, end.reason, end.points, end.bags, end.hands)
        return EndTold(result, end.game_seed)
    return None
