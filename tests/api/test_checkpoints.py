"""Checkpoints of all games: what they take in, and proofs that anybody can check."""

from hashlib import sha256
from typing import Any

import jwt
import pytest

from spades.audit import merkle
from tests.api.conftest import Place
from tests.api.games import Game
from tests.support.client import Answer, ApiClient

Json = dict[str, Any]


def leaf(entry: Json) -> bytes:
    """The leaf hash of `docs/exports.md`, without a line of the service."""
    text = '{"game_id":"%s","head":"%s","version":%d}'
    plain = text % (entry["game_id"], entry["head"], entry["version"])
    return sha256(b"\0" + plain.encode()).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def root(leaves: list[bytes]) -> bytes:
    """RFC 9162, 2.1.1, word for word."""
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return node(root(leaves[:k]), root(leaves[k:]))


def includes(proof: Json, root_hash: str) -> bool:
    """RFC 9162, 2.1.3.2, word for word."""
    fn, sn, r = proof["leaf_index"], proof["tree_size"] - 1, leaf(proof)
    for text in proof["inclusion_path"]:
        p = bytes.fromhex(text)
        if sn == 0:
            return False
        if fn % 2 == 1 or fn == sn:
            r = node(p, r)
            while fn % 2 == 0 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node(r, p)
        fn, sn = fn >> 1, sn >> 1
    return bool(sn == 0 and r.hex() == root_hash)


def continues(proof: Json, first_hash: str, second_hash: str) -> bool:
    """RFC 9162, 2.1.4.2, word for word; two trees of one size are the same one."""
    first, second = proof["first_size"], proof["second_size"]
    path = [bytes.fromhex(text) for text in proof["consistency_path"]]
    if first == second:
        return not path and first_hash == second_hash
    if not path:
        return False
    if first & (first - 1) == 0:
        path.insert(0, bytes.fromhex(first_hash))
    fn, sn = first - 1, second - 1
    while fn % 2 == 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            return False
        if fn % 2 == 1 or fn == sn:
            fr, sr = node(c, fr), node(c, sr)
            while fn % 2 == 0 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr.hex() == first_hash and sr.hex() == second_hash


def make(platform: ApiClient) -> Json:
    answer = platform.post("/v1/checkpoints")
    assert answer.status == 200, answer.body
    body: Json = answer.body
    return body


def inclusion(client: ApiClient, game_id: str, size: int | None = None) -> Answer:
    query = f"?tree_size={size}" if size else ""
    return client.get(f"/v1/games/{game_id}/inclusion{query}")


def consistency(client: ApiClient, first: object, second: object) -> Answer:
    return client.get(f"/v1/checkpoints/consistency?first_size={first}&second_size={second}")


def told(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def test_where_there_is_no_game_there_is_no_checkpoint(either: Place):
    owner = either.platform()
    assert told(owner.post("/v1/checkpoints")) == (404, "checkpoint_not_found")
    assert told(owner.get("/v1/checkpoints/latest")) == (404, "checkpoint_not_found")
    assert told(owner.get("/v1/checkpoints/1")) == (404, "checkpoint_not_found")
    assert told(consistency(owner, 1, 1)) == (404, "checkpoint_not_found")
    assert owner.get("/v1/checkpoints").body == {"items": [], "next": None}


def test_a_checkpoint_takes_in_each_game_that_changed(either: Place):
    owner = either.platform()
    games = [Game.of(either.client, "pairs") for _ in range(3)]
    assert make(owner)["tree_size"] == 3
    games[1].act(*games[1].next_action())
    for _ in range(3):
        games[2].act(*games[2].next_action())
    assert make(owner)["tree_size"] == 5
    Game.of(owner, "two-player")
    assert make(owner)["tree_size"] == 6


def test_where_nothing_is_new_the_last_one_is_told_again(either: Place):
    owner = either.platform()
    game = Game.of(owner, "pairs")
    first = make(owner)
    assert make(owner) == make(either.platform("Other")) == first
    assert owner.get("/v1/checkpoints/latest").body == first
    assert owner.get("/v1/checkpoints/1").body == first
    game.act(*game.next_action())
    assert owner.get("/v1/checkpoints/latest").body == first
    second = make(owner)
    assert second["tree_size"] == 2
    assert owner.get("/v1/checkpoints/latest").body == second
    assert owner.get("/v1/checkpoints/1").body == first


def test_the_root_is_that_of_the_entries(either: Place):
    owner = either.platform()
    games = [Game.of(owner, "pairs") for _ in range(5)]
    made = make(owner)
    proofs = [inclusion(owner, game.id).body for game in games]
    by_place = sorted(proofs, key=lambda proof: proof["leaf_index"])
    assert [proof["leaf_index"] for proof in by_place] == [0, 1, 2, 3, 4]
    assert made["root_hash"] == root([leaf(proof) for proof in by_place]).hex()
    for game, proof in zip(games, proofs, strict=True):
        view = owner.view(game.id).body
        assert (proof["version"], proof["head"]) == (view["version"], view["log_head"])


def test_every_proof_of_a_growing_tree_holds_and_no_other(either: Place):
    owner = either.platform()
    games, made = [Game.of(owner, "pairs")], [make(owner)]
    for number in range(1, 8):
        for game in games[-2:]:
            game.act(*game.next_action())
        if number % 2:
            games.append(Game.of(owner, "pairs"))
        made.append(make(owner))
    roots = {head["tree_size"]: head["root_hash"] for head in made}
    assert len(roots) == 8
    checked = 0
    for size, root_hash in roots.items():
        for game in games:
            answer = inclusion(owner, game.id, size)
            if answer.status == 404:
                assert answer.code == "checkpoint_not_found"
                continue
            check_inclusion(owner, answer.body, root_hash)
            checked += 1
    assert checked > 20
    for first in roots:
        for second in roots:
            if first <= second:
                check_consistency(consistency(owner, first, second).body, roots)


def check_inclusion(client: ApiClient, proof: Json, root_hash: str) -> None:
    event = client.all_events(proof["game_id"])[proof["version"] - 1]
    assert event["hash"] == proof["head"]
    path, at = proof["inclusion_path"], (proof["leaf_index"], proof["tree_size"])
    assert includes(proof, root_hash)
    assert merkle.includes(leaf(proof).hex(), *at, path, root_hash)
    for wrong in ({"version": proof["version"] + 1}, {"head": "00" * 32}):
        assert not includes({**proof, **wrong}, root_hash)
        assert not merkle.includes(leaf({**proof, **wrong}).hex(), *at, path, root_hash)
    assert not includes(proof, "00" * 32)


def check_consistency(proof: Json, roots: dict[int, str]) -> None:
    sizes = (proof["first_size"], proof["second_size"])
    first, second = (roots[size] for size in sizes)
    assert continues(proof, first, second)
    assert merkle.is_consistent(*sizes, first, second, proof["consistency_path"])
    if first != second:
        assert not continues(proof, second, second)
        assert not continues(proof, first, first)


def test_an_earlier_checkpoint_proves_how_far_a_game_had_come_then(platform: ApiClient):
    game = Game.of(platform, "pairs")
    make(platform)
    game.act(*game.next_action())
    make(platform)
    assert inclusion(platform, game.id, 1).body["version"] == 2
    assert inclusion(platform, game.id, 2).body["version"] == 3
    assert inclusion(platform, game.id).body["tree_size"] == 2


def test_a_game_that_is_not_in_it_yet_has_no_proof(platform: ApiClient):
    early = Game.of(platform, "pairs")
    assert told(inclusion(platform, early.id)) == (404, "checkpoint_not_found")
    make(platform)
    late = Game.of(platform, "pairs")
    assert told(inclusion(platform, late.id)) == (404, "checkpoint_not_found")
    assert told(inclusion(platform, early.id, 2)) == (404, "checkpoint_not_found")
    make(platform)
    assert told(inclusion(platform, late.id, 1)) == (404, "checkpoint_not_found")
    assert inclusion(platform, late.id, 2).status == 200


def test_who_may_not_see_a_game_gets_no_proof_of_it(place: Place):
    owner = place.platform()
    game, other = Game.of(owner, "pairs", spectators="none"), Game.of(owner, "pairs")
    make(owner)
    assert told(inclusion(place.client, game.id)) == (403, "spectators_disabled")
    assert told(inclusion(other.seat("N"), game.id)) == (403, "wrong_game")
    assert told(inclusion(place.client, "x")) == (404, "game_not_found")
    assert inclusion(game.seat("N"), game.id).status == 200
    assert inclusion(place.client, other.id).status == 200


def test_a_checkpoint_is_signed_by_a_key_that_is_told(either: Place):
    owner = either.platform()
    Game.of(owner, "pairs")
    made = make(owner)
    keys = either.client.get("/.well-known/jwks.json")
    assert keys.headers["Cache-Control"] == "max-age=300"
    header = jwt.get_unverified_header(made["jws"])
    assert (header["alg"], header["typ"]) == ("EdDSA", "spades-checkpoint+json")
    key = next(jwt.PyJWK(key) for key in keys.body["keys"] if key["kid"] == header["kid"])
    signed = jwt.decode(made["jws"], key, algorithms=["EdDSA"])
    assert signed == {name: value for name, value in made.items() if name != "jws"}
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(made["jws"][:-8] + "AAAAAAAA", key, algorithms=["EdDSA"])


def test_keys_are_public_alone_and_the_old_ones_stay(serve):
    old, new = b"\5" * 32, b"\6" * 32
    first = serve(signing_keys=(old,))
    owner = first.platform()
    Game.of(owner, "pairs")
    made = make(owner)
    later = serve(first.store, signing_keys=(new, old))
    keys = later.client.get("/.well-known/jwks.json").body["keys"]
    assert [set(key) for key in keys] == [{"kty", "crv", "x", "kid", "alg", "use"}] * 2
    assert keys[1:] == first.client.get("/.well-known/jwks.json").body["keys"]
    again = later.client.get("/v1/checkpoints/latest").body
    kids = [jwt.get_unverified_header(head["jws"])["kid"] for head in (made, again)]
    assert kids == [keys[1]["kid"], keys[0]["kid"]]
    assert {**again, "jws": None} == {**made, "jws": None}


def test_only_a_platform_makes_checkpoints_and_anybody_reads_them(place: Place):
    owner = place.platform()
    game = Game.of(place.client, "pairs")
    assert told(place.client.post("/v1/checkpoints")) == (401, "token_missing")
    assert told(place.client.bearing("spk_x").post("/v1/checkpoints")) == (401, "token_invalid")
    assert told(game.seat("N").post("/v1/checkpoints")) == (403, "scope_missing")
    assert told(place.client.get("/v1/checkpoints/latest")) == (404, "checkpoint_not_found")
    made = make(owner)
    for client in (place.client, game.seat("N"), owner):
        assert client.get("/v1/checkpoints/latest").body == made
        assert client.get("/v1/checkpoints").body["items"] == [made]


def test_checkpoints_are_listed_page_by_page_the_latest_first(either: Place):
    owner = either.platform()
    game, made = Game.of(owner, "pairs"), list[Json]()
    for _ in range(5):
        game.act(*game.next_action())
        made.insert(0, make(owner))
    for limit in (1, 2, 5, 200):
        path, pages = f"/v1/checkpoints?limit={limit}", list[list[Json]]()
        while path:
            page = owner.get(path).body
            pages.append(page["items"])
            path = page["next"]
        assert [head for items in pages for head in items] == made
        assert len(pages) == -(-5 // limit)
    assert owner.get("/v1/checkpoints?before=3").body["items"] == made[3:]
    assert owner.get("/v1/checkpoints?before=1").body["items"] == []


NUMBERS = ["", "0", "-1", "x", "1.0", "1_0", "%201", "%D9%A3", str(2**53), "9" * 40]


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_no_size_is_refused(platform: ApiClient, number: str):
    game = Game.of(platform, "pairs")
    make(platform)
    answers = {
        "before": platform.get(f"/v1/checkpoints?before={number}"),
        "limit": platform.get(f"/v1/checkpoints?limit={number}"),
        "first_size": consistency(platform, number, 1),
        "second_size": consistency(platform, 1, number),
    }
    for parameter, answer in answers.items():
        assert (*told(answer), answer.body["parameter"]) == (400, "invalid_parameter", parameter)
    paths = [f"/v1/games/{game.id}/inclusion?tree_size={number}"]
    paths += [f"/v1/checkpoints/{number}"] if number else []
    for path in paths:
        answer = platform.get(path)
        assert (*told(answer), answer.body["parameter"]) == (400, "invalid_parameter", "tree_size")


@pytest.mark.parametrize(
    ("query", "code", "parameter"),
    [
        ("", "invalid_parameter", "first_size"),
        ("first_size=1", "invalid_parameter", "second_size"),
        ("second_size=1", "invalid_parameter", "first_size"),
        ("first_size=2&second_size=1", "invalid_parameter", "first_size"),
        ("first_size=1&first_size=1&second_size=1", "invalid_parameter", "first_size"),
        ("first_size=1&second_size=1&third_size=1", "unknown_parameter", "third_size"),
    ],
)
def test_a_bad_question_about_consistency_is_refused(
    platform: ApiClient, query: str, code: str, parameter: str
):
    Game.of(platform, "pairs")
    make(platform)
    answer = platform.get(f"/v1/checkpoints/consistency?{query}")
    assert (*told(answer), answer.body["parameter"]) == (400, code, parameter)


@pytest.mark.parametrize("size", [2, 3, 2**53 - 1])
def test_a_size_that_no_checkpoint_has_is_not_found(platform: ApiClient, size: int):
    games = [Game.of(platform, "pairs")]
    make(platform)
    games += [Game.of(platform, "pairs") for _ in range(3)]
    assert make(platform)["tree_size"] == 4
    answers = [
        platform.get(f"/v1/checkpoints/{size}"),
        consistency(platform, 1, size),
        inclusion(platform, games[0].id, size),
    ]
    assert {told(answer) for answer in answers} == {(404, "checkpoint_not_found")}


def test_a_page_of_checkpoints_has_a_limit(platform: ApiClient):
    assert platform.get("/v1/checkpoints?limit=200").status == 200
    assert told(platform.get("/v1/checkpoints?limit=201")) == (400, "invalid_parameter")
    assert told(platform.get("/v1/checkpoints?cursor=x")) == (400, "unknown_parameter")
