"""Every game at once: random rulesets, options, decks and moves, and what always holds."""

import json
import re
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from spades.errors import SpadesError
from spades.game import Game, decide, fold, observe
from spades.game.audience import EVERYBODY, SPECTATOR, Leaf, Viewer, audience, seated
from spades.game.cards import FRESH_DECK, Card
from spades.game.commands import action_of
from spades.game.events import SCHEMAS, Hidden, read_event
from spades.game.position import Hand
from spades.game.rulesets import RULESETS
from spades.game.seats import Seat, partner_of
from spades.game.views import legal_actions
from tests.support.house import chosen
from tests.support.rules import hand_of
from tests.support.secrecy import cards_in, visible_to
from tests.support.tables import TableOf

VIEW_KEYS = set(observe(TableOf("pairs").game, SPECTATOR))
SEAT_KEYS = set(observe(TableOf("pairs").game, SPECTATOR)["seats"][0])
SIDE_KEYS = set(observe(TableOf("pairs").game, SPECTATOR)["sides"][0])
CARD_NAME = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][CDHS](?![A-Za-z0-9])")
EVERY_ORDER: list[dict[str, Any]] = [
    *({"type": kind} for kind in ("look", "bid_double_nil", "keep", "refuse")),
    *({"type": "bid", "tricks": tricks} for tricks in range(-1, 15)),
    *({"type": "play", "card": card} for card in FRESH_DECK),
]

maybe = st.none()
options = st.fixed_dictionaries(
    {"max_hands": st.integers(1, 3)},
    optional={
        "target": st.integers(1, 300),
        "lose_at": maybe | st.integers(-300, -1),
        "bag_limit": maybe | st.integers(1, 10),
        "nil": maybe | st.integers(0, 200),
        "double_nil": maybe | st.integers(0, 300),
        "double_nil_deficit": st.sampled_from([0, 0, 30]),
        "exchange_cards": st.integers(0, 13),
        "failed_nil_tricks": st.sampled_from(["ignore", "bags", "bid"]),
        "lead_spades": st.sampled_from(["broken", "anytime"]),
        "min_side_bid": maybe | st.integers(1, 13),
        "ten_for_200": st.booleans(),
    },
)
decks = st.randoms(use_true_random=False).map(lambda chance: [shuffled(chance) for _ in range(3)])
orders = st.sampled_from(
    [
        {"type": "look"},
        {"type": "bid_double_nil"},
        {"type": "keep"},
        {"type": "refuse"},
        *({"type": "bid", "tricks": tricks} for tricks in (-1, 0, 1, 7, 13, 14)),
        *({"type": "play", "card": card} for card in FRESH_DECK[::5]),
        *({"type": "exchange", "cards": list(FRESH_DECK[n : n + 3])} for n in (0, 10, 40)),
        {"type": "exchange", "cards": []},
    ]
)


def shuffled(chance: Random) -> list[Card]:
    deck = list(FRESH_DECK)
    chance.shuffle(deck)
    return deck


def everybody(game: Game) -> list[Viewer]:
    return [SPECTATOR, *map(seated, game.seats)]


def all_cards(hand: Hand) -> list[Card]:
    """Where the 52 cards are: hands, swaps under way, stock, discards, tricks, the table."""
    on_table = [play.card for play in hand.plays]
    taken = [play.card for trick in hand.tricks for play in trick.plays]
    swapping = [c for e in hand.exchanges.values() if e.received is None for c in e.given]
    stock = list(hand.stock[2 * len(hand.draft) :]) if hand.stock else []
    held = [card for held in hand.holdings.values() for card in held]
    return [*held, *swapping, *stock, *hand.discards, *on_table, *taken]


def reshuffled(game: Game, viewer: Viewer, chance: Random) -> Game:
    """The same game with the cards that a viewer can't see dealt anew among their places."""
    hand = game.hand
    assert hand is not None
    unseen = [card for card in FRESH_DECK if card not in visible_to(game, viewer)]
    renamed = dict(zip(unseen, chance.sample(unseen, len(unseen)), strict=True))

    def other(card: Card) -> Card:
        return renamed.get(card, card)

    def others(held: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(other(card) for card in held)

    changed = replace(
        hand,
        holdings={seat: others(held) for seat, held in hand.holdings.items()},
        stock=hand.stock and others(hand.stock),
        discards=others(hand.discards),
        draft=tuple(
            replace(turn, seen=other(turn.seen), unseen=other(turn.unseen)) for turn in hand.draft
        ),
        exchanges={
            seat: replace(e, given=others(e.given), received=e.received and others(e.received))
            for seat, e in hand.exchanges.items()
        },
    )
    return replace(game, hand=changed)


def shown(data: dict[str, Any]) -> dict[str, Any]:
    """An event's data with its hidden values in the open."""
    opened = {
        key: value.value if isinstance(value, Hidden) else value for key, value in data.items()
    }
    return {k: shown(v) if isinstance(v, dict) else v for k, v in opened.items()}


class EveryGame(RuleBasedStateMachine):
    """Anybody may try anything; what is offered is accepted, and nothing else."""

    @initialize(
        ruleset=st.sampled_from(list(RULESETS)),
        options=options,
        dealer=st.sampled_from("NS"),
        decks=decks,
    )
    def open(self, ruleset: str, options: dict[str, Any], dealer: str, decks: Any) -> None:
        self.table = TableOf(ruleset, options, dealer, decks)
        self.widened: dict[Leaf, frozenset[Seat | None]] = {}

    @property
    def game(self) -> Game:
        return self.table.game

    @precondition(lambda self: self.game.result is None)
    @rule(chance=st.randoms(use_true_random=False))
    def act_as_offered(self, chance: Random) -> None:
        seat = chance.choice(self.game.to_act)
        body = chosen({"legal_actions": legal_actions(self.game, seat)}, chance)
        del body["expected_version"]
        self.table.act(seat, **body)

    @precondition(lambda self: self.game.result is None)
    @rule(chance=st.randoms(use_true_random=False), moves=st.integers(10, 60))
    def play_on(self, chance: Random, moves: int) -> None:
        for _ in range(moves):
            if self.game.result is None:
                self.act_as_offered(chance)

    @rule(order=orders, seat=st.sampled_from(list(Seat)))
    def act_as_one_pleases(self, order: dict[str, Any], seat: Seat) -> None:
        if seat not in self.game.seats:
            return
        before, offered = self.game, self.is_offered(order, seat)
        try:
            self.table.act(seat, **order)
        except SpadesError:
            assert not offered
            assert self.game is before
        else:
            assert offered

    @precondition(lambda self: self.game.result is None)
    @rule(chance=st.randoms(use_true_random=False))
    def all_orders_there_are_are_offered_or_refused(self, chance: Random) -> None:
        some = [{"type": "exchange", "cards": chance.sample(FRESH_DECK, n)} for n in range(5)]
        for seat in self.game.seats:
            held = list(hand_of(self.game).holdings[seat])
            own = [{"type": "exchange", "cards": held[:n]} for n in range(len(held) + 1)]
            for order in [*EVERY_ORDER, *some, *own]:
                self.is_offered_or_refused(order, seat)

    def is_offered_or_refused(self, order: dict[str, Any], seat: Seat) -> None:
        refusal: SpadesError | None = None
        try:
            decide(self.game, action_of(order, seat), self.table.chance)
        except SpadesError as error:
            refusal = error
        assert (refusal is None) == self.is_offered(order, seat), (order, refusal)
        assert type(refusal) is not SpadesError

    def is_offered(self, order: dict[str, Any], seat: Seat) -> bool:
        for action in legal_actions(self.game, seat):
            choice = action.get("choose")
            if choice is None and {k: v for k, v in action.items() if k in order} == order:
                return True
            if choice and order["type"] == "exchange":
                count = len(order["cards"])
                return choice["min"] <= count <= choice["max"] and set(order["cards"]) <= set(
                    choice["from"]
                )
        return False

    @invariant()
    def every_card_is_somewhere_once(self) -> None:
        assert self.game.hand is not None
        assert Counter(all_cards(self.game.hand)) == Counter(FRESH_DECK)

    @invariant()
    def the_events_replay_to_the_same_state(self) -> None:
        assert fold(self.table.events) == self.game

    @invariant()
    def an_event_is_read_from_its_data_as_it_was(self) -> None:
        for event in self.table.events[-60:]:
            frame = {
                "version": 1,
                "type": event.type,
                "schema": SCHEMAS[event.type],
                "seat": event.seat,
                "actor": event.actor,
            }
            assert read_event(frame, shown(event.data())) == event

    @invariant()
    def only_seats_to_act_are_offered_actions_and_they_always_are(self) -> None:
        for seat in self.game.seats:
            assert bool(legal_actions(self.game, seat)) == (seat in self.game.to_act)
        assert bool(self.game.to_act) == (self.game.result is None)

    @invariant()
    def a_view_has_every_key_and_no_card_that_its_viewer_may_not_see(self) -> None:
        """B-29."""
        for viewer in everybody(self.game):
            view = observe(self.game, viewer)
            assert set(view) == VIEW_KEYS
            assert all(set(seat) == SEAT_KEYS for seat in view["seats"])
            assert all(set(side) == SIDE_KEYS for side in view["sides"])
            named = set(CARD_NAME.findall(json.dumps(view)))
            assert cards_in(view) <= named <= visible_to(self.game, viewer)

    @invariant()
    def a_view_does_not_change_with_the_cards_its_viewer_can_not_see(self) -> None:
        for viewer in everybody(self.game):
            other = reshuffled(self.game, viewer, Random(len(self.table.events)))
            assert observe(other, viewer) == observe(self.game, viewer)

    @invariant()
    def who_may_see_a_leaf_only_grows(self) -> None:
        hand = self.game.hand
        assert hand is not None
        names = ("holdings", "given", "thrown", "drawn", "kept", "refused", "discarded", "stock")
        for name in names:
            for seat in self.game.seats:
                leaf = Leaf(hand.number, name, None if name == "stock" else seat)
                now = audience(self.game, leaf)
                assert now >= self.widened.get(leaf, frozenset())
                assert now == EVERYBODY or now <= {seat, partner_of(hand.seats, seat)}
                self.widened[leaf] = now


EveryGame.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestEveryGame = pytest.mark.slow(EveryGame.TestCase)
