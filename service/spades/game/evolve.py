"""How each event changes a game. Nothing here refuses: what happened, happened."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from spades.errors import DamagedLog
from spades.game.cards import Card, Suit
from spades.game.commands import PlayerKind
from spades.game.entitlement import asked_for_double_nil
from spades.game.events import (
    BidMade,
    CardKept,
    CardPlayed,
    CardRefused,
    CardsGiven,
    CardsLookedAt,
    CardsReplaced,
    DoubleNilBid,
    Event,
    GameAborted,
    GameCreated,
    GameFinished,
    HandScored,
    HandStarted,
    SeatTaken,
    TokenReissued,
    TrickTaken,
)
from spades.game.position import (
    Contract,
    DraftTurn,
    Exchanged,
    Game,
    Hand,
    Played,
    Player,
    Result,
    Standing,
    Status,
    Trick,
)
from spades.game.rulesets import RULESETS
from spades.game.seats import Seat, clockwise_from, partner_of, sides_of


def fold(events: Iterable[Event], game: Game | None = None) -> Game | None:
    """Returns the game after these events."""
    for event in events:
        game = evolve(game, event)
    return game


def evolve(game: Game | None, event: Event) -> Game:
    """Returns the game after one more event."""
    if game is None:
        if isinstance(event, GameCreated):
            return _created(event)
        raise DamagedLog("A log begins with game_created.")
    changed = _changed(game, event)
    acted = game.acted
    if event.actor == "seat" and event.seat and not isinstance(event, SeatTaken):
        acted = acted | {event.seat}
    return replace(changed, version=game.version + 1, acted=acted)


def _changed(game: Game, event: Event) -> Game:  # noqa: C901  one case per event
    match event:
        case GameCreated():
            raise DamagedLog("A game is created once.")
        case SeatTaken():
            return _seat_taken(game, event)
        case TokenReissued():
            return _token_reissued(game, event)
        case HandStarted():
            return _hand_started(game, event)
        case CardsLookedAt():
            return _in_hand(game, lambda hand: replace(hand, looked=hand.looked | {event.seat}))
        case DoubleNilBid():
            return _in_hand(game, lambda hand: _bid(hand, event.seat, Contract(0, double=True)))
        case CardKept():
            turn = DraftTurn(event.seat, event.kept, event.discarded, kept_seen=True)
            return _in_hand(game, lambda hand: _drafted(hand, turn))
        case CardRefused():
            turn = DraftTurn(event.seat, event.refused, event.kept, kept_seen=False)
            return _in_hand(game, lambda hand: _drafted(hand, turn))
        case BidMade():
            return _in_hand(game, lambda hand: _bid(hand, event.seat, Contract(event.tricks)))
        case CardsGiven():
            return _in_hand(game, lambda hand: _given(hand, event))
        case CardsReplaced():
            return _in_hand(game, lambda hand: _replaced(hand, event))
        case CardPlayed():
            return _in_hand(game, lambda hand: _played(hand, event))
        case TrickTaken():
            return _trick_taken(game, event)
        case HandScored():
            return _scored(game, event)
        case GameAborted():
            return replace(game, result=_result(event, Status.ABORTED))
        case GameFinished():
            return replace(game, result=_result(event, Status.FINISHED))
        case _:
            assert_never(event)


def _created(event: GameCreated) -> Game:
    ruleset = RULESETS[event.ruleset]
    players = {seat: Player(chair.kind, chair.level) for seat, chair in event.chairs.items()}
    return Game(
        version=1,
        ruleset=ruleset,
        options=event.options,
        players=players,
        first_dealer=event.dealer,
        spectators=event.spectators,
        algorithm=event.algorithm,
        game_commit=event.game_commit,
        standings={side: Standing() for side in sides_of(ruleset.seats)},
    )


def _seat_taken(game: Game, event: SeatTaken) -> Game:
    seed = event.client_seed if game.hand is None else game.players[event.seat].client_seed
    player = Player(PlayerKind.HUMAN, None, claimed=True, client_seed=seed)
    return replace(game, players={**game.players, event.seat: player})


def _token_reissued(game: Game, event: TokenReissued) -> Game:
    player = replace(game.players[event.seat], generation=event.generation)
    return replace(game, players={**game.players, event.seat: player})


def _hand_started(game: Game, event: HandStarted) -> Game:
    hand = Hand(
        number=event.number,
        dealer=event.dealer,
        hand_commit=event.hand_commit,
        seats=game.seats,
        exchange_cards=game.options.exchange_cards,
        asked=asked_for_double_nil(game),
        holdings=event.holdings or dict.fromkeys(game.seats, ()),
        stock=event.stock,
    )
    return replace(game, hand=hand)


def _in_hand(game: Game, change: Callable[[Hand], Hand]) -> Game:
    return replace(game, hand=change(_hand(game)))


def _hand(game: Game) -> Hand:
    if game.hand is None:
        raise DamagedLog("The log plays before a hand has started.")
    return game.hand


def _bid(hand: Hand, seat: Seat, contract: Contract) -> Hand:
    return replace(hand, bids={**hand.bids, seat: contract})


def _drafted(hand: Hand, turn: DraftTurn) -> Hand:
    held = {**hand.holdings, turn.seat: (*hand.holdings[turn.seat], turn.kept)}
    return replace(
        hand,
        draft=(*hand.draft, turn),
        holdings=held,
        discards=(*hand.discards, turn.discarded),
    )


def _without(held: tuple[Card, ...], gone: tuple[Card, ...]) -> tuple[Card, ...]:
    return tuple(card for card in held if card not in gone)


def _given(hand: Hand, event: CardsGiven) -> Hand:
    seat, partner = event.seat, partner_of(hand.seats, event.seat)
    held = {**hand.holdings, seat: _without(hand.holdings[seat], event.given)}
    exchanges = {**hand.exchanges, seat: Exchanged(event.given, None)}
    if partner is not None and partner in exchanges:
        back = exchanges[partner].given
        exchanges[seat] = Exchanged(event.given, back)
        exchanges[partner] = Exchanged(back, event.given)
        held[seat] += back
        held[partner] += event.given
    return replace(hand, holdings=held, exchanges=exchanges)


def _replaced(hand: Hand, event: CardsReplaced) -> Hand:
    left = _without(hand.holdings[event.seat], event.thrown)
    return replace(
        hand,
        holdings={**hand.holdings, event.seat: left + event.drawn},
        exchanges={**hand.exchanges, event.seat: Exchanged(event.thrown, event.drawn)},
        discards=_without(hand.discards, event.drawn) + event.thrown,
    )


def _played(hand: Hand, event: CardPlayed) -> Hand:
    left = _without(hand.holdings[event.seat], (event.card,))
    return replace(
        hand,
        holdings={**hand.holdings, event.seat: left},
        plays=(*hand.plays, Played(event.seat, event.card)),
        spades_broken=hand.spades_broken or event.card.suit is Suit.SPADES,
    )


def _trick_taken(game: Game, event: TrickTaken) -> Game:
    order = clockwise_from(game.seats, event.leader)
    plays = tuple(Played(seat, card) for seat, card in zip(order, event.cards, strict=True))
    trick = Trick(event.number, plays, event.seat)
    hand = _hand(game)
    return replace(
        game, last_trick=trick, hand=replace(hand, tricks=(*hand.tricks, trick), plays=())
    )


def _scored(game: Game, event: HandScored) -> Game:
    return replace(
        game,
        standings={side: Standing(s.points, s.bags) for side, s in event.sides.items()},
        hands_scored=event.number,
        hand=replace(_hand(game), scored=True),
    )


def _result(event: GameFinished, status: Status) -> Result:
    return Result(status, event.winner, event.reason, event.points, event.bags, event.hands)
