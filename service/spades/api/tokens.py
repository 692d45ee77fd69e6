"""Who calls: platform keys, seat tokens, viewer tokens, join codes.

All but platform keys are derived from the secret keys, so that nothing secret is
stored and they survive every restart. The first key signs, all of them verify.
"""

import hmac
import re
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from spades.errors import TokenExpired, TokenInvalid, TokenMissing, TokenRevoked
from spades.game.audience import AUDITOR, SPECTATOR, Viewer
from spades.game.position import FIRST_GENERATION
from spades.game.seats import Seat
from spades.store import PLATFORM_PREFIX, Store, hash_of_key

SEAT_PREFIX = "sps_"
SEAT_TOKEN = re.compile(r"sps_([A-Za-z0-9_-]{68})")
VIEWER_PREFIX = "spv_"
VIEWER_TOKEN = re.compile(r"spv_([A-Za-z0-9_-]{108})")
VIEWER_KINDS = {b"s": SPECTATOR, b"a": AUDITOR}
VIEWER_PLACE = struct.Struct(">16scQQ16s")
NEVER = 0
FOREVER = datetime(2200, 1, 1, tzinfo=UTC)
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
    generation: int


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a viewer token says: whom it lets see one game, and until when.

    `generation` is that of the game's tokens of this kind, `expires_ms` milliseconds since
    1970 (None: never), `id`, a UUID, names the token in the access log.
    """

    game_id: str
    viewer: Viewer
    generation: int
    expires_ms: int | None
    id: str


@dataclass(frozen=True, slots=True)
class ViewerCaller:
    """A spectator or an auditor of one game, by the platform's leave."""

    ticket: Ticket


@dataclass(frozen=True, slots=True)
class Anonymous:
    """Somebody without a token."""


Known = PlatformCaller | SeatCaller | ViewerCaller
Caller = Known | Anonymous
ANONYMOUS = Anonymous()

Purpose = Literal[b"spades/seat-token/v1\0", b"spades/join-code/v1\0", b"spades/viewer-token/v1\0"]


SEAT: Purpose = b"spades/seat-token/v1\0"
JOIN_CODE: Purpose = b"spades/join-code/v1\0"
VIEWER: Purpose = b"spades/viewer-token/v1\0"


class Tokens:
    """Derives and verifies what opens a seat or a view."""

    def __init__(self, secret_keys: Sequence[bytes]) -> None:
        self._keys = tuple(secret_keys)

    def seat_token(self, game_id: str, seat: Seat, generation: int = FIRST_GENERATION) -> str:
        """Returns the token of a seat."""
        return SEAT_PREFIX + self._signed(SEAT, _place(game_id, seat, generation))

    def viewer_token(self, ticket: Ticket) -> str:
        """Returns the token of a spectator or an auditor."""
        return VIEWER_PREFIX + self._signed(VIEWER, _viewer_place(ticket))

    def join_code(self, game_id: str, seat: Seat) -> str:
        """Returns the code that claims an open seat."""
        return _code(self._keys[0], game_id, seat)

    def opens(self, code: str, game_id: str, seat: Seat) -> bool:
        """Whether a join code claims a seat; letters of either case, I L O read as 1 1 0."""
        given = code.upper().translate(MISREAD).encode()
        codes = [_code(key, game_id, seat).encode() for key in self._keys]
        return any(hmac.compare_digest(given, right) for right in codes)

    def seat_of(self, token: str) -> SeatCaller:
        """Returns whose seat's token this is; raises TokenInvalid."""
        place = self._place_in(SEAT_TOKEN, token, SEAT)
        generation = int.from_bytes(place[17:], "big")
        return SeatCaller(str(UUID(bytes=place[:16])), Seat(place[16:17].decode()), generation)

    def ticket_of(self, token: str) -> Ticket:
        """Returns what a viewer token says; raises TokenInvalid."""
        place = self._place_in(VIEWER_TOKEN, token, VIEWER)
        game, kind, generation, expires_ms, name = VIEWER_PLACE.unpack(place)
        return Ticket(
            game_id=str(UUID(bytes=game)),
            viewer=VIEWER_KINDS[kind],
            generation=generation,
            expires_ms=None if expires_ms == NEVER else expires_ms,
            id=str(UUID(bytes=name)),
        )

    def _signed(self, purpose: Purpose, place: bytes) -> str:
        return urlsafe_b64encode(place + _mac(self._keys[0], purpose, place)).decode()

    def _place_in(self, form: re.Pattern[str], token: str, purpose: Purpose) -> bytes:
        match = form.fullmatch(token)
        if match is None:
            raise TokenInvalid()
        raw = urlsafe_b64decode(match[1])
        place, mac = raw[:-MAC_LENGTH], raw[-MAC_LENGTH:]
        good = [_mac(key, purpose, place) for key in self._keys]
        if not any(hmac.compare_digest(mac, right) for right in good):
            raise TokenInvalid()
        return place


def caller_of(
    authorization: str | None, tokens: Tokens, store: Store, now: Callable[[], datetime]
) -> Caller:
    """Returns who sent an `Authorization` header.

    Raises TokenInvalid, TokenExpired, or TokenRevoked for a platform's key; whether a seat's
    or a viewer's token was revoked, its game tells.
    """
    if authorization is None:
        return ANONYMOUS
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token.isascii():
        raise TokenInvalid("The Authorization header must be: Bearer <token>.")
    if token.startswith(SEAT_PREFIX):
        return tokens.seat_of(token)
    if token.startswith(VIEWER_PREFIX):
        return _viewer(tokens.ticket_of(token), now())
    if token.startswith(PLATFORM_PREFIX):
        return _platform(token, store)
    raise TokenInvalid()


def known(caller: Caller) -> Known:
    """Returns the caller; raises TokenMissing if it sent no token."""
    if isinstance(caller, Anonymous):
        raise TokenMissing()
    return caller


def _viewer(ticket: Ticket, now: datetime) -> ViewerCaller:
    if ticket.expires_ms is not None and ticket.expires_ms <= milliseconds(now):
        raise TokenExpired()
    return ViewerCaller(ticket)


def milliseconds(moment: datetime) -> int:
    """Returns a time as whole milliseconds since 1970."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _platform(token: str, store: Store) -> PlatformCaller:
    key = store.key_by_hash(hash_of_key(token))
    if key is None:
        raise TokenInvalid()
    if key.revoked_at is not None:
        raise TokenRevoked()
    return PlatformCaller(key.name)


def _place(game_id: str, seat: Seat, generation: int) -> bytes:
    return UUID(game_id).bytes + seat.value.encode() + generation.to_bytes(2, "big")


def _viewer_place(ticket: Ticket) -> bytes:
    kind = next(kind for kind, viewer in VIEWER_KINDS.items() if viewer == ticket.viewer)
    return VIEWER_PLACE.pack(
        UUID(ticket.game_id).bytes,
        kind,
        ticket.generation,
        ticket.expires_ms or NEVER,
        UUID(ticket.id).bytes,
    )


def _mac(key: bytes, purpose: Purpose, place: bytes) -> bytes:
    return hmac.digest(key, purpose + place, "sha256")


def _code(key: bytes, game_id: str, seat: Seat) -> str:
    """Writes the first fifty bits of the code's mac in Crockford's base 32."""
    mac = _mac(key, JOIN_CODE, _place(game_id, seat, FIRST_GENERATION))
    number = int.from_bytes(mac[:8], "big") >> (64 - CODE_LENGTH * BITS_PER_CHARACTER)
    places = range((CODE_LENGTH - 1) * BITS_PER_CHARACTER, -1, -BITS_PER_CHARACTER)
    return "".join(CROCKFORD[number >> place & 31] for place in places)
