"""What follows from an order: facts, or the one rule that refuses it."""

from typing import assert_never

from spades.errors import (
    DoubleNilNotOffered,
    GameNotStarted,
    GameOver,
    NoHumanSeat,
    NotYourTurn,
    SeatNotHeld,
    WrongPhase,
)
from spades.errors import (
    SeatTaken as SeatIsTaken,
)
from spades.game.cards import Card, in_deck_order
from spades.game.commands import (
    Action,
    Bid,
    BidDoubleNil,
    Command,
    CreateGame,
    Exchange,
    Keep,
    Look,
    Play,
    PlayerKind,
    Refuse,
    ReissueToken,
    TakeSeat,
)
from spades.game.dealing import Deal, Dealer
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
    GameCreated,
    GameFinished,
    HandScored,
    HandStarted,
    SeatTaken,
    TokenReissued,
    TrickTaken,
)
from spades.game.evolve import evolve
from spades.game.legal import check_bid, check_exchange, check_play
from spades.game.position import Game, Hand, Phase, winning
from spades.game.scoring import outcome, score_hand
from spades.game.seats import Seat, Seats, clockwise_from, left_of

PHASE_OF: dict[type[Action], Phase] = {
    Look: Phase.BLIND,
    BidDoubleNil: Phase.BLIND,
    Keep: Phase.DRAFT,
    Refuse: Phase.DRAFT,
    Bid: Phase.BIDDING,
    Exchange: Phase.EXCHANGE,
    Play: Phase.PLAY,
}


def decide(game: Game | None, command: Command, dealer: Dealer) -> tuple[Event, ...]:
    """Returns the facts that follow from an order, with all that they bring about.

    A hand's last card brings the trick, the score and the next hand or the end, so nobody
    has to continue a table. Raises one named error and changes nothing otherwise.
    """
    first = answer(game, command, dealer)
    events = [first]
    now = evolve(game, first)
    while (event := consequence(now, dealer)) is not None:
        events.append(event)
        now = evolve(now, event)
    return tuple(events)


def answer(game: Game | None, command: Command, dealer: Dealer) -> Event:
    """Returns the one fact that answers an order, without what it brings about."""
    if isinstance(command, CreateGame):
        return _create(command, dealer)
    if game is None:
        raise GameNotStarted()
    if isinstance(command, TakeSeat):
        return _take_seat(game, command)
    if isinstance(command, ReissueToken):
        return _reissue_token(game, command)
    return _act(game, command, dealer)


def _act(game: Game, action: Action, dealer: Dealer) -> Event:
    hand = _hand_to_act_in(game, action)
    match action:
        case Look():
            return CardsLookedAt(action.seat, action.policy)
        case BidDoubleNil():
            return DoubleNilBid(action.seat, action.policy)
        case Keep():
            return _keep(hand, action)
        case Refuse():
            return _refuse(hand, action)
        case Bid():
            return _bid(game, hand, action)
        case Exchange():
            return _exchange(game, hand, action, dealer)
        case Play():
            return _play(game, hand, action)
        case _:
            assert_never(action)


def _create(command: CreateGame, dealer: Dealer) -> GameCreated:
    if all(chair.kind is PlayerKind.BOT for chair in command.chairs.values()):
        raise NoHumanSeat()
    return GameCreated(
        ruleset=command.ruleset.name,
        options=command.options,
        chairs=command.chairs,
        dealer=command.dealer or dealer.first_dealer(command.ruleset.seats),
        dealer_fixed=command.dealer is not None,
        spectators=command.spectators,
        algorithm=dealer.algorithm,
        game_commit=dealer.game_commit,
    )


def _take_seat(game: Game, command: TakeSeat) -> SeatTaken:
    if game.players[command.seat].kind is not PlayerKind.OPEN:
        raise SeatIsTaken()
    return SeatTaken(command.seat, command.client_seed)


def _reissue_token(game: Game, command: ReissueToken) -> TokenReissued:
    if game.result:
        raise GameOver()
    player = game.players[command.seat]
    if player.kind is not PlayerKind.HUMAN:
        raise SeatNotHeld()
    return TokenReissued(command.seat, player.generation + 1)


def _hand_to_act_in(game: Game, action: Action) -> Hand:
    if game.result:
        raise GameOver()
    if game.hand is None:
        raise GameNotStarted()
    if isinstance(action, BidDoubleNil) and action.seat not in game.hand.asked:
        raise DoubleNilNotOffered()
    if game.phase is not PHASE_OF[type(action)]:
        raise WrongPhase(f"The hand is in its {game.phase} phase.", phase=game.phase)
    if action.seat not in game.to_act:
        seats = [seat.value for seat in game.to_act]
        raise NotYourTurn(f"It is the turn of {', '.join(seats)}.", seats=seats)
    return game.hand


def _keep(hand: Hand, action: Keep) -> CardKept:
    seen, unseen = hand.shown
    turn = len(hand.draft) + 1
    return CardKept(action.seat, action.policy, turn=turn, kept=seen, discarded=unseen)


def _refuse(hand: Hand, action: Refuse) -> CardRefused:
    seen, unseen = hand.shown
    turn = len(hand.draft) + 1
    return CardRefused(action.seat, action.policy, turn=turn, refused=seen, kept=unseen)


def _bid(game: Game, hand: Hand, action: Bid) -> BidMade:
    check_bid(hand, game.options, action.seat, action.tricks)
    return BidMade(action.seat, action.policy, tricks=action.tricks)


def _exchange(game: Game, hand: Hand, action: Exchange, dealer: Dealer) -> Event:
    check_exchange(hand, action.seat, action.cards)
    chosen = in_deck_order(action.cards)
    if hand.stock is None:
        return CardsGiven(action.seat, action.policy, given=chosen)
    drawn_before = sum(len(exchange.given) for exchange in hand.exchanges.values())
    drawn = dealer.draw(hand.number, game.client_seeds, drawn_before, hand.discards, len(chosen))
    return CardsReplaced(action.seat, action.policy, thrown=chosen, drawn=drawn)


def _play(game: Game, hand: Hand, action: Play) -> CardPlayed:
    check_play(hand, game.options, action.seat, action.card)
    return CardPlayed(action.seat, action.policy, card=action.card)


def consequence(game: Game, dealer: Dealer) -> Event | None:
    """Returns what happens by itself in this position, None if somebody must act."""
    if game.result or game.open_seats:
        return None
    hand = game.hand
    if hand is None:
        return _next_hand(game, dealer)
    if hand.trick_is_full:
        return _trick(hand)
    if hand.scored:
        return _finish(game, dealer) or _next_hand(game, dealer)
    return _score(game, hand, dealer) if hand.is_played_out else None


def _next_hand(game: Game, dealer: Dealer) -> HandStarted:
    number = game.hands_scored + 1
    seat = left_of(game.seats, game.hand.dealer) if game.hand else game.first_dealer
    deal = dealer.deal(number, game.client_seeds)
    drafts = game.ruleset.drafts
    order = clockwise_from(game.seats, left_of(game.seats, seat))
    return HandStarted(
        number=number,
        dealer=seat,
        hand_commit=deal.hand_commit,
        holdings=None if drafts else _dealt(deal, game.seats, order),
        stock=deal.deck if drafts else None,
    )


def _dealt(deal: Deal, seats: Seats, order: Seats) -> dict[Seat, tuple[Card, ...]]:
    """Deals one card at a time, clockwise from the dealer's left (A-37)."""
    return {seat: deal.deck[order.index(seat) :: len(order)] for seat in seats}


def _trick(hand: Hand) -> TrickTaken:
    return TrickTaken(
        seat=winning(hand.plays).seat,
        number=len(hand.tricks) + 1,
        leader=hand.leader,
        cards=tuple(play.card for play in hand.plays),
    )


def _score(game: Game, hand: Hand, dealer: Dealer) -> HandScored:
    return HandScored(
        number=hand.number,
        bids={seat: hand.bids[seat].tricks for seat in game.seats},
        double_nil=hand.double_nil,
        tricks={seat: hand.tricks_of(seat) for seat in game.seats},
        sides=score_hand(game, hand),
        hand_seed=dealer.deal(hand.number, game.client_seeds).hand_seed,
    )


def _finish(game: Game, dealer: Dealer) -> GameFinished | None:
    end = outcome(game)
    if end is None:
        return None
    return GameFinished(
        winner=end.winner,
        reason=end.reason,
        points={side: standing.points for side, standing in game.standings.items()},
        bags={side: standing.bags for side, standing in game.standings.items()},
        hands=game.hands_scored,
        game_seed=dealer.game_seed,
    )
