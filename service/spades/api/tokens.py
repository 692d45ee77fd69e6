"""Who calls: platform keys, seat tokens, join codes.

Seat tokens and join codes are derived from the secret keys, so that nothing secret is
stored and they survive every restart. The first key signs, all of them verify.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from spades.errors import TokenInvalid, TokenMissing, TokenRevoked
from spades.game.seats import Seat
from spades.store import PLATFORM_PREFIX, Store, hash_of_key

SEAT_PREFIX = "sps_"
SEAT_TOKEN = re.compile(r"sps_([A-Za-z0-9_-]{68})")
FIRST_GENERATION = 1
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 10
BITS_PER_CHARACTER = 5
MISREAD = str.maketrans("ILO", "110")
MAC_LENGTH = 32


@dataclass(frozen=True, slots=True)
class PlatformCaller:
    """A platform, known by one of its keys."""

    name: str


@dataclass(frozen=True, slots=True)
class SeatCaller:
    """Somebody in a seat of one game."""

    game_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Anonymous:
    """Somebody without a token."""


Caller = PlatformCaller | SeatCaller | Anonymous
ANONYMOUS = Anonymous()

Purpose = Literal[b"spades/seat-token/v1\0", b"spades/join-code/v1\0"]


class Tokens:
    """Derives and verifies what opens a seat."""

    def __init__(self, secret_keys: Sequence[bytes]) -> None:
        self._keys = tuple(secret_keys)

    def seat_token(self, game_id: str, seat: Seat) -> str:
        """Returns the token of a seat."""
        place = _place(game_id, seat)
        mac = _mac(self._keys[0], b"spades/seat-token/v1\0", place)
        return SEAT_PREFIX + urlsafe_b64encode(place + mac).decode()

    def join_code(self, game_id: str, seat: Seat) -> str:
        """Returns the code that claims an open seat."""
        return _code(self._keys[0], game_id, seat)

    def opens(self, code: str, game_id: str, seat: Seat) -> bool:
        """Whether a join code claims a seat; letters of either case, I L O read as 1 1 0."""
        given = code.upper().translate(MISREAD).encode()
        codes = [_code(key, game_id, seat).encode() for key in self._keys]
        return any(hmac.compare_digest(given, right) for right in codes)

    def seat_of(self, token: str) -> SeatCaller:
        """Returns whose token this is; raises TokenInvalid."""
        match = SEAT_TOKEN.fullmatch(token)
        if match is None:
            raise TokenInvalid()
        raw = urlsafe_b64decode(match[1])
        place, mac = raw[:-MAC_LENGTH], raw[-MAC_LENGTH:]
        good = [_mac(key, b"spades/seat-token/v1\0", place) for key in self._keys]
        if not any(hmac.compare_digest(mac, right) for right in good):
            raise TokenInvalid()
        return SeatCaller(str(UUID(bytes=place[:16])), Seat(place[16:17].decode()))


def caller_of(authorization: str | None, tokens: Tokens, store: Store) -> Caller:
    """Returns who sent an `Authorization` header; raises TokenInvalid or TokenRevoked."""
    if authorization is None:
        return ANONYMOUS
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token.isascii():
        raise TokenInvalid("The Authorization header must be: Bearer <token>.")
    if token.startswith(SEAT_PREFIX):
        return tokens.seat_of(token)
    if token.startswith(PLATFORM_PREFIX):
        return _platform(token, store)
    raise TokenInvalid()


def known(caller: Caller) -> PlatformCaller | SeatCaller:
    """Returns the caller; raises TokenMissing if it sent no token."""
    if isinstance(caller, Anonymous):
        raise TokenMissing()
    return caller


def _platform(token: str, store: Store) -> PlatformCaller:
    key = store.key_by_hash(hash_of_key(token))
    if key is None:
        raise TokenInvalid()
    if key.revoked_at is not None:
        raise TokenRevoked()
    return PlatformCaller(key.name)


def _place(game_id: str, seat: Seat) -> bytes:
    return UUID(game_id).bytes + seat.value.encode() + FIRST_GENERATION.to_bytes(2, "big")


def _mac(key: bytes, purpose: Purpose, place: bytes) -> bytes:
    return hmac.digest(key, purpose + place, "sha256")


def _code(key: bytes, game_id: str, seat: Seat) -> str:
    """Writes the first fifty bits of the code's mac in Crockford's base 32."""
    mac = _mac(key, b"spades/join-code/v1\0", _place(game_id, seat))
    number = int.from_bytes(mac[:8], "big") >> (64 - CODE_LENGTH * BITS_PER_CHARACTER)
    places = range((CODE_LENGTH - 1) * BITS_PER_CHARACTER, -1, -BITS_PER_CHARACTER)
    return "".join(CROCKFORD[number >> place & 31] for place in places)
