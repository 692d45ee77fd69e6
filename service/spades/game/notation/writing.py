"""How a transcript is written, line by line."""

from collections.abc import Iterator, Mapping

from spades.game.notation.forms import CLAIMED, FORMAT, NIL, NONE, PARTS, UNKNOWN
from spades.game.notation.transcript import (
    Cards,
    DraftChoice,
    EndTold,
    ExchangeTold,
    HandTranscript,
    ScoreTold,
    Transcript,
    TrickTold,
)
from spades.game.position import Player
from spades.game.seats import Seat, Side


def lines_of(transcript: Transcript) -> Iterator[str]:
    """Yields the lines of a transcript's text."""
    yield from _header(transcript)
    for hand in transcript.hands:
        yield ""
        yield from _hand(hand)
    if transcript.end:
        yield ""
        yield from _end(transcript.end)


def _header(transcript: Transcript) -> Iterator[str]:
    yield _tag("Format", FORMAT)
    yield _tag("Game", transcript.game_id)
    yield _tag("Ruleset", transcript.ruleset.name)
    usual = transcript.ruleset.options.as_json()
    for name, value in transcript.options.as_json().items():
        if value != usual[name]:
            yield _tag("Option", f"{name}={_word(value)}")
    for seat in transcript.ruleset.seats:
        player = transcript.players[seat]
        yield _tag(f"Seat{seat.value}", _player(player))
        if player.client_seed is not None:
            yield _tag(f"ClientSeed{seat.value}", player.client_seed)
    drawn = "fixed" if transcript.dealer_fixed else "drawn"
    yield _tag("FirstDealer", f"{transcript.dealer.value} {drawn}")
    yield _tag("Algorithm", transcript.algorithm)
    yield _tag("GameCommit", transcript.game_commit)


def _tag(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _word(value: object) -> str:
    return "null" if value is None else str(value).lower()


def _player(player: Player) -> str:
    if player.claimed:
        return CLAIMED
    return f"{player.kind.value} {player.level}" if player.level else player.kind.value


def _hand(hand: HandTranscript) -> Iterator[str]:
    yield _tag("Hand", str(hand.number))
    yield _tag("Dealer", hand.dealer.value)
    yield _tag("HandCommit", hand.hand_commit)
    for seat in Seat:
        if seat in hand.deal:
            yield f"deal {seat.value}: {_held(hand.deal[seat])}"
    for answer in hand.blind:
        yield f"blind {answer.seat.value}: {'double nil' if answer.double_nil else 'look'}"
    for turn, choice in enumerate(hand.draft, 1):
        yield f"draft {turn} {choice.seat.value}: {_choice(choice)}"
    if hand.stock:
        yield f"stock: {_held(hand.stock)}"
    for bid in hand.bids:
        yield f"bid {bid.seat.value}: {bid.tricks or NIL}"
    yield from map(_exchange, hand.exchanges)
    for number, trick in enumerate(hand.tricks, 1):
        yield f"trick {number} {_trick(trick)}"
    if hand.score:
        yield from _score(hand.score)


def _held(held: Cards) -> str:
    return " ".join(card or UNKNOWN for card in held) or NONE


def _choice(choice: DraftChoice) -> str:
    seen, unseen = choice.seen or UNKNOWN, choice.unseen or UNKNOWN
    return f"keep {seen} discard {unseen}" if choice.kept_seen else f"refuse {seen} keep {unseen}"


def _exchange(exchange: ExchangeTold) -> str:
    given = _held(exchange.given)
    if exchange.drawn is None:
        return f"give {exchange.seat.value}: {given}"
    return f"replace {exchange.seat.value}: throw {given} draw {_held(exchange.drawn)}"


def _trick(trick: TrickTold) -> str:
    won = f" won by {trick.winner.value}" if trick.winner else ""
    return f"{trick.leader.value}: {_held(trick.cards)}{won}"


def _score(score: ScoreTold) -> Iterator[str]:
    for side in Side:
        if side in score.sides:
            parts = (f"{name}={_part(getattr(score.sides[side], name))}" for name in PARTS)
            yield f"score {side.value}: {' '.join(parts)}"
    yield _tag("HandSeed", score.hand_seed)


def _part(value: bool | int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _end(end: EndTold) -> Iterator[str]:
    result = end.result
    yield _tag("Status", result.status.value)
    yield _tag("Winner", result.winner.value if result.winner else NONE)
    yield _tag("Reason", result.reason)
    yield _tag("Points", _by_side(result.points))
    yield _tag("Bags", _by_side(result.bags))
    yield _tag("Hands", str(result.hands))
    yield _tag("GameSeed", end.game_seed)


def _by_side(values: Mapping[Side, int]) -> str:
    return " ".join(f"{side.value}={values[side]}" for side in Side if side in values)
