"""What a viewer is shown. `observe` is the only way a fact about a game leaves the core.

Every key is there in every phase, null when it does not apply; hidden things are counts.
"""

from typing import Any

from spades.game.audience import Viewer
from spades.game.cards import Card, as_held
from spades.game.legal import blocking_rule, exchange_range, legal_bids, legal_plays
from spades.game.position import (
    DRAFT_TURNS,
    Contract,
    Exchanged,
    Game,
    Hand,
    Phase,
    Played,
    Trick,
    winning,
)
from spades.game.seats import Seat, Side, left_of, members_of, partner_of, side_of

GameView = dict[str, Any]
ActionBody = dict[str, Any]


def observe(game: Game, viewer: Viewer) -> GameView:
    """Returns what a viewer sees of a game: shapes and names as in the API's view."""
    hand = game.hand
    return {
        "version": game.version,
        "ruleset": game.ruleset.name,
        "options": game.options.as_json(),
        "status": game.status.value,
        "phase": game.phase.value if game.phase else None,
        "viewer": _viewer(game, viewer),
        "turn": _turn(game, viewer),
        "hand_number": hand.number if hand else None,
        "dealer": (hand.dealer if hand else game.first_dealer).value,
        "seats": [_seat(game, seat) for seat in game.seats],
        "sides": [_side(game, side) for side in game.sides],
        **_own(game, viewer.seat),
        "draft": _draft(hand, viewer.seat) if hand and game.phase is Phase.DRAFT else None,
        "exchange": _exchange(hand) if hand and game.phase is Phase.EXCHANGE else None,
        "tricks": [_trick(trick) for trick in hand.tricks] if hand else [],
        "trick": _open_trick(game.hand) if game.phase is Phase.PLAY else None,
        "last_trick": _trick(game.last_trick) if game.last_trick else None,
        "spades_broken": bool(hand and hand.spades_broken),
        "legal_actions": legal_actions(game, viewer.seat),
        "undo": {"allowed": False, "blocked_by": "not_available"},
        "result": _result(game),
        "fairness": {
            "algorithm": game.algorithm,
            "game_commit": game.game_commit,
            "hand_commit": hand.hand_commit if hand else None,
        },
    }


def legal_actions(game: Game, seat: Seat | None) -> list[ActionBody]:
    """Returns the actions open to a seat, each ready to be sent back.

    The exchange is offered as a choice, `{"choose": {"from", "min", "max"}}`.
    """
    if game.hand is None or seat is None or seat not in game.to_act:
        return []
    bodies = _bodies(game, game.hand, seat)
    return [{**body, "expected_version": game.version} for body in bodies]


def _bodies(game: Game, hand: Hand, seat: Seat) -> list[ActionBody]:
    match hand.phase:
        case Phase.BLIND:
            return [{"type": "bid_double_nil"}, {"type": "look"}]
        case Phase.DRAFT:
            return [{"type": "keep"}, {"type": "refuse"}]
        case Phase.BIDDING:
            bids = legal_bids(hand, game.options, seat)
            return [{"type": "bid", "tricks": tricks} for tricks in bids]
        case Phase.EXCHANGE:
            least, most = exchange_range(hand)
            choice = {"from": _names(hand.holdings[seat]), "min": least, "max": most}
            return [{"type": "exchange", "choose": choice}]
        case Phase.PLAY:
            return [
                {"type": "play", "card": str(card)}
                for card in legal_plays(hand, game.options, seat)
            ]


def _viewer(game: Game, viewer: Viewer) -> dict[str, Any]:
    seat = viewer.seat
    partner = partner_of(game.seats, seat) if seat else None
    left = left_of(game.seats, seat) if seat else None
    right = left_of(game.seats[::-1], seat) if seat else None
    return {
        "kind": viewer.kind.value,
        "seat": _name(seat),
        "side": side_of(game.seats, seat).value if seat else None,
        "partner": _name(partner),
        "left": _name(left),
        "right": _name(right),
    }


def _turn(game: Game, viewer: Viewer) -> dict[str, Any]:
    return {
        "seats": [seat.value for seat in game.to_act],
        "yours": viewer.seat in game.to_act,
        "deadline": None,
        "remaining_ms": None,
    }


def _seat(game: Game, seat: Seat) -> dict[str, Any]:
    player, hand = game.players[seat], game.hand
    return {
        "seat": seat.value,
        "side": side_of(game.seats, seat).value,
        "kind": player.kind.value,
        "name": None,
        "level": player.level,
        "cards": len(hand.holdings[seat]) if hand else 0,
        "looked": _looked(game, hand, seat),
        "bid": _bid(hand.bids.get(seat)) if hand else None,
        "tricks": hand.tricks_of(seat) if hand else 0,
        "exchanged": _exchanged(hand, seat) if hand else None,
        "exchanged_cards": _exchanged_cards(hand, seat) if hand else None,
    }


def _looked(game: Game, hand: Hand | None, seat: Seat) -> bool | None:
    if game.ruleset.drafts:
        return None
    return bool(hand and hand.sees_cards(seat))


def _bid(contract: Contract | None) -> dict[str, Any] | None:
    if contract is None:
        return None
    return {
        "tricks": contract.tricks,
        "nil": not contract.is_number and not contract.double,
        "double_nil": contract.double,
    }


def _exchanged(hand: Hand, seat: Seat) -> bool | None:
    if len(hand.bids) < len(hand.seats) or seat not in hand.exchangers:
        return None
    return seat in hand.exchanges


def _exchanged_cards(hand: Hand, seat: Seat) -> int | None:
    exchange = hand.exchanges.get(seat)
    return len(exchange.given) if exchange else None


def _side(game: Game, side: Side) -> dict[str, Any]:
    hand, members = game.hand, members_of(game.seats, side)
    return {
        "side": side.value,
        "points": game.standings[side].points,
        "bags": game.standings[side].bags,
        "contract": _contract(hand, members) if hand else None,
        "tricks": sum(hand.tricks_of(seat) for seat in members) if hand else 0,
    }


def _contract(hand: Hand, members: tuple[Seat, ...]) -> int | None:
    bids = [hand.bids.get(seat) for seat in members]
    return None if None in bids else sum(bid.tricks for bid in bids if bid)


def _own(game: Game, seat: Seat | None) -> dict[str, Any]:
    hand = game.hand
    if hand is None or seat is None:
        return dict.fromkeys(("hand", "hand_withheld", "given", "received", "refused"))
    exchange, sees = hand.exchanges.get(seat), hand.sees_cards(seat)
    refused = [t.seen for t in hand.draft if t.seat is seat and not t.kept_seen]
    return {
        "hand": _held(game, hand, seat) if sees else None,
        "hand_withheld": None if sees else "blind_choice",
        "given": _names(exchange.given) if exchange else None,
        "received": _received(exchange),
        "refused": None if hand.stock is None else _names(refused),
    }


def _received(exchange: Exchanged | None) -> list[str] | None:
    if exchange is None or exchange.received is None:
        return None
    return _names(exchange.received)


def _held(game: Game, hand: Hand, seat: Seat) -> list[dict[str, Any]]:
    now = _not_now(game, seat)
    able = () if now else legal_plays(hand, game.options, seat)
    rule = now or blocking_rule(hand).code
    return [
        {"card": str(card), "playable": card in able, "blocked_by": None if card in able else rule}
        for card in as_held(hand.holdings[seat])
    ]


def _not_now(game: Game, seat: Seat) -> str | None:
    if game.phase is not Phase.PLAY:
        return "wrong_phase"
    return None if seat in game.to_act else "not_your_turn"


def _draft(hand: Hand, seat: Seat | None) -> dict[str, Any]:
    turns = hand.draft
    return {
        "card": str(hand.shown[0]) if seat is hand.drawer else None,
        "turn": len(turns) + 1,
        "stock": 2 * (DRAFT_TURNS - len(turns)) - 1,
        "choices": [{"seat": turn.seat.value, "kept": turn.kept_seen} for turn in turns],
    }


def _exchange(hand: Hand) -> dict[str, Any]:
    least, most = exchange_range(hand)
    return {"owed_by": [seat.value for seat in hand.owing], "min": least, "max": most}


def _plays(plays: tuple[Played, ...]) -> list[dict[str, str]]:
    return [{"seat": play.seat.value, "card": str(play.card)} for play in plays]


def _trick(trick: Trick) -> dict[str, Any]:
    return {
        "number": trick.number,
        "leader": trick.leader.value,
        "plays": _plays(trick.plays),
        "winner": trick.winner.value,
    }


def _open_trick(hand: Hand | None) -> dict[str, Any] | None:
    if hand is None or hand.is_played_out:
        return None
    return {
        "number": len(hand.tricks) + 1,
        "leader": hand.leader.value,
        "plays": _plays(hand.plays),
        "winning": winning(hand.plays).seat.value if hand.plays else None,
    }


def _result(game: Game) -> dict[str, Any] | None:
    result = game.result
    if result is None:
        return None
    return {
        "winner": _name(result.winner),
        "reason": result.reason,
        "points": {side.value: points for side, points in result.points.items()},
        "bags": {side.value: bags for side, bags in result.bags.items()},
        "hands": result.hands,
    }


def _names(held: tuple[Card, ...] | list[Card]) -> list[str]:
    return [str(card) for card in as_held(held)]


def _name(place: Seat | Side | None) -> str | None:
    return place.value if place else None
