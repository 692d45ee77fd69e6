"""A log replayed by the rules: what should have happened, beside what did.

Every event is either an answer to an order, which is given again, or a consequence, which is
worked out again. What is recorded stands whatever is found; the replay goes on from it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, assert_never

from spades.audit.evidence import Evidence
from spades.audit.findings import Check, Finding
from spades.audit.form import plain
from spades.audit.log import canonical
from spades.errors import DamagedLog, SpadesError
from spades.game.audience import seated
from spades.game.commands import (
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
    action_of,
)
from spades.game.dealing import SeededDealer
from spades.game.decide import answer, consequence
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
from spades.game.evolve import evolve
from spades.game.position import Game
from spades.game.rulesets import RULESETS, resolve_options
from spades.game.seats import Seat, Seats, left_of
from spades.game.views import ActionBody, GameView, observe

# Invented data may lead the rules to where no game can stand: whatever they trip over there.
CANNOT_FOLLOW = (SpadesError, LookupError, ValueError, TypeError, AttributeError, StopIteration)
REPLAYED = {Check.DEALS, Check.ACTIONS, Check.BOTS, Check.SCORES, Check.END}
SEEDS = {"/data/game_commit", "/data/hand_seed", "/data/game_seed", "/data/algorithm"}
CHANCE: Mapping[str, set[str]] = {
    GameCreated.type: {"/data/dealer", "/data/dealer_fixed"},
    CardKept.type: {"/data/kept", "/data/discarded"},
    CardRefused.type: {"/data/refused", "/data/kept"},
    CardsReplaced.type: {"/data/drawn"},
}


class Repeats(Protocol):
    """What is asked of a policy to repeat its decisions."""

    def decide(self, view: GameView, seed: int) -> ActionBody:
        """Returns the action for the seat that looks."""


Move = (
    CardsLookedAt
    | DoubleNilBid
    | CardKept
    | CardRefused
    | BidMade
    | CardsGiven
    | CardsReplaced
    | CardPlayed
)
Policies = Mapping[str, Repeats]
"""Policies by their version, such as `novice/1`."""


@dataclass(frozen=True, slots=True)
class TellingDealer(SeededDealer):
    """Deals from the seeds that are known; `told` are those of hands, `created` the first event.

    Without the game's seed (an empty text) its commitment and the first dealer are taken as
    they were recorded. A hand of which no seed is known raises LookupError.
    """

    told: Mapping[int, str] = field(default_factory=dict)
    created: GameCreated | None = None

    @property
    def game_commit(self) -> str:
        """The commitment to the game seed."""
        if self.created and not self.game_seed:
            return self.created.game_commit
        return self._seeded.game_commit

    def first_dealer(self, seats: Seats) -> Seat:
        """Chooses who deals first, evenly."""
        if self.created and not self.game_seed:
            return self.created.dealer
        return self._seeded.first_dealer(seats)

    def hand_seed(self, number: int) -> str:
        """Returns the seed of one hand, in hex."""
        return self._seeded.hand_seed(number) if self.game_seed else self.told[number]

    @property
    def _seeded(self) -> SeededDealer:
        return SeededDealer(self.game_id, self.game_seed)


class Replay:
    """The replay of one log: what was found, which checks it had to leave unanswered, and the
    version that it reached."""

    def __init__(self, evidence: Evidence, policies: Policies) -> None:
        self._evidence, self._policies = evidence, policies
        created = next(iter(evidence.events), None)
        self._dealer = TellingDealer(
            evidence.game_id,
            evidence.game_seed or "",
            told=evidence.hand_seeds,
            created=created if isinstance(created, GameCreated) else None,
        )
        self.findings: list[Finding] = []
        self.unanswered: set[Check] = set()
        self.reached = 0

    def run(self) -> None:
        """Replays as much as is known."""
        game: Game | None = None
        for version, event in enumerate(self._evidence.events, 1):
            if event is None or isinstance(event, DamagedLog):
                self._stop_at_unknown(game, version)
                return
            game = self._next(game, event, version)
            if game is None:
                self.unanswered |= REPLAYED
                return
            self.reached = version
        if game:
            self._check_end(game)

    def _next(self, game: Game | None, event: Event, version: int) -> Game | None:
        """Returns the game after an event, None if nothing more can be said."""
        if game and game.result:
            self._found(Check.END, "stands after the end of the game", version)
            return None
        if not self._follows(game, event, version):
            return None
        if game:
            self._check_player(game, event, version)
        try:
            return evolve(game, event)
        except CANNOT_FOLLOW:
            self._found(Check.ACTIONS, "can't be followed from where the game stood", version)
            return None

    def _follows(self, game: Game | None, event: Event, version: int) -> bool:
        """Compares an event with what should have happened; False if it is something else."""
        try:
            expected = _expected(game, event, self._dealer)
        except CANNOT_FOLLOW as refused:
            code = refused.code if isinstance(refused, SpadesError) else "no such action"
            self._found(Check.ACTIONS, f"against the rules: {code}", version)
            return False
        if expected.type != event.type:
            self._found(Check.ACTIONS, f"stands where {expected.type} must follow", version)
            return False
        if expected.seat is not event.seat:
            self._found(Check.ACTIONS, "names another seat than the rules", version, "/seat")
        for pointer in differences(plain(expected), plain(event), "/data"):
            self._found(_asked_by(event, pointer), "not what follows", version, pointer)
        return True

    def _check_player(self, game: Game, event: Event, version: int) -> None:
        """Asks whether a move was made by who sits there: a person, or the seat's policy."""
        if not isinstance(event, Move):
            return
        player = game.players[event.seat]
        is_bot = player.kind is PlayerKind.BOT
        if is_bot is not (event.actor == "bot"):
            self._found(Check.ACTIONS, "not done by who sits there", version, "/actor")
        elif is_bot:
            self._check_policy(game, event, player.level, version)

    def _check_policy(self, game: Game, event: Move, level: str | None, version: int) -> None:
        policy = event.policy or ""
        if policy.partition("/")[0] != level:
            self._found(Check.BOTS, "another policy than the seat's", version, "/data/policy")
        elif policy not in self._policies:
            detail = "a policy that this version of the verifier does not know"
            self._found(Check.BOTS, detail, version, "/data/policy")
        elif not self._dealer.game_seed:
            self.unanswered.add(Check.BOTS)
        elif self._decided_again(game, event, policy) != event:
            self._found(Check.BOTS, "the policy, asked again, decides otherwise", version)

    def _decided_again(self, game: Game, event: Move, policy: str) -> Event | None:
        try:
            seed = self._dealer.bot_seed(event.seat, *game.place)
            body = self._policies[policy].decide(observe(game, seated(event.seat)), seed)
            return answer(game, action_of(body, event.seat, policy), self._dealer)
        except CANNOT_FOLLOW:
            return None

    def _stop_at_unknown(self, game: Game | None, version: int) -> None:
        """Stops at an event that is not known; of a hand that is hidden, asks what is public."""
        self.unanswered |= REPLAYED
        exhibit = self._evidence.exhibits[version - 1]
        if game is None or game.result or exhibit.public["type"] != HandStarted.type:
            return
        dealer = left_of(game.seats, game.hand.dealer) if game.hand else game.first_dealer
        data = exhibit.public["data"]
        if (data["number"], data["dealer"]) != (game.hands_scored + 1, dealer):
            self._found(Check.DEALS, "not the next hand, or not its dealer", version)
        dealt = ["/data/stock"] if game.ruleset.drafts else _holdings(game.seats)
        if exhibit.leaves.keys() != set(dealt):
            self._found(Check.DEALS, "not dealt to the seats of this game", version)
        if game.open_seats:
            self._found(Check.ACTIONS, "a hand starts while a seat is open", version)

    def _check_end(self, game: Game) -> None:
        try:
            missing = consequence(game, self._dealer)
        except CANNOT_FOLLOW:
            self._found(Check.END, "the log stops where more must follow", game.version)
            return
        if missing is not None:
            detail = f"the log stops where {missing.type} must follow"
            self._found(Check.END, detail, game.version)

    def _found(self, check: Check, detail: str, version: int, pointer: str | None = None) -> None:
        self.findings.append(Finding(check, detail, version, pointer))


def _holdings(seats: Seats) -> list[str]:
    return [f"/data/holdings/{seat}" for seat in seats]


def _expected(game: Game | None, event: Event, dealer: TellingDealer) -> Event:
    if game is not None:
        if isinstance(event, GameAborted):
            return _aborted(game, event)
        if (follows := consequence(game, dealer)) is not None:
            return follows
    return answer(game, order_of(event), dealer)


def _aborted(game: Game, event: GameAborted) -> GameAborted:
    """Returns how a game is broken off: with its points as they stand, and any reason."""
    return GameAborted(
        winner=None,
        reason=event.reason,
        points={side: standing.points for side, standing in game.standings.items()},
        bags={side: standing.bags for side, standing in game.standings.items()},
        hands=game.hands_scored,
        game_seed=event.game_seed,
    )


def order_of(event: Event) -> Command:  # noqa: C901  one case per event
    """Returns the order that an event answers; raises LookupError for a mere consequence."""
    match event:
        case GameCreated():
            return _creation(event)
        case SeatTaken():
            return TakeSeat(event.seat, event.client_seed)
        case TokenReissued():
            return ReissueToken(event.seat)
        case CardsLookedAt():
            return Look(event.seat, event.policy)
        case DoubleNilBid():
            return BidDoubleNil(event.seat, event.policy)
        case CardKept():
            return Keep(event.seat, event.policy)
        case CardRefused():
            return Refuse(event.seat, event.policy)
        case BidMade():
            return Bid(event.seat, event.tricks, event.policy)
        case CardsGiven():
            return Exchange(event.seat, event.given, event.policy)
        case CardsReplaced():
            return Exchange(event.seat, event.thrown, event.policy)
        case CardPlayed():
            return Play(event.seat, event.card, event.policy)
        case HandStarted() | TrickTaken() | HandScored() | GameFinished():
            raise LookupError(f"{event.type} answers no order")
        case _:
            assert_never(event)


def _creation(event: GameCreated) -> CreateGame:
    ruleset = RULESETS[event.ruleset]
    return CreateGame(
        ruleset=ruleset,
        options=resolve_options(ruleset, event.options.as_json()),
        chairs={seat: event.chairs[seat] for seat in ruleset.seats},
        spectators=event.spectators,
        dealer=event.dealer if event.dealer_fixed else None,
    )


def _asked_by(event: Event, pointer: str) -> Check:
    """Returns which check asks for the value at a pointer."""
    if isinstance(event, HandStarted) or pointer in SEEDS:
        return Check.DEALS
    if pointer in CHANCE.get(event.type, set()):
        return Check.DEALS
    scores = isinstance(event, HandScored | GameFinished)
    return Check.SCORES if scores else Check.ACTIONS


def differences(expected: Any, actual: Any, pointer: str) -> Iterator[str]:
    """Yields where two values differ, by JSON pointer."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            if (key in expected) is not (key in actual):
                yield f"{pointer}/{key}"
            else:
                yield from differences(expected[key], actual[key], f"{pointer}/{key}")
    elif canonical(expected) != canonical(actual):
        yield pointer
