"""What the twin in memory keeps beside the log: tokens and keys, readings, players, issues."""

from dataclasses import replace
from datetime import datetime

from spades.errors import DatabaseUnavailable, GameNotFound
from spades.game.position import FIRST_GENERATION
from spades.store.memory.held import NOBODY, Game, Held
from spades.store.model import Issue, Issued, PlatformKey, Player, Profile, Reading


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
                game.seat(seat, Profile(name, ref))

    def player(self, owner: str, ref: str) -> Player | None:
        """Finds a platform's player, also one known only from the seats of its games."""
        with self._lock:
            seats = self._seats(owner, ref)
            if (owner, ref) not in self._players and not seats:
                return None
            shown = [game.profiles[seat].name for game, seat in seats]
            name = self._players.get((owner, ref)) or next(filter(None, shown), None)
            return Player(ref, name, len({game.new.game_id for game, _ in seats}))

    def erase_player(self, owner: str, ref: str) -> int:
        """Erases a player's name and reference everywhere; returns in how many games."""
        with self._lock:
            self._players.pop((owner, ref), None)
            seats = self._seats(owner, ref)
            for game, seat in seats:
                game.seat(seat, NOBODY)
            return len({game.new.game_id for game, _ in seats})

    def seat_player(self, game_id: str, seat: str, profile: Profile) -> Profile:
        """Notes who sat in a seat; returns that, with a name that was not given but is noted."""
        with self._lock:
            game = self._game(game_id)
            game.seat(seat, self._named(game.new.owner, profile))
            return game.profiles[seat]

    def issue(self, game_id: str, fresh: Issue) -> Issued:
        """Returns the last issue of a game's result; `fresh` if none tells of today's players."""
        with self._lock:
            game = self._game(game_id)
            if not game.issues or game.corrected:
                _issue(game, fresh)
            return Issued(game.issues[-1], dict(game.profiles))

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


def _issue(game: Game, fresh: Issue) -> None:
    if fresh.id in {earlier.id for earlier in game.issues}:
        raise DatabaseUnavailable("A correction came between.")
    supersedes = game.issues[-1].id if game.issues else None
    game.issues.append(replace(fresh, supersedes=supersedes))
    game.corrected = False
