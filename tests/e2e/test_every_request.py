"""Any requests in any order over the API: what is offered is accepted, all else refused, and a
refused request changes nothing."""

from datetime import UTC, datetime
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from spades.api.app import Chance, create_app
from spades.config import Settings
from spades.game.cards import FRESH_DECK
from spades.store import MemoryStore, PlatformKey, hash_of_key
from tests.support.client import Answer, ApiClient
from tests.support.house import chosen
from tests.support.online import SEATS, Online
from tests.support.verify import verify

odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 2.5, "3", -1, 14, 2**60, [], {}, "AS", "1S", "", ["2C", "2C"]]
)
orders = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["look", "bid_double_nil", "keep", "refuse"])}),
    st.fixed_dictionaries({"type": st.just("bid"), "tricks": st.integers(-1, 14) | odd}),
    st.fixed_dictionaries({"type": st.just("play"), "card": st.sampled_from(FRESH_DECK) | odd}),
    st.fixed_dictionaries({"type": st.just("exchange"), "cards": odd}),
    st.fixed_dictionaries({"type": odd}, optional={"card": odd, "tricks": odd, "joker": odd}),
)
versions = st.sampled_from(
    ["now", "now", "now", "before", "after", None, "3", 2.5, True, -1, 10**30]
)
tokens = st.sampled_from([None, "spk_nobody", "sps_forged", "N", "E", "S", "W", "another game"])
REFUSALS = {401, 403, 409, 422, 428}


class EveryRequest(RuleBasedStateMachine):
    """One game, those who sit at it, and anybody else."""

    @initialize(
        ruleset=st.sampled_from(list(SEATS)),
        bots=st.sets(st.sampled_from("ESW"), max_size=3),
        opened=st.booleans(),
        seed=st.integers(0, 10_000),
    )
    def create(self, ruleset: str, bots: set[str], opened: bool, seed: int) -> None:
        config = Settings(
            secret_keys=(b"k" * 32,),
            signing_keys=(b"s" * 32,),
            open_create=True,
            log_level="warning",
        )
        chance, ids, store = Random(seed), count(1), MemoryStore()
        store.add_key(PlatformKey("cup", "Cup", hash_of_key("spk_cup"), datetime.now(UTC)))
        self.client = ApiClient.of_app(
            create_app(
                config,
                store,
                Chance(
                    new_seed=lambda: chance.randbytes(32), new_id=lambda: str(UUID(int=next(ids)))
                ),
            )
        )
        kinds = {seat: "bot" for seat in sorted(bots) if seat in SEATS[ruleset]}
        kinds |= {"N": "open"} if opened else {}
        self.owner = self.client.bearing("spk_cup")
        self.game = Online(self.owner, chance).create(ruleset, {"max_hands": 1}, kinds)
        self.other = Online(self.owner, chance).create("pairs")
        self.last: tuple[str, dict[str, Any], Answer] | None = None

    @property
    def head(self) -> str:
        return str(self.client.view(self.game.game_id).body["log_head"])

    def is_over(self) -> bool:
        return bool(self.client.view(self.game.game_id).body["status"] == "finished")

    @precondition(lambda self: not self.is_over())
    @rule()
    def act_as_offered(self) -> None:
        turn = self.client.view(self.game.game_id).body["turn"]["seats"]
        seat = self.game.chance.choice([seat for seat in turn if seat in self.game.tokens])
        action = chosen(self.game.view(seat), self.game.chance)
        answer = self.game.seat(seat).act(self.game.game_id, action)
        assert answer.status == 200
        assert not answer.replayed
        self.last = (seat, action, answer)

    @precondition(lambda self: not self.is_over())
    @rule(moves=st.integers(5, 40))
    def play_on(self, moves: int) -> None:
        self.game.play(moves)
        self.last = None

    @precondition(lambda self: self.last is not None)
    @rule()
    def ask_again_for_a_lost_answer(self) -> None:
        assert self.last is not None
        seat, action, first = self.last
        before = self.head
        again = self.game.seat(seat).act(self.game.game_id, action)
        assert again.status == 200
        assert again.replayed
        assert again.body["accepted"] == {**first.body["accepted"], "replayed": True}
        told = {event["version"]: event for event in again.body["events"]}
        for event in first.body["events"]:
            assert told[event["version"]]["hash"] == event["hash"]
            assert told[event["version"]].get("opens") == event.get("opens")
        assert self.head == before

    @rule(order=orders, version=versions, who=tokens)
    def ask_for_anything(self, order: dict[str, Any], version: Any, who: str | None) -> None:
        view = self.client.view(self.game.game_id).body
        body = dict(order)
        if version is not None:
            offsets = {"now": 0, "before": -1, "after": 1}
            body["expected_version"] = (
                view["version"] + offsets[version] if version in offsets else version
            )
        answer = self.client.bearing(self.token(who)).act(self.game.game_id, body)
        if answer.status == 200:
            assert who in self.game.tokens
            self.last = None
            return
        assert answer.status in REFUSALS
        assert self.head == view["log_head"]
        if who in self.game.tokens and body in self.game.view(who)["legal_actions"]:
            pytest.fail(f"{body} was offered and refused: {answer.body}")

    def token(self, who: str | None) -> str | None:
        if who == "another game":
            return self.other.tokens["N"]
        return self.game.tokens.get(who, who) if who else None

    @rule(seat=st.sampled_from("NESW"))
    def give_a_seat_its_next_token(self, seat: str) -> None:
        before, path = self.head, f"/v1/games/{self.game.game_id}/seats/{seat}/token"
        answer = self.owner.post(path)
        if answer.status != 200:
            assert answer.code in ("seat_not_held", "game_over", "invalid_parameter")
            assert self.head == before
            return
        old = self.game.seat(seat).view
        self.game.tokens[seat] = answer.body["token"]
        assert old(self.game.game_id).code == "token_revoked"
        assert self.game.seat(seat).view(self.game.game_id).status == 200

    @rule(what=st.sampled_from(["states/1", "audit", "export", "export?format=ptn", "result"]))
    def read_what_may_be_checked(self, what: str) -> None:
        before = self.head
        for client in (self.client, self.owner, self.game.seat("N")):
            answer = client.get(f"/v1/games/{self.game.game_id}/{what}")
            assert answer.status == 200 or answer.code == "game_not_over"
            if what == "audit":
                assert answer.body["divergences"] == []
        assert self.head == before

    @rule(data=st.binary(max_size=40), path=st.sampled_from(["actions", "seats/N/claim"]))
    def send_rubbish(self, data: bytes, path: str) -> None:
        before = self.head
        answer = self.client.post(f"/v1/games/{self.game.game_id}/{path}", data=data)
        assert 400 <= answer.status < 500
        assert self.head == before

    @invariant()
    def an_unchanged_view_is_not_sent_again(self) -> None:
        first = self.client.view(self.game.game_id)
        assert self.client.view(self.game.game_id, first.etag).status == 304

    def teardown(self) -> None:
        if hasattr(self, "game") and self.is_over():
            assert verify(self.game.game_id, self.client.all_events(self.game.game_id)) == []


EveryRequest.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestEveryRequest = pytest.mark.slow(EveryRequest.TestCase)
