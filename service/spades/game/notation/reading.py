"""How a text is read, line by line; each line is blamed for what is wrong with it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from unicodedata import category

from spades.errors import DamagedTranscript, ValidationFailed
from spades.game.cards import CARDS, FRESH_DECK, Card, as_held
from spades.game.commands import PlayerKind
from spades.game.dealing import CLIENT_SEED_BYTES
from spades.game.events import SideScore
from spades.game.notation.forms import (
    BID,
    BLIND,
    CLAIMED,
    EMPTY,
    FORMAT,
    GAME_ID,
    GIVEN,
    HELD,
    HEX,
    KEPT,
    MADE,
    NIL,
    NONE,
    NUMBER,
    OPTION,
    PARTS,
    PLAYER,
    QUOTED,
    REFUSED,
    REPLACED,
    SCORED,
    SEAT,
    STOCK,
    TRICK,
    UNKNOWN,
    WORD,
    WORDS,
)
from spades.game.notation.transcript import (
    BidTold,
    BlindAnswer,
    Cards,
    DraftChoice,
    EndTold,
    ExchangeTold,
    HandTranscript,
    ScoreTold,
    Transcript,
    TrickTold,
)
from spades.game.position import DRAFT_TURNS, TRICKS_IN_HAND, Player, Result, Status
from spades.game.rulesets import RULESETS, Options, Ruleset, resolve_options
from spades.game.seats import TWO, Seat, Seats, Side, sides_of


def damaged(line: int, why: str) -> DamagedTranscript:
    """Returns the error that blames a line of a text."""
    return DamagedTranscript(f"Line {line}: {why}.", line=line)


class _Lines:
    """The lines of a text, taken one after another; `seats` are those at its table."""

    def __init__(self, text: str) -> None:
        *self._lines, rest = text.split("\n")
        self._taken = 0
        self.seats: Seats = ()
        if rest:
            raise damaged(len(self._lines) + 1, "the line is not ended by a newline")

    @property
    def over(self) -> bool:
        """Whether every line has been taken."""
        return self._taken == len(self._lines)

    def fault(self, why: str) -> DamagedTranscript:
        """Returns the error that blames the last line taken."""
        return damaged(self._taken, why)

    def unexpected(self, why: str) -> DamagedTranscript:
        """Returns the error that blames the next line."""
        return damaged(self._taken + 1, why)

    def next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Takes the next line if it is of this form."""
        found = None if self.over else pattern.fullmatch(self._lines[self._taken])
        self._taken += found is not None
        return found

    def all(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Takes lines as long as they are of this form."""
        while found := self.next(pattern):
            yield found

    def take(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Takes the next line, which must be of this form."""
        found = self.next(pattern)
        if found is None:
            raise self.unexpected(f"{what} must stand here")
        return found

    def tag(self, name: str, value: str) -> str:
        """Takes a tag and returns its value, which must be of this form."""
        return self.take(_tagged(name, value), f"the tag {name} and its value")[1]

    def seat(self, name: str) -> Seat:
        """Returns the seat of this name, which must be at the table."""
        if name not in self.seats:
            raise self.fault(f"there is no seat {name} at this table")
        return Seat(name)

    def new_seat(self, name: str, before: Iterable[Seat]) -> Seat:
        """Returns the seat of this name, which must be none of those before it."""
        seat = self.seat(name)
        if seat in before:
            raise self.fault(f"{name} stands here twice")
        return seat

    def number(self, written: str, expected: int) -> int:
        """Returns the number written, which must be the one that comes next."""
        if written != str(expected):
            raise self.fault(f"number {expected} comes next")
        return expected

    def cards(self, written: str, out: set[Card]) -> Cards:
        """Returns the cards written, all known or all unknown, and adds them to those out."""
        names = [] if written == NONE else written.split(" ")
        known = tuple(CARDS[name] for name in names if name != UNKNOWN)
        if known and len(known) < len(names):
            raise self.fault("cards are known all or not at all")
        if len({*known} - out) < len(known):
            raise self.fault("a card stands here twice")
        out |= {*known}
        return known or (None,) * len(names)

    def held(self, written: str, out: set[Card]) -> Cards:
        """Returns the cards written, which must stand as held."""
        held = self.cards(written, out)
        known = tuple(card for card in held if card)
        if known != as_held(known):
            raise self.fault("cards stand as held: spades first, high to low")
        return held

    def counted(self, held: Cards, count: int) -> Cards:
        """Returns the cards, which must be so many."""
        if len(held) != count:
            raise self.fault(f"there are {count} cards here")
        return held


def _tagged(name: str, value: str) -> re.Pattern[str]:
    return re.compile(rf'\[{name} "({value})"\]')


def parsed(text: str) -> Transcript:
    """Returns the transcript that a text holds, perhaps not written as it should be.

    Raises DamagedTranscript, naming the line.
    """
    lines = _Lines(text)
    transcript = _parsed_header(lines)
    hands: list[HandTranscript] = []
    end: EndTold | None = None
    while not lines.over:
        if end or not lines.next(EMPTY):
            raise lines.unexpected("no such line comes here")
        if status := lines.next(_tagged("Status", "finished|aborted")):
            end = _parsed_end(lines, Status(status[1]))
        elif hands and not hands[-1].score:
            raise lines.unexpected("only the last hand can be without a score")
        else:
            hands.append(_parsed_hand(lines, transcript.ruleset, len(hands) + 1))
    return replace(transcript, hands=tuple(hands), end=end)


def _parsed_header(lines: _Lines) -> Transcript:
    lines.tag("Format", FORMAT)
    game_id = lines.tag("Game", GAME_ID)
    ruleset = RULESETS[lines.tag("Ruleset", "|".join(RULESETS))]
    lines.seats = ruleset.seats
    options = _parsed_options(lines, ruleset)
    players = {seat: _parsed_player(lines, seat) for seat in ruleset.seats}
    dealer, _, how = lines.tag("FirstDealer", rf"{SEAT} (?:drawn|fixed)").partition(" ")
    return Transcript(
        game_id=game_id,
        ruleset=ruleset,
        options=options,
        players=players,
        dealer=lines.seat(dealer),
        dealer_fixed=how == "fixed",
        algorithm=lines.tag("Algorithm", r"[a-z0-9./_-]+"),
        game_commit=lines.tag("GameCommit", HEX),
    )


def _parsed_options(lines: _Lines, ruleset: Ruleset) -> Options:
    wanted: dict[str, Any] = {}
    options = ruleset.options
    for found in lines.all(_tagged("Option", OPTION)):
        name, _, value = found[1].partition("=")
        wanted[name] = _option(value)
        try:
            options = resolve_options(ruleset, wanted)
        except ValidationFailed as fault:
            raise lines.fault(f"{name} is no such option, or can't have this value") from fault
    return options


def _option(written: str) -> object:
    if written in WORDS:
        return WORDS[written]
    return int(written) if re.fullmatch(NUMBER, written) else written


def _parsed_player(lines: _Lines, seat: Seat) -> Player:
    kind, _, level = lines.tag(f"Seat{seat.value}", PLAYER).partition(" ")
    if kind != CLAIMED:
        return Player(PlayerKind(kind), level or None)
    found = lines.next(_tagged(f"ClientSeed{seat.value}", QUOTED))
    seed = _client_seed(lines, found[1]) if found else None
    return Player(PlayerKind.HUMAN, None, claimed=True, client_seed=seed)


def _client_seed(lines: _Lines, quoted: str) -> str:
    seed = re.sub(r"\\(.)", r"\1", quoted)
    if any(category(letter) in ("Cc", "Cs") for letter in seed):
        raise lines.fault("a client seed has no control characters")
    if not 1 <= len(seed.encode()) <= CLIENT_SEED_BYTES:
        raise lines.fault(f"a client seed has 1 to {CLIENT_SEED_BYTES} bytes")
    return seed


def _parsed_hand(lines: _Lines, ruleset: Ruleset, number: int) -> HandTranscript:
    lines.number(lines.tag("Hand", NUMBER), number)
    dealer = lines.seat(lines.tag("Dealer", SEAT))
    hand = HandTranscript(number, dealer, lines.tag("HandCommit", HEX), {})
    hand = _parsed_cards(lines, ruleset, hand)
    if hand.stock:
        return hand
    hand = replace(hand, bids=_parsed_bids(lines, hand.blind))
    if len(_who_bid(hand)) < len(lines.seats):
        return hand
    hand = replace(hand, exchanges=_parsed_exchanges(lines), tricks=_parsed_tricks(lines))
    return replace(hand, score=_parsed_score(lines)) if _is_played_out(hand) else hand


def _parsed_cards(lines: _Lines, ruleset: Ruleset, hand: HandTranscript) -> HandTranscript:
    out: set[Card] = set()
    if not ruleset.drafts:
        deal = _parsed_deal(lines, out)
        return replace(hand, deal=deal, blind=_parsed_blind(lines))
    blind, draft = _parsed_blind(lines), _parsed_draft(lines, out)
    left = len(FRESH_DECK) - 2 * len(draft)
    return replace(hand, blind=blind, draft=draft, stock=_parsed_stock(lines, left, out))


def _parsed_deal(lines: _Lines, out: set[Card]) -> dict[Seat, Cards]:
    deal: dict[Seat, Cards] = {}
    for seat in lines.seats:
        pattern = re.compile(f"deal {seat.value}: {HELD}")
        found = lines.take(pattern, f"the deal of {seat.value}")
        deal[seat] = lines.counted(lines.held(found[1], out), TRICKS_IN_HAND)
    return deal


def _parsed_blind(lines: _Lines) -> tuple[BlindAnswer, ...]:
    told: list[BlindAnswer] = []
    for found in lines.all(BLIND):
        seat = lines.new_seat(found[1], [answer.seat for answer in told])
        told.append(BlindAnswer(seat, found[2] != "look"))
    return tuple(told)


def _parsed_draft(lines: _Lines, out: set[Card]) -> tuple[DraftChoice, ...]:
    told: list[DraftChoice] = []
    while len(told) < DRAFT_TURNS and (found := lines.next(KEPT) or lines.next(REFUSED)):
        lines.number(found[1], len(told) + 1)
        (seen,), (unseen,) = lines.cards(found[3], out), lines.cards(found[4], out)
        told.append(DraftChoice(lines.seat(found[2]), seen, unseen, found.re is KEPT))
    return tuple(told)


def _parsed_stock(lines: _Lines, left: int, out: set[Card]) -> Cards:
    if not left:
        return ()
    stock = lines.take(STOCK, "a turn of the draft, or the rest of the stock,")
    return lines.counted(lines.cards(stock[1], out), left)


def _parsed_bids(lines: _Lines, blind: tuple[BlindAnswer, ...]) -> tuple[BidTold, ...]:
    told: list[BidTold] = []
    double = [answer.seat for answer in blind if answer.double_nil]
    for found in lines.all(BID):
        seat = lines.new_seat(found[1], [*double, *(bid.seat for bid in told)])
        told.append(BidTold(seat, 0 if found[2] == NIL else int(found[2])))
    return tuple(told)


def _who_bid(hand: HandTranscript) -> set[Seat]:
    double = {answer.seat for answer in hand.blind if answer.double_nil}
    return double | {bid.seat for bid in hand.bids}


def _parsed_exchanges(lines: _Lines) -> tuple[ExchangeTold, ...]:
    told: list[ExchangeTold] = []
    pattern = REPLACED if len(lines.seats) == len(TWO) else GIVEN
    for found in lines.all(pattern):
        seat = lines.new_seat(found[1], [exchange.seat for exchange in told])
        given = lines.held(found[2], set())
        drawn = lines.cards(found[3], set()) if pattern is REPLACED else None
        if drawn is not None:
            lines.counted(drawn, len(given))
        told.append(ExchangeTold(seat, given, drawn))
    return tuple(told)


def _parsed_tricks(lines: _Lines) -> tuple[TrickTold, ...]:
    told: list[TrickTold] = []
    played: set[Card] = set()
    while len(told) < TRICKS_IN_HAND and (found := lines.next(TRICK)):
        if told and not told[-1].winner:
            raise lines.fault("only the last trick can be without a winner")
        lines.number(found[1], len(told) + 1)
        told.append(_parsed_trick(lines, found, played))
    return tuple(told)


def _parsed_trick(lines: _Lines, found: re.Match[str], played: set[Card]) -> TrickTold:
    cards = tuple(card for card in lines.cards(found[3], played) if card)
    if not cards or len(cards) > len(lines.seats):
        raise lines.fault("a trick has a card of each seat, and each of them is known")
    if found[4] and len(cards) < len(lines.seats):
        raise lines.fault("a trick is won once it has a card of each seat")
    winner = lines.seat(found[4]) if found[4] else None
    return TrickTold(lines.seat(found[2]), cards, winner)


def _is_played_out(hand: HandTranscript) -> bool:
    return len(hand.tricks) == TRICKS_IN_HAND and bool(hand.tricks[-1].winner)


def _parsed_score(lines: _Lines) -> ScoreTold | None:
    if lines.over:
        return None
    sides: dict[Side, SideScore] = {}
    for side in sides_of(lines.seats):
        pattern = re.compile(f"score {side.value}: {SCORED}")
        sides[side] = _parsed_parts(lines.take(pattern, f"the score of {side.value}"))
    return ScoreTold(sides, lines.tag("HandSeed", HEX))


def _parsed_parts(found: re.Match[str]) -> SideScore:
    parts = dict(zip(PARTS, found.groups(), strict=True))
    made = parts.pop(MADE) == "yes"
    return SideScore(made=made, **{name: int(value) for name, value in parts.items()})


def _parsed_end(lines: _Lines, status: Status) -> EndTold:
    sides = [side.value for side in sides_of(lines.seats)]
    winner = lines.tag("Winner", "|".join([*sides, NONE]))
    result = Result(
        status=status,
        winner=None if winner == NONE else Side(winner),
        reason=lines.tag("Reason", WORD),
        points=_parsed_by_side(lines, "Points"),
        bags=_parsed_by_side(lines, "Bags"),
        hands=int(lines.tag("Hands", NUMBER)),
    )
    return EndTold(result, lines.tag("GameSeed", HEX))


def _parsed_by_side(lines: _Lines, name: str) -> dict[Side, int]:
    sides = sides_of(lines.seats)
    values = lines.tag(name, " ".join(f"{side.value}=(?:{NUMBER})" for side in sides))
    told = (value.partition("=")[2] for value in values.split(" "))
    return dict(zip(sides, map(int, told), strict=True))
