"""Signatures against RFC 8037, against a second library, and against tampering."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import jwt
import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws
from joserfc.jwk import OKPKey
from jwt.api_jws import PyJWS

from spades.audit.signing import REGISTRY, Signed, SigningKeys, read_signed, verify
from spades.errors import SignatureInvalid

# RFC 8037, appendix A: the key of A.1 and A.2, its thumbprint of A.3, the signature of A.4.
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
THUMBPRINT = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
SIGNED_IN_THE_RFC = (
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-"
    "09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
)
PUBLIC_KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    "x": PUBLIC,
    "kid": THUMBPRINT,
    "alg": "EdDSA",
    "use": "sig",
}
OLDER = b"\7" * 32
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
TYPE = "spades-result+json"
HEADER = {"alg": "EdDSA", "kid": THUMBPRINT, "typ": TYPE}
PAYLOAD = {"winner": "NS", "points": {"NS": 512, "EW": 301}, "name": "Zoë", "supersedes": None}
KEYS = SigningKeys([SEED])
SIGNED = KEYS.sign(PAYLOAD, TYPE)


def b64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return urlsafe_b64decode(text + "==")


def signed_by_hand(header: object, payload: object, seed: bytes = SEED) -> str:
    """A compact JWS of whatever it is given, with a good signature."""
    parts = [
        part if isinstance(part, bytes) else json.dumps(part).encode() for part in (header, payload)
    ]
    text = ".".join(map(b64, parts))
    return f"{text}.{b64(Ed25519PrivateKey.from_private_bytes(seed).sign(text.encode()))}"


def test_the_key_of_the_rfc_is_published_under_its_thumbprint_and_nothing_private() -> None:
    assert KEYS.jwks() == {"keys": [PUBLIC_KEY]}


def test_the_signature_in_the_rfc_is_good() -> None:
    key = OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": PUBLIC})
    read = jws.deserialize_compact(SIGNED_IN_THE_RFC, key, registry=REGISTRY)
    assert read.payload == b"Example of Ed25519 signing"


def test_another_library_makes_the_same_text() -> None:
    key = Ed25519PrivateKey.from_private_bytes(SEED)
    headers: dict[str, Any] = {"kid": THUMBPRINT, "typ": TYPE}
    text = PyJWS().encode(rfc8785.dumps(PAYLOAD), key, "EdDSA", headers, sort_headers=True)
    assert text == SIGNED == KEYS.sign(PAYLOAD, TYPE)


def test_another_library_verifies_it_with_the_published_key() -> None:
    (key,) = jwt.PyJWKSet.from_dict(KEYS.jwks()).keys
    read = PyJWS().decode_complete(SIGNED, key, algorithms=["EdDSA"])
    assert json.loads(read["payload"]) == PAYLOAD
    assert read["header"] == HEADER


def test_what_was_signed_is_read_with_and_without_its_key() -> None:
    assert read_signed(SIGNED) == Signed(PAYLOAD, THUMBPRINT, TYPE)
    assert verify(SIGNED, KEYS.jwks(), TYPE) == Signed(PAYLOAD, THUMBPRINT, TYPE)


def test_the_first_key_signs_and_an_older_one_still_verifies() -> None:
    both = SigningKeys([SEED, OLDER])
    old = SigningKeys([OLDER]).sign(PAYLOAD, TYPE)
    assert both.sign(PAYLOAD, TYPE) == SIGNED
    assert both.jwks()["keys"] == KEYS.jwks()["keys"] + SigningKeys([OLDER]).jwks()["keys"]
    assert verify(old, both.jwks(), TYPE).payload == PAYLOAD
    with pytest.raises(SignatureInvalid, match="has not the Ed25519 key"):
        verify(old, KEYS.jwks(), TYPE)


def test_a_statement_of_one_type_is_not_taken_for_another() -> None:
    with pytest.raises(SignatureInvalid, match="not signed as"):
        verify(SIGNED, KEYS.jwks(), "spades-checkpoint+json")


def test_members_may_stand_in_any_order() -> None:
    text = signed_by_hand(dict(reversed(HEADER.items())), PAYLOAD)
    assert verify(text, KEYS.jwks(), TYPE).payload == PAYLOAD


def test_every_changed_character_is_refused() -> None:
    for place, character in enumerate(SIGNED):
        wrong = SIGNED[:place] + ("A" if character != "A" else "B") + SIGNED[place + 1 :]
        with pytest.raises(SignatureInvalid):
            verify(wrong, KEYS.jwks(), TYPE)


def test_another_payload_under_the_same_signature_is_refused() -> None:
    header, _, signature = SIGNED.split(".")
    wrong = f"{header}.{b64(rfc8785.dumps({**PAYLOAD, 'winner': 'EW'}))}.{signature}"
    assert read_signed(wrong).payload["winner"] == "EW"
    with pytest.raises(SignatureInvalid, match="did not sign"):
        verify(wrong, KEYS.jwks(), TYPE)


@pytest.mark.parametrize("length", [0, 1, 63, 65])
def test_a_signature_of_another_length_is_refused(length: int) -> None:
    text, _, signature = SIGNED.rpartition(".")
    wrong = b64((unb64(signature) + b"\0")[:length])
    with pytest.raises(SignatureInvalid):
        verify(f"{text}.{wrong}", KEYS.jwks(), TYPE)


def test_the_same_signature_in_another_form_is_refused() -> None:
    text, _, signature = SIGNED.rpartition(".")
    point, scalar = unb64(signature)[:32], int.from_bytes(unb64(signature)[32:], "little")
    wrong = point + (scalar + GROUP_ORDER).to_bytes(32, "little")
    with pytest.raises(SignatureInvalid, match="did not sign"):
        verify(f"{text}.{b64(wrong)}", KEYS.jwks(), TYPE)


@pytest.mark.parametrize(
    "header",
    [
        {**HEADER, "alg": "none"},
        {**HEADER, "alg": "HS256"},
        {**HEADER, "alg": "Ed25519"},
        {**HEADER, "alg": "eddsa"},
        {**HEADER, "alg": ["EdDSA"]},
        {**HEADER, "kid": 7},
        {**HEADER, "typ": None},
        {**HEADER, "crit": ["b64"], "b64": False},
        {**HEADER, "jwk": PUBLIC_KEY},
        {"alg": "EdDSA", "kid": THUMBPRINT},
        {"alg": "EdDSA", "typ": TYPE},
        {},
        [],
        "EdDSA",
        b'{"alg":"none","alg":"EdDSA","kid":"%s","typ":"%s"}'
        % (THUMBPRINT.encode(), TYPE.encode()),
        b"",
        b"\xff",
    ],
)
def test_a_header_that_is_not_exactly_ours_is_refused(header: object) -> None:
    with pytest.raises(SignatureInvalid):
        verify(signed_by_hand(header, PAYLOAD), KEYS.jwks(), TYPE)


@pytest.mark.parametrize(
    "payload",
    [[], "text", 7, None, b"", b"{", b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":"\\ud800"}', b"\xff"],
)
def test_a_payload_that_is_no_json_object_is_refused(payload: object) -> None:
    text = signed_by_hand(HEADER, payload)
    with pytest.raises(SignatureInvalid):
        verify(text, KEYS.jwks(), TYPE)


@pytest.mark.parametrize("depth", [1024, 100_000])
def test_endless_nesting_is_refused(depth: int) -> None:
    with pytest.raises(SignatureInvalid):
        read_signed(signed_by_hand(HEADER, b'{"a":' + b"[" * depth))
    nested = b'{"a":' + b"[" * depth + b"]" * depth + b"}"
    with pytest.raises(SignatureInvalid):
        read_signed(signed_by_hand(HEADER, nested))


def test_no_algorithm_at_all_is_refused() -> None:
    text = signed_by_hand({**HEADER, "alg": "none"}, PAYLOAD).rpartition(".")[0]
    with pytest.raises(SignatureInvalid):
        verify(f"{text}.", KEYS.jwks(), TYPE)


def test_the_public_key_is_no_secret_to_sign_with() -> None:
    headers = {"kid": THUMBPRINT, "typ": TYPE}
    text = PyJWS().encode(rfc8785.dumps(PAYLOAD), unb64(PUBLIC), "HS256", headers)
    with pytest.raises(SignatureInvalid):
        verify(text, KEYS.jwks(), TYPE)


def with_trailing_bits(text: str) -> str:
    """The same signature: the last of its 86 characters carries four bits that mean nothing."""
    return text[:-1] + chr(ord(text[-1]) + 1)


@pytest.mark.parametrize(
    "bent",
    [
        with_trailing_bits,
        lambda text: text + "==",
        lambda text: text + "\n",
        lambda text: " " + text,
        lambda text: text + ".",
        lambda text: text.replace(".", "..", 1),
        lambda text: text.replace(".", ".\n", 1),
        lambda text: text.replace(".", "", 1),
        lambda text: text[:-1],
        lambda text: text + "é",
        lambda text: text.replace("-", "+").replace("_", "/"),
        lambda text: "",
    ],
)
def test_what_is_not_three_parts_of_plain_base64url_is_refused(bent) -> None:
    assert unb64(with_trailing_bits(SIGNED).rpartition(".")[2]) == unb64(SIGNED.rpartition(".")[2])
    for wrong in (
        lambda: read_signed(bent(SIGNED)),
        lambda: verify(bent(SIGNED), KEYS.jwks(), TYPE),
    ):
        with pytest.raises(SignatureInvalid):
            wrong()


@pytest.mark.parametrize(
    "jwks",
    [
        {},
        {"keys": None},
        {"keys": [7, None, "key"]},
        {"keys": [{**PUBLIC_KEY, "kid": "another"}]},
        {"keys": [{**PUBLIC_KEY, "kty": "oct", "k": PUBLIC}]},
        {"keys": [{**PUBLIC_KEY, "crv": "X25519"}]},
        {"keys": [{**PUBLIC_KEY, "x": PUBLIC[:-2]}]},
        {"keys": [{**PUBLIC_KEY, "x": 7}]},
        {"keys": [{key: value for key, value in PUBLIC_KEY.items() if key != "x"}]},
        {"keys": [{**PUBLIC_KEY, "x": SigningKeys([OLDER]).jwks()["keys"][0]["x"]}]},
    ],
)
def test_a_key_set_without_the_right_key_verifies_nothing(jwks: dict[str, Any]) -> None:
    with pytest.raises(SignatureInvalid):
        verify(SIGNED, jwks, TYPE)


def test_the_public_part_of_a_key_is_what_counts() -> None:
    mixed = {**PUBLIC_KEY, "d": b64(OLDER)}
    assert verify(SIGNED, {"keys": [mixed]}, TYPE).payload == PAYLOAD
