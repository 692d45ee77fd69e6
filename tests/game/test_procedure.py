"""Setting up, taking seats, dealing, and moving the deal on."""

from random import Random

import pytest

from spades.errors import GameNotStarted, GameOver, NoHumanSeat, SeatTaken
from spades.game import decide, fold
from spades.game.audience import seated
from spades.game.cards import Card
from spades.game.commands import Chair, CreateGame, Play, PlayerKind, TakeSeat
from spades.game.dealing import SeededDealer
from spades.game.events import GameCreated, HandStarted
from spades.game.evolve import evolve
from spades.game.position import Game, Status
from spades.game.rulesets import PAIRS, PARTNERSHIP, RULESETS, TWO_PLAYER
from spades.game.seats import FOUR, Seat, Side, partner_of, side_of
from spades.game.views import observe
from tests.support.house import chosen
from tests.support.rules import hand_of
from tests.support.tables import GivenDealer, TableOf

CHANCE = SeededDealer("01940000-0000-7000-8000-000000000001", "5a" * 32)


def created(kinds: str, dealer: Seat | None = None) -> tuple[GameCreated | HandStarted, ...]:
    chairs = {s: Chair(PlayerKind(k)) for s, k in zip(FOUR, kinds.split(), strict=True)}
    order = CreateGame(PARTNERSHIP, PARTNERSHIP.options, chairs, dealer=dealer)
    return decide(None, order, CHANCE)  # type: ignore[return-value]


def test_partners_sit_opposite() -> None:
    """P-01, V-01: two sides, and play goes clockwise."""
    assert [partner_of(FOUR, seat) for seat in FOUR] == [Seat.S, Seat.W, Seat.N, Seat.E]
    assert [side_of(FOUR, seat) for seat in FOUR] == [Side.NS, Side.EW, Side.NS, Side.EW]
    view = observe(TableOf("pairs").game, seated(Seat.S))["viewer"]
    assert (view["partner"], view["left"], view["right"]) == ("N", "W", "E")


def test_thirteen_cards_each_one_at_a_time_from_the_dealers_left() -> None:
    """P-02, V-02, A-37: all 52 are dealt."""
    table = TableOf("pairs", dealer="W")
    deck = GivenDealer().decks[0]
    assert hand_of(table.game).holdings[Seat.N] == deck[0::4]
    assert hand_of(table.game).holdings[Seat.W] == deck[3::4]
    assert {card for held in hand_of(table.game).holdings.values() for card in held} == set(deck)


def test_the_first_dealer_is_drawn_unless_the_request_fixes_it() -> None:
    """A-36, P-02."""
    drawn = created("human human human human")[0]
    fixed = created("human human human human", Seat.W)[0]
    assert isinstance(drawn, GameCreated)
    assert isinstance(fixed, GameCreated)
    assert (drawn.dealer, drawn.dealer_fixed) == (CHANCE.first_dealer(FOUR), False)
    assert (fixed.dealer, fixed.dealer_fixed) == (Seat.W, True)
    firsts = {SeededDealer("x", f"{n:064x}").first_dealer(FOUR) for n in range(40)}
    assert firsts == set(FOUR)


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_the_deal_moves_one_seat_on_after_every_hand(ruleset: str) -> None:
    """T-14, P-14, V-04, D-10, B-36."""
    table, chance = TableOf(ruleset, {"lose_at": None, "max_hands": 5}, dealer="S"), Random(2)
    while table.game.result is None:
        seat = table.game.to_act[0]
        body = chosen(observe(table.game, seated(seat)), chance)
        del body["expected_version"]
        table.act(seat, **body)
    dealers = [event.dealer for event in table.events if isinstance(event, HandStarted)]
    assert dealers == list("SNSNS" if ruleset == "two-player" else "SWNES")


def test_any_seat_may_be_a_bot_but_not_every_seat() -> None:
    """A-53, V-01: pairs seats one person and three bots by default."""
    assert PAIRS.bots == (Seat.E, Seat.S, Seat.W)
    assert (PARTNERSHIP.bots, TWO_PLAYER.bots) == ((), ())
    with pytest.raises(NoHumanSeat):
        created("bot bot bot bot")
    assert len(created("bot bot bot human")) == 2
    assert len(created("bot bot bot open")) == 1


def test_the_game_starts_when_the_last_open_seat_is_taken() -> None:
    game = fold(created("open human human open"))
    assert game is not None
    assert game.status is Status.SEATING
    with pytest.raises(GameNotStarted):
        decide(game, Play(Seat.E, hand_card()), CHANCE)
    game = fold(decide(game, TakeSeat(Seat.W, "lin-03"), CHANCE), game)
    assert game is not None
    assert game.status is Status.SEATING
    events = decide(game, TakeSeat(Seat.N), CHANCE)
    assert [event.type for event in events] == ["seat_taken", "hand_started"]
    started = fold(events, game)
    assert started is not None
    assert started.client_seeds == {"N": None, "E": None, "S": None, "W": "lin-03"}
    with pytest.raises(SeatTaken):
        decide(started, TakeSeat(Seat.W), CHANCE)


def hand_card() -> Card:
    return GivenDealer().decks[0][0]


def test_nothing_may_be_done_once_the_game_is_over() -> None:
    table, chance = TableOf("pairs", {"max_hands": 1}), Random(3)
    while table.game.result is None:
        seat = table.game.to_act[0]
        body = chosen(observe(table.game, seated(seat)), chance)
        del body["expected_version"]
        table.act(seat, **body)
    with pytest.raises(GameOver):
        table.act("N", type="bid", tricks=3)
    assert observe(table.game, seated(Seat.N))["phase"] is None


def test_a_game_replays_to_the_same_state_from_its_facts_alone() -> None:
    """A-52: deck, actions, scores, bags, turn and draws are all in the events."""
    table, chance = TableOf("two-player", {"max_hands": 2}), Random(8)
    states: list[Game | None] = []
    while table.game.result is None:
        seat = chance.choice(table.game.to_act)
        body = chosen(observe(table.game, seated(seat)), chance)
        del body["expected_version"]
        table.act(seat, **body)
        states.append(table.game)
    again: Game | None = None
    seen = []
    for event in table.events:
        again = evolve(again, event)
        seen.append(again)
    assert again == table.game
    assert all(state in seen for state in states)


def test_every_ruleset_plays_by_its_own_data() -> None:
    assert {name: (len(r.seats), r.drafts) for name, r in RULESETS.items()} == {
        "two-player": (2, True),
        "partnership": (4, False),
        "pairs": (4, False),
    }
