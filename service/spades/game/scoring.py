"""What a hand is worth, and whether it ends the game."""

from collections.abc import Mapping
from dataclasses import dataclass

from spades.game.events import SideScore
from spades.game.position import Game, Hand, Standing
from spades.game.rulesets import FailedNil, Options
from spades.game.seats import Seats, Side, members_of

TRICK_POINTS = 10
BONUS_CONTRACT = 10
BONUS_CONTRACT_POINTS = 200


def score_hand(game: Game, hand: Hand) -> dict[Side, SideScore]:
    """Returns each side's parts for a hand that is played out."""
    return {side: score_side(game, hand, side) for side in game.sides}


def score_side(game: Game, hand: Hand, side: Side) -> SideScore:
    """Returns one side's parts: contract, bags, Nils and penalty (C-09 to C-11)."""
    members = members_of(game.seats, side)
    bid = sum(hand.bids[seat].tricks for seat in members)
    counted = tricks_for_bid(hand, members, game.options)
    made = bid > 0 and counted >= bid
    contract = contract_points(bid, made, game.options)
    nils = nil_points(hand, members, game.options)
    new_bags = max(counted - bid, 0) + loose_tricks(hand, members, game.options)
    bags, penalty = carry_bags(game.standings[side].bags + new_bags, game.options)
    points = contract + new_bags + nils + penalty
    return SideScore(
        bid=bid,
        tricks=sum(hand.tricks_of(seat) for seat in members),
        tricks_for_bid=counted,
        made=made,
        contract_points=contract,
        bag_points=new_bags,
        nil_points=nils,
        bag_penalty=penalty,
        new_bags=new_bags,
        bags=bags,
        hand_points=points,
        points=game.standings[side].points + points,
    )


def tricks_for_bid(hand: Hand, members: Seats, options: Options) -> int:
    """Returns the tricks that count towards a side's contract, 0 without a number bid (A-05)."""
    numbers = [seat for seat in members if hand.bids[seat].is_number]
    if not numbers:
        return 0
    counting = members if options.failed_nil_tricks is FailedNil.BID else numbers
    return sum(hand.tricks_of(seat) for seat in counting)


def loose_tricks(hand: Hand, members: Seats, options: Options) -> int:
    """Returns the failed Nils' tricks that are bags (P-12, V-08), unless they count as
    nothing (A-01) or for the contract."""
    nils = [seat for seat in members if not hand.bids[seat].is_number]
    if options.failed_nil_tricks is FailedNil.IGNORE:
        return 0
    if options.failed_nil_tricks is FailedNil.BID and len(nils) < len(members):
        return 0
    return sum(hand.tricks_of(seat) for seat in nils)


def contract_points(bid: int, made: bool, options: Options) -> int:
    """Returns plus or minus ten a trick bid (C-09); a made ten may score 200."""
    if made and bid == BONUS_CONTRACT and options.ten_for_200:
        return BONUS_CONTRACT_POINTS
    return TRICK_POINTS * bid if made else -TRICK_POINTS * bid


def nil_points(hand: Hand, members: Seats, options: Options) -> int:
    """Returns the sum of the side's Nils, each won or lost on its own (P-05, P-07, P-08)."""
    total = 0
    for seat in members:
        bid = hand.bids[seat]
        if not bid.is_number:
            worth = (options.double_nil if bid.double else options.nil) or 0
            total += -worth if hand.tricks_of(seat) else worth
    return total


def carry_bags(bags: int, options: Options) -> tuple[int, int]:
    """Returns the bags left after every full limit has cost its penalty (C-10, A-08)."""
    if options.bag_limit is None:
        return bags, 0
    return bags % options.bag_limit, -options.bag_penalty * (bags // options.bag_limit)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ends; `winner` is None for a draw at the last hand allowed."""

    winner: Side | None
    reason: str


def outcome(game: Game) -> Outcome | None:
    """Returns the end of the game if the hand just scored is the last (C-13, V-09).

    The target comes first, then the floor, then the most hands allowed; a tie for the first
    two plays on (A-10, A-12, A-13).
    """
    points = {side: standing.points for side, standing in game.standings.items()}
    leader = _single_leader(game.standings)
    options = game.options
    if leader and points[leader] >= options.target:
        return Outcome(leader, "target_reached")
    if leader and options.lose_at is not None and min(points.values()) <= options.lose_at:
        return Outcome(leader, "floor_reached")
    if game.hands_scored >= options.max_hands:
        return Outcome(leader, "max_hands")
    return None


def _single_leader(standings: Mapping[Side, Standing]) -> Side | None:
    best = max(standing.points for standing in standings.values())
    leaders = [side for side, standing in standings.items() if standing.points == best]
    return leaders[0] if len(leaders) == 1 else None
