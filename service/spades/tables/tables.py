"""The one place where the core meets the store: read, fold, decide, append, observe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cachetools import LRUCache

from spades.audit.form import check_records
from spades.audit.ledger import Ledger, ledger_of
from spades.audit.log import JsonObject, genesis, is_unbroken, timestamp
from spades.errors import (
    DatabaseUnavailable,
    GameNotFound,
    GameQuarantined,
    HandNotFound,
    NotNow,
    RuleBroken,
    SeatTaken,
    TokenRevoked,
    VersionConflict,
    VersionNotFound,
)
from spades.game.audience import Viewer, seated
from spades.game.commands import (
    Action,
    Command,
    CreateGame,
    PlayerKind,
    ReissueToken,
    TakeSeat,
    action_of,
)
from spades.game.dealing import SeededDealer
from spades.game.decide import decide
from spades.game.events import Event
from spades.game.position import FIRST_GENERATION, Game
from spades.game.seats import Seat
from spades.game.views import GameView, legal_actions, observe
from spades.store import Issue, NewGame, Once, Profile, Store, Stored
from spades.tables.hands import hand_record
from spades.tables.policies import Policy
from spades.tables.retries import is_move, leaves_position_alone, same_action

GAMES_KEPT = 512
ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Table:
    """A game with what is kept beside its log: its owner, names and metadata.

    `generations` are those of its viewer tokens by kind, where any were revoked, `issue` is
    the last one of its result; a `quarantined` game takes no more actions.
    """

    ledger: Ledger
    owner: str | None
    profiles: Mapping[str, Profile]
    metadata: JsonObject
    generations: Mapping[str, int] = field(default_factory=dict)
    issue: Issue | None = None
    quarantined: bool = False

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.ledger.game

    def view(self, viewer: Viewer) -> GameView:
        """Returns what a viewer sees, with the game's id, names and log head.

        A game that is quarantined offers nothing to do.
        """
        view = observe(self.game, viewer)
        if self.quarantined:
            view["legal_actions"] = []
        for seat in view["seats"]:
            profile = self.profiles.get(seat["seat"])
            seat["name"] = profile.name if profile else None
        beside = {"log_head": self.ledger.head, "quarantined": self.quarantined}
        return {"id": self.ledger.game_id, **view, **beside}


@dataclass(frozen=True, slots=True)
class Opening:
    """A game to create: the order, and what is kept beside the log."""

    order: CreateGame
    owner: str | None = None
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    once: Once | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """The answer to an opening: the table, and whether it had been opened before."""

    table: Table
    replayed: bool


@dataclass(frozen=True, slots=True)
class Acted:
    """The answer to an action: its version, and everything since the expected version."""

    version: int
    replayed: bool
    events: list[JsonObject]
    table: Table


class Tables:
    """All the games, played over a store.

    `policies` are the computer players by level; `now`, `new_seed` (32 bytes) and `new_id`
    (a UUIDv7) bring in time and chance.
    """

    def __init__(
        self,
        store: Store,
        policies: Mapping[str, Policy],
        *,
        now: Callable[[], datetime],
        new_seed: Callable[[], bytes],
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._policies = policies
        self._now = now
        self._new_seed = new_seed
        self._new_id = new_id
        self._kept: LRUCache[str, Ledger] = LRUCache(GAMES_KEPT)

    def create(self, opening: Opening) -> Opened:
        """Opens a game, deals if no seat is open, and lets the bots act.

        A repeated `once` gives the earlier game; raises IdempotencyKeyReused for another body.
        """
        fresh = Ledger(self._new_id(), self._new_seed().hex())
        ledger = self._played(fresh, None, opening.order)
        created = self._store.create(
            NewGame(
                game_id=ledger.game_id,
                ruleset=opening.order.ruleset.name,
                status=ledger.game.status.value,
                owner=opening.owner,
                profiles=opening.profiles,
                metadata=opening.metadata,
                records=tuple(step.record for step in ledger.steps),
                once=opening.once,
            )
        )
        if created.profiles is None:
            return Opened(self.table(created.game_id), created.replayed)
        self._keep(ledger)
        table = Table(ledger, opening.owner, created.profiles, opening.metadata)
        return Opened(table, replayed=False)

    def table(self, game_id: str) -> Table:
        """Returns a game as it stands, at the cost of one query.

        Raises GameNotFound.
        """
        kept = self._kept.get(game_id)
        stored = self._read(game_id, kept.game.version if kept else 0)
        if kept and (stored.quarantined or not _continues(kept, stored)):
            return self.whole(game_id)
        if kept is None:
            return self._read_anew(stored)
        ledger = kept.read(stored.records)
        self._keep(ledger)
        return _table(ledger, stored)

    def whole(self, game_id: str) -> Table:
        """Returns a game with its whole log."""
        return self._read_anew(self._read(game_id, 0))

    def back_to(self, game_id: str, version: int) -> Table:
        """Returns a game with its log at least from the event after a version."""
        table = self.table(game_id)
        return table if table.ledger.first_version <= version else self.whole(game_id)

    def state(self, game_id: str, version: int) -> Table:
        """Returns a game as it stood at a version, with the names of today.

        Raises VersionNotFound.
        """
        table = self.back_to(game_id, version - 1)
        if version > table.game.version:
            raise VersionNotFound(f"The game is at version {table.game.version}.")
        return replace(table, ledger=table.ledger.up_to(version))

    def hand(self, game_id: str, viewer: Viewer, number: int) -> JsonObject:
        """Returns the record of one hand as a viewer may see it.

        Raises HandNotFound.
        """
        table = self.whole(game_id)
        record = hand_record(table.ledger.served(viewer, 0), number)
        if record is None:
            raise HandNotFound(f"The game has no hand {number}.")
        return record

    def claim(self, game_id: str, seat: Seat, profile: Profile, client_seed: str | None) -> Table:
        """Takes an open seat; the same claim again is answered until the seat has acted.

        Raises SeatTaken.
        """
        for _ in range(ATTEMPTS):
            table = self.table(game_id)
            _check_quarantine(table)
            if table.game.players[seat].kind is not PlayerKind.OPEN:
                if not _same_claim(table, seat, profile, client_seed):
                    raise SeatTaken()
                return table
            if self._append(table, TakeSeat(seat, client_seed), (seat.value, profile)):
                return self.table(game_id)
        raise DatabaseUnavailable("The game is too busy.")

    def reissue_token(self, game_id: str, seat: Seat) -> Table:
        """Gives a seat's token its next generation, so that the earlier ones are revoked.

        Raises SeatNotHeld, GameOver.
        """
        for _ in range(ATTEMPTS):
            table = self.table(game_id)
            _check_quarantine(table)
            if after := self._append(table, ReissueToken(seat)):
                return after
        raise DatabaseUnavailable("The game is too busy.")

    def act(
        self, game_id: str, action: Action, expected_version: int, generation: int | None = None
    ) -> Acted:
        """Acts for a seat at the version it expects, with the bots' answers.

        A lost answer repeated is found again in the log, for ever. `generation` is that of
        the token with which the seat acts, None if nobody asks. Raises TokenRevoked for an
        old one, VersionConflict when the position has changed otherwise, and what `decide`
        raises.
        """
        for _ in range(ATTEMPTS):
            table = self.back_to(game_id, expected_version)
            if generation not in (None, table.game.players[action.seat].generation):
                raise TokenRevoked()
            if replay := _replay(table, action, expected_version):
                return replay
            _check_quarantine(table)
            _check_version(table, action, expected_version)
            version = table.game.version
            if after := self._append_action(table, action):
                return _acted(after, action, expected_version, version + 1, replayed=False)
        raise DatabaseUnavailable("The game is too busy.")

    def _append_action(self, table: Table, action: Action) -> Table | None:
        """Appends what an action brings; a refusal says what would have been legal."""
        try:
            return self._append(table, action)
        except (RuleBroken, NotNow) as refused:
            refused.facts["legal_actions"] = legal_actions(table.game, action.seat)
            raise

    def _append(
        self, table: Table, order: Command, profile: tuple[str, Profile] | None = None
    ) -> Table | None:
        before = table.ledger
        after = self._played(before, before.game, order)
        appended = self._store.append(
            game_id=before.game_id,
            version=before.game.version,
            head=before.head,
            records=tuple(step.record for step in after.since(before.game.version)),
            status=after.game.status.value,
            profile=profile,
        )
        if not appended:
            return None
        self._keep(after)
        return replace(table, ledger=after)

    def _played(self, ledger: Ledger, game: Game | None, order: Command) -> Ledger:
        at = self._at(ledger)
        ledger = ledger.written(decide(game, order, ledger.dealer), at)
        while seat := _bot_to_act(ledger.game):
            ledger = ledger.written(self._bot_acts(ledger.game, seat, ledger.dealer), at)
        return ledger

    def _bot_acts(self, game: Game, seat: Seat, dealer: SeededDealer) -> tuple[Event, ...]:
        policy = self._policies[game.players[seat].level or ""]
        seed = dealer.bot_seed(seat, *game.place)
        body = policy.decide(observe(game, seated(seat)), seed)
        try:
            return decide(game, action_of(body, seat, policy.version), dealer)
        except RuleBroken as broken:
            raise RuntimeError(f"{policy.version} broke the rule {broken.code}") from broken

    def _at(self, ledger: Ledger) -> str:
        now = timestamp(self._now())
        last = ledger.steps[-1].record.public["at"] if ledger.steps else now
        return max(now, last)

    def _read(self, game_id: str, after: int) -> Stored:
        stored = self._store.read(game_id, after)
        if stored is None:
            raise GameNotFound()
        return stored

    def _read_anew(self, stored: Stored) -> Table:
        """Returns a game from its whole log, and keeps it only if nothing is wrong with it.

        What was tampered with must not outlive its repair in this process's memory. Raises
        DamagedLog if it has not even the form of a log.
        """
        game_id, records = stored.game_id, stored.records
        ledger = ledger_of(game_id, records)
        if is_unbroken(genesis(game_id), records) and not stored.quarantined:
            self._keep(ledger)
        else:
            self._kept.pop(game_id, None)
            check_records(records)
        return _table(ledger, stored)

    def _keep(self, ledger: Ledger) -> None:
        self._kept[ledger.game_id] = ledger.of_this_hand()


def _bot_to_act(game: Game) -> Seat | None:
    bots = (seat for seat in game.to_act if game.players[seat].kind is PlayerKind.BOT)
    return next(bots, None)


def _continues(kept: Ledger, stored: Stored) -> bool:
    if not stored.records:
        return stored.head == kept.head
    return is_unbroken(kept.head, stored.records)


def _table(ledger: Ledger, stored: Stored) -> Table:
    return Table(
        ledger=ledger,
        owner=stored.owner,
        profiles=stored.profiles,
        metadata=stored.metadata,
        generations=stored.generations,
        issue=stored.issue,
        quarantined=stored.quarantined,
    )


def _check_quarantine(table: Table) -> None:
    if table.quarantined:
        raise GameQuarantined()


def _same_claim(table: Table, seat: Seat, claim: Profile, client_seed: str | None) -> bool:
    player, noted = table.game.players[seat], table.profiles.get(seat.value, Profile())
    return (
        player.claimed
        and player.generation == FIRST_GENERATION
        and seat not in table.game.acted
        and player.client_seed == client_seed
        and noted.claimed(claim) == noted
    )


def _replay(table: Table, action: Action, expected_version: int) -> Acted | None:
    since = table.ledger.since(expected_version)
    own = (e for e in since if e.event.seat is action.seat and is_move(e.event))
    first = next(own, None)
    if first is None or not same_action(first.event, action):
        return None
    return _acted(table, action, expected_version, first.record.version, replayed=True)


def _check_version(table: Table, action: Action, expected_version: int) -> None:
    since = table.ledger.since(expected_version)
    alone = all(leaves_position_alone(step.event, action) for step in since)
    if expected_version > table.game.version or not alone:
        raise VersionConflict(
            f"The game is at version {table.game.version}.", view=table.view(seated(action.seat))
        )


def _acted(
    table: Table, action: Action, expected_version: int, version: int, *, replayed: bool
) -> Acted:
    events: list[dict[str, Any]] = table.ledger.served(seated(action.seat), expected_version)
    return Acted(version, replayed, events, table)
