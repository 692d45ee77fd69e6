"""Chance, as a value: `spades/deal/v1` turns a game seed into every deal of a game.

The format is frozen in `docs/dealing.md`; nothing here reads a clock or a random source.
"""

import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import Protocol
from unicodedata import category

from spades.game.cards import FRESH_DECK, Card
from spades.game.seats import Seat, Seats

ALGORITHM = "spades/deal/v1"
WORDS = 2**32
CLIENT_SEED_BYTES = 64

ClientSeeds = Mapping[Seat, str | None]


def is_client_seed(text: str) -> bool:
    """Whether a text may go into a game's chance.

    1 to 64 bytes of UTF-8 without control characters, which could pass for the end of a line
    of the mix, and without lone surrogates, which have no bytes.
    """
    if any(category(character) in ("Cc", "Cs") for character in text):
        return False
    return 1 <= len(text.encode()) <= CLIENT_SEED_BYTES


@dataclass(frozen=True, slots=True)
class Deal:
    """One hand's shuffled deck, top first, and its commitment and seed in hex."""

    deck: tuple[Card, ...]
    hand_commit: str
    hand_seed: str


class Dealer(Protocol):
    """Knows the chance of one game: what the rules may ask of it, and nothing else."""

    @property
    def algorithm(self) -> str:
        """The dealing's name in the log."""

    @property
    def game_seed(self) -> str:
        """The seed of the whole game, in hex, told when the game is over."""

    @property
    def game_commit(self) -> str:
        """The commitment to the game seed, in hex."""

    def first_dealer(self, seats: Seats) -> Seat:
        """Chooses who deals first (A-36)."""

    def deal(self, number: int, client_seeds: ClientSeeds) -> Deal:
        """Shuffles for hand `number`, from 1."""

    def draw(
        self,
        number: int,
        client_seeds: ClientSeeds,
        drawn_before: int,
        pool: tuple[Card, ...],
        wanted: int,
    ) -> tuple[Card, ...]:
        """Draws replacements from the discards (A-28).

        `drawn_before` counts the cards that the other player drew earlier in this hand,
        from a pool as large as this one.
        """


def below(words: Iterator[int], n: int) -> int:
    """Returns an even choice from 0 to n - 1, refusing words that would favour some."""
    limit = WORDS - WORDS % n
    return next(word for word in words if word < limit) % n


def shuffle(words: Iterator[int]) -> tuple[Card, ...]:
    """Returns the fresh deck shuffled by Fisher and Yates (B-38)."""
    deck = list(FRESH_DECK)
    for i in range(len(deck) - 1, 0, -1):
        j = below(words, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def mix(client_seeds: ClientSeeds) -> bytes:
    """Returns the digest of what the players put in: a line for every seat, in seat order."""
    lines = (f"{seat.value}={seed or ''}\n" for seat, seed in client_seeds.items())
    return sha256("".join(lines).encode()).digest()


@dataclass(frozen=True, slots=True)
class SeededDealer:
    """The dealer of `spades/deal/v1`, over a game's id and its 32-byte seed in hex."""

    game_id: str
    game_seed: str

    @property
    def algorithm(self) -> str:
        """The dealing's name in the log."""
        return ALGORITHM

    @property
    def game_commit(self) -> str:
        """The commitment to the game seed."""
        text = f"{ALGORITHM}/game\0{self.game_id}\0".encode()
        return sha256(text + bytes.fromhex(self.game_seed)).hexdigest()

    def first_dealer(self, seats: Seats) -> Seat:
        """Chooses who deals first, evenly."""
        return seats[below(_words(bytes.fromhex(self.game_seed), "first", b""), len(seats))]

    def hand_seed(self, number: int) -> str:
        """Returns the seed of one hand, in hex."""
        return _mac(bytes.fromhex(self.game_seed), "hand", _u32(number)).hex()

    def deal(self, number: int, client_seeds: ClientSeeds) -> Deal:
        """Shuffles for hand `number`, with what the players put in."""
        seed = self.hand_seed(number)
        return Deal(shuffle(self._stream(number, client_seeds)), self._commit(number, seed), seed)

    def draw(
        self,
        number: int,
        client_seeds: ClientSeeds,
        drawn_before: int,
        pool: tuple[Card, ...],
        wanted: int,
    ) -> tuple[Card, ...]:
        """Draws replacements, going on where the shuffle and the earlier draws stopped."""
        words = self._stream(number, client_seeds)
        shuffle(words)
        for earlier in range(drawn_before):
            below(words, len(pool) - earlier)
        left = list(pool)
        return tuple(left.pop(below(words, len(left))) for _ in range(wanted))

    def bot_seed(self, seat: Seat, hand: int, choices: int) -> int:
        """Returns the seed of a bot's decision, apart from the seeds of the deals.

        It depends on the place in the game (the hand's number and the choices made in it)
        and not on the log's version, so that a position that comes back is decided as before
        (A-50).
        """
        message = b"spades/bot/v1\0" + seat.value.encode() + _u32(hand) + _u32(choices)
        digest = hmac.digest(bytes.fromhex(self.game_seed), message, "sha256")
        return int.from_bytes(digest[:8], "big")

    def _commit(self, number: int, seed: str) -> str:
        text = f"{ALGORITHM}/commit\0{self.game_id}\0".encode()
        return sha256(text + _u32(number) + bytes.fromhex(seed)).hexdigest()

    def _stream(self, number: int, client_seeds: ClientSeeds) -> Iterator[int]:
        return _words(bytes.fromhex(self.hand_seed(number)), "stream", mix(client_seeds))


def _words(key: bytes, label: str, prefix: bytes) -> Iterator[int]:
    for block in count():
        digest = _mac(key, label, prefix + _u32(block))
        for start in range(0, len(digest), 4):
            yield int.from_bytes(digest[start : start + 4], "big")


def _mac(key: bytes, label: str, rest: bytes) -> bytes:
    return hmac.digest(key, f"{ALGORITHM}/{label}\0".encode() + rest, "sha256")


def _u32(number: int) -> bytes:
    return number.to_bytes(4, "big")
