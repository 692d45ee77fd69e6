"""What the twin in memory holds, under one lock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Lock

from spades.audit.log import Record
from spades.store.model import (
    Checkpoint,
    Entry,
    FeedItem,
    FeedPosition,
    Issue,
    NewGame,
    Node,
    PlatformKey,
    Profile,
    Reading,
)

NOBODY = Profile()


@dataclass(slots=True)
class Game:
    """A game, its log and what is noted beside it."""

    new: NewGame
    status: str
    profiles: dict[str, Profile]
    created_at: datetime
    updated_at: datetime
    records: list[Record] = field(default_factory=list)
    generations: dict[str, int] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    corrected: bool = False
    quarantined: bool = False

    @property
    def head(self) -> str:
        """The hash of the last event."""
        return self.records[-1].hash

    def seat(self, seat: str, profile: Profile) -> None:
        """Notes who sits in a seat; another reference outdates what was issued of the result."""
        is_another = profile.player_ref != self.profiles.get(seat, NOBODY).player_ref
        self.corrected |= is_another and bool(self.issues)
        self.profiles[seat] = profile


class Held:
    """Everything is kept in this process; `now` tells when things happen."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._lock = Lock()
        self._games: dict[str, Game] = {}
        self._feed: list[FeedItem] = []
        self._once: dict[tuple[str, str], tuple[str, str]] = {}
        self._keys: dict[str, PlatformKey] = {}
        self._readings: dict[tuple[str, str], Reading] = {}
        self._players: dict[tuple[str, str], str | None] = {}
        self._entries: list[Entry] = []
        self._nodes: dict[Node, str] = {}
        self._checkpoints: dict[int, Checkpoint] = {}

    def ping(self) -> None:
        """Answers at once."""

    def close(self) -> None:
        """Holds nothing open."""

    def _write(self, game: Game, records: Sequence[Record]) -> None:
        game.records.extend(records)
        position = self._reach()
        self._feed += [
            FeedItem(FeedPosition(position, game.new.game_id, r.version), r.public, r.hash)
            for r in records
        ]

    def _named(self, owner: str | None, profile: Profile) -> Profile:
        """Returns a profile, one without a name with that noted for its player."""
        if owner is None or profile.player_ref is None:
            return profile
        noted = self._players.get((owner, profile.player_ref))
        return replace(profile, name=profile.name or noted)

    def _reach(self) -> int:
        """Returns the place in the feed's order that the next append will have."""
        return self._feed[-1].position.xid + 1 if self._feed else 1
