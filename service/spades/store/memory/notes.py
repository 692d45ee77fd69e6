"""What the twin in memory keeps beside the log: tokens and keys, readings, players, issues."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid5

from spades.errors import GameNotFound
from spades.game.position import FIRST_GENERATION
from spades.store.memory.held import Game, Held
from spades.store.model import Issue, PlatformKey, Player, Profile, Reading


class Notes(Held):
    """Who is known, who looked, and what was said of a game's result."""

    def add_key(self, key: PlatformKey) -> None:
        """Stores a platform's key."""
        with self._lock:
            self._keys.setdefault(key.id, key)

    def key_by_hash(self, key_hash: str) -> PlatformKey | None:
        """Finds a platform's key."""
        with self._lock:
            return next((key for key in self._keys.values() if key.key_hash == key_hash), None)

    def keys(self) -> tuple[PlatformKey, ...]:
        """Lists all platforms' keys, oldest first."""
        with self._lock:
            return tuple(sorted(self._keys.values(), key=lambda key: (key.created_at, key.id)))

    def revoke_key(self, key_id: str, at: datetime) -> bool:
        """Revokes a key."""
        with self._lock:
            key = self._keys.get(key_id)
            if key is None or key.revoked_at not in (None, at):
                return False
            self._keys[key_id] = replace(key, revoked_at=at)
            return True

    def next_generation(self, game_id: str, kind: str) -> int:
        """Revokes a game's viewer tokens of a kind; returns the generation of the next ones."""
        with self._lock:
            generations = self._game(game_id).generations
            generations[kind] = generations.get(kind, FIRST_GENERATION) + 1
            return generations[kind]

    def note_reading(self, reading: Reading) -> None:
        """Records a reading; one whose id is there already stays as it is."""
        with self._lock:
            self._readings.setdefault((reading.game_id, reading.id), reading)

    def readings(self, game_id: str, before: str | None, limit: int) -> tuple[Reading, ...]:
        """Lists a game's readings, newest first, those before the reading of this id."""
        with self._lock:
            noted = sorted(self._readings, reverse=True)
            earlier = [
                key for key in noted if key[0] == game_id and (before is None or key[1] < before)
            ]
            return tuple(self._readings[key] for key in earlier[:limit])

    def put_player(self, owner: str, ref: str, name: str | None, at: datetime) -> None:
        """Notes a platform's player; the name is shown in every seat of theirs."""
        with self._lock:
            self._players[owner, ref] = name
            for game, seat in self._seats(owner, ref):
                game.profiles[seat] = Profile(name, ref)

    def player(self, owner: str, ref: str) -> Player | None:
        """Finds a platform's player, also one known only from the seats of its games."""
        with self._lock:
            seats = self._seats(owner, ref)
            if (owner, ref) not in self._players and not seats:
                return None
            shown = [game.profiles[seat].name for game, seat in seats]
            name = self._players.get((owner, ref)) or next(filter(None, shown), None)
            return Player(ref, name, len({game.new.game_id for game, _ in seats}))

    def player_names(self, owner: str, refs: Sequence[str]) -> Mapping[str, str]:
        """Returns the names noted for these players."""
        with self._lock:
            noted = {ref: self._players.get((owner, ref)) for ref in refs}
            return {ref: name for ref, name in noted.items() if name is not None}

    def erase_player(self, owner: str, ref: str, issue: Issue) -> int:
        """Erases a player's name and reference everywhere; returns in how many games."""
        with self._lock:
            self._players.pop((owner, ref), None)
            games = {}
            for game, seat in self._seats(owner, ref):
                game.profiles[seat] = Profile()
                games[game.new.game_id] = game
            for game_id, game in games.items():
                _correct(game, replace(issue, id=str(uuid5(UUID(issue.id), game_id))))
            return len(games)

    def seat_player(self, game_id: str, seat: str, profile: Profile, issue: Issue) -> None:
        """Notes who sat in a seat; a result that had been issued gets this correction."""
        with self._lock:
            if game_id in self._games:
                self._games[game_id].profiles[seat] = profile
                _correct(self._games[game_id], issue)

    def issue(self, game_id: str, first: Issue) -> Issue:
        """Returns the last issue of a game's result; if there is none, `first` becomes it."""
        with self._lock:
            issues = self._game(game_id).issues
            if not issues:
                issues.append(replace(first, supersedes=None))
            return issues[-1]

    def _game(self, game_id: str) -> Game:
        if game_id not in self._games:
            raise GameNotFound()
        return self._games[game_id]

    def _seats(self, owner: str, ref: str) -> list[tuple[Game, str]]:
        """Returns the seats of a player, those of the latest game first."""
        own = (game for game in self._games.values() if game.new.owner == owner)
        latest = sorted(own, key=lambda game: game.new.game_id, reverse=True)
        return [
            (game, seat)
            for game in latest
            for seat, profile in game.profiles.items()
            if profile.player_ref == ref
        ]


def _correct(game: Game, issue: Issue) -> None:
    if game.issues and issue.id not in {earlier.id for earlier in game.issues}:
        game.issues.append(replace(issue, supersedes=game.issues[-1].id))
