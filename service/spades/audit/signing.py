"""Ed25519 signatures as compact JWS (RFC 7515 and 8037), and the keys that verify them."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwa import EdDSAAlgorithm
from joserfc.jwk import OKPKey

from spades.audit.json_text import read_json
from spades.audit.log import JsonObject, canonical
from spades.errors import SignatureInvalid

ALGORITHM = "EdDSA"
SIGNATURE_BYTES = 64
HEADER_MEMBERS = {"alg", "kid", "typ"}
PUBLIC_MEMBERS = ("kty", "crv", "x", "kid", "alg", "use")


class _EdDSA(EdDSAAlgorithm):
    """Ed25519 under the name that verifiers know.

    The library warns that RFC 9864 renames it, but few verifiers know the new name yet, and no
    name makes a signature more or less safe.
    """

    security_warning = ""


class _OnlyEdDSA(jws.JWSRegistry):
    """Knows no other algorithm, whatever a header says."""

    algorithms = {ALGORITHM: _EdDSA()}  # noqa: RUF012 - the library declares it so


REGISTRY = _OnlyEdDSA(algorithms=[ALGORITHM])


@dataclass(frozen=True, slots=True)
class Signed:
    """What a compact JWS says: its payload, and the key and type that its header names."""

    payload: JsonObject
    kid: str
    typ: str


class SigningKeys:
    """Signs with the first of its keys and publishes all of them."""

    def __init__(self, seeds: Sequence[bytes]) -> None:
        self._keys = tuple(_private_key(seed) for seed in seeds)

    def sign(self, payload: Mapping[str, Any], typ: str) -> str:
        """Returns the compact JWS of a payload; the same payload has the same signature."""
        key = self._keys[0]
        header = {"alg": ALGORITHM, "kid": key.kid, "typ": typ}
        return jws.serialize_compact(header, canonical(dict(payload)), key, registry=REGISTRY)

    def jwks(self) -> JsonObject:
        """Returns the public keys as a JWK Set (RFC 7517)."""
        return {"keys": [{name: key[name] for name in PUBLIC_MEMBERS} for key in self._keys]}


def read_signed(text: str) -> Signed:
    """Reads a compact JWS without asking who signed it.

    Raises SignatureInvalid for one that is not written exactly as this service writes them.
    """
    parts = text.split(".")
    if len(parts) != 3:
        raise SignatureInvalid("A compact JWS has three parts, separated by dots.")
    try:
        header, payload, signature = (_decoded(part) for part in parts)
        if len(signature) != SIGNATURE_BYTES:
            raise ValueError("its signature is not one of Ed25519.")
        return _signed(_object(header), _object(payload))
    except ValueError as error:
        raise SignatureInvalid(f"It is no signed statement: {error}") from error


def verify(text: str, jwks: Mapping[str, Any], typ: str) -> Signed:
    """Reads a compact JWS signed as `typ` by a key of a JWK Set; raises SignatureInvalid."""
    signed = read_signed(text)
    if signed.typ != typ:
        raise SignatureInvalid(f"It is not signed as {typ}.")
    key = _public_key(signed.kid, jwks)
    try:
        jws.deserialize_compact(text, key, registry=REGISTRY)
    except JoseError as error:
        raise SignatureInvalid("The key that it names did not sign it.") from error
    return signed


def _private_key(seed: bytes) -> OKPKey:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key = OKPKey.import_key(private, {"alg": ALGORITHM, "use": "sig"})
    key.ensure_kid()
    return key


def _public_key(kid: str, jwks: Mapping[str, Any]) -> OKPKey:
    """Returns the key of this name, without a private part that somebody may have left in it."""
    keys = jwks.get("keys")
    named = [key for key in keys if _is_ed25519(key, kid)] if isinstance(keys, list) else []
    if not named:
        raise SignatureInvalid("The JWK Set has not the Ed25519 key that it names.")
    try:
        key = OKPKey.import_key({name: named[0][name] for name in ("kty", "crv", "x")})
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise SignatureInvalid("The key that it names can't be read in the JWK Set.") from error
    if key.thumbprint() != kid:
        raise SignatureInvalid("The key that it names is not what its name stands for.")
    return key


def _is_ed25519(key: object, kid: str) -> bool:
    wanted = {"kty": "OKP", "crv": "Ed25519", "kid": kid}
    if not isinstance(key, dict) or not wanted.items() <= key.items():
        return False
    return (key.get("alg", ALGORITHM), key.get("use", "sig")) == (ALGORITHM, "sig")


def _signed(header: JsonObject, payload: JsonObject) -> Signed:
    if header.keys() != HEADER_MEMBERS or header["alg"] != ALGORITHM:
        raise ValueError(f"its header is not alg {ALGORITHM}, kid and typ.")
    if not isinstance(header["kid"], str) or not isinstance(header["typ"], str):
        raise ValueError("its kid and typ are no text.")
    return Signed(payload, header["kid"], header["typ"])


def _decoded(part: str) -> bytes:
    """Reads base64url; writing it again finds padding, stray characters and trailing bits."""
    raw = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    if urlsafe_b64encode(raw).rstrip(b"=") != part.encode():
        raise ValueError("a part is not written in base64url.")
    return raw


def _object(raw: bytes) -> JsonObject:
    value = read_json(raw)
    if not isinstance(value, dict):
        raise ValueError("a part is no JSON object.")
    return value
