"""Late, repeated and simultaneous actions: the log is the memory."""

from typing import Any

import pytest

from spades.errors import DatabaseUnavailable, GameNotStarted, SeatTaken, VersionConflict
from spades.game.audience import seated
from spades.game.commands import action_of
from spades.game.seats import Seat
from spades.store import MemoryStore, Profile
from spades.tables import Table
from tests.support.house import House


def blind_table(house: House) -> Table:
    return house.open("partnership", {"max_hands": 1})


def bidding_table(house: House) -> Table:
    table = house.open("pairs", {"max_hands": 1})
    assert table.game.to_act == (Seat.E,)
    return table


def test_a_lost_answer_repeated_gives_the_same_result_and_no_second_move() -> None:
    house = House()
    table = bidding_table(house)
    first = house.act(table, "E", type="bid", tricks=3)
    again = house.act(table, "E", type="bid", tricks=3)
    assert not first.replayed
    assert again.replayed
    assert (again.version, again.events) == (first.version, first.events)
    assert again.table.game.version == first.table.game.version


def test_a_lost_answer_is_found_hands_later() -> None:
    house = House()
    table = house.open("pairs", {"lose_at": None}, E="bot", S="bot", W="bot")
    seat, start = "N", table.game.version
    body = {"type": "bid", "tricks": 3}
    first = house.act(table, seat, start, **body)
    table = first.table
    while table.game.hands_scored < 2:
        legal = table.view(seated(Seat.N))["legal_actions"][0]
        table = house.act(table, seat, **legal).table
    again = house.act(table, seat, start, **body)
    assert again.replayed
    assert again.version == first.version
    assert [e["hash"] for e in again.events[: len(first.events)]] == [
        e["hash"] for e in first.events
    ]


def test_the_same_seat_acting_differently_at_an_old_version_is_a_conflict() -> None:
    house = House()
    table = bidding_table(house)
    house.act(table, "E", type="bid", tricks=3)
    with pytest.raises(VersionConflict) as conflict:
        house.act(table, "E", type="bid", tricks=4)
    assert conflict.value.facts["view"]["version"] == table.game.version + 1


def test_blind_answers_at_the_same_version_are_all_accepted() -> None:
    house = House()
    table = blind_table(house)
    for seat in "NESW":
        acted = house.act(table, seat, type="look")
        assert not acted.replayed
    assert acted.table.game.phase == "bidding"
    assert [event["seat"] for event in acted.events] == list("NESW")


def test_a_blind_answer_repeated_is_found_among_the_others() -> None:
    house = House()
    table = blind_table(house)
    first = house.act(table, "N", type="look")
    house.act(table, "E", type="look")
    again = house.act(table, "N", type="look")
    assert (again.replayed, again.version) == (True, first.version)
    with pytest.raises(VersionConflict):
        house.act(table, "N", type="bid_double_nil")


def test_both_partners_swap_at_the_same_version_and_either_may_ask_again() -> None:
    house = House()
    table = house.open("partnership", E="bot", W="bot")
    table = house.act(table, "N", type="bid_double_nil").table
    table = house.act(table, "S", type="look").table
    table = house.act(table, "S", type="bid", tricks=4).table
    hands = {seat: table.game.hand.holdings[Seat(seat)] for seat in "NS" if table.game.hand}
    first = house.act(table, "S", type="exchange", cards=hands["S"][:3])
    assert [event["seat"] for event in first.events] == ["S"]
    second = house.act(table, "N", type="exchange", cards=hands["N"][:3])
    assert not second.replayed
    for seat in "NS":
        backwards = list(hands[seat][:3])[::-1]
        assert house.act(table, seat, type="exchange", cards=backwards).replayed


def test_a_bid_made_before_the_partners_double_nil_was_known_is_a_conflict() -> None:
    house = House()
    table = blind_table(house)
    table = house.act(table, "E", type="look").table
    for seat, answer in (("N", "look"), ("S", "look"), ("W", "bid_double_nil")):
        house.act(table, seat, type=answer)
    with pytest.raises(VersionConflict):
        house.act(table, "E", type="bid", tricks=3)


def test_a_future_version_is_a_conflict() -> None:
    house = House()
    table = bidding_table(house)
    with pytest.raises(VersionConflict):
        house.act(table, "E", table.game.version + 5, type="bid", tricks=3)


def test_another_process_that_remembers_an_older_hand_catches_up() -> None:
    house = House()
    table = bidding_table(house)
    other = house.another_process()
    game_id = table.ledger.game_id
    assert other.table(game_id).game == table.game
    for seat, tricks in zip("ESW", (3, 3, 3), strict=True):
        table = house.act(table, seat, type="bid", tricks=tricks).table
    acted = other.act(game_id, action_of({"type": "bid", "tricks": 2}, Seat.N), 5)
    assert acted.table.game.phase == "play"
    assert house.tables.table(game_id).game == acted.table.game


class DoubtfulStore(MemoryStore):
    """Appends, then loses the answer, once."""

    lose_next = False

    def append(self, *args: Any, **kwargs: Any) -> bool:
        done = super().append(*args, **kwargs)
        if self.lose_next:
            self.lose_next = False
            raise DatabaseUnavailable()
        return done


def test_an_append_in_doubt_is_found_by_the_retry() -> None:
    store = DoubtfulStore()
    house = House(store)
    table = bidding_table(house)
    store.lose_next = True
    with pytest.raises(DatabaseUnavailable):
        house.act(table, "E", type="bid", tricks=3)
    again = house.act(table, "E", type="bid", tricks=3)
    assert again.replayed
    assert again.table.game.version == table.game.version + 1


def test_a_seat_is_claimed_once_and_the_same_claim_again_is_answered() -> None:
    house = House()
    table = house.open("two-player", S="open")
    game_id, lin = table.ledger.game_id, Profile("Lin")
    claimed = house.tables.claim(game_id, Seat.S, lin, "lin-03")
    assert claimed.game.status == "active"
    assert house.tables.claim(game_id, Seat.S, lin, "lin-03").game == claimed.game
    for other in ((Profile("Ada"), "lin-03"), (lin, None)):
        with pytest.raises(SeatTaken):
            house.tables.claim(game_id, Seat.S, *other)
    house.act(claimed, "S", type="look")
    with pytest.raises(SeatTaken):
        house.tables.claim(game_id, Seat.S, lin, "lin-03")
    with pytest.raises(SeatTaken):
        house.tables.claim(game_id, Seat.N, Profile(), None)


def test_a_claim_makes_no_version_stale_but_the_deal_it_brings_does() -> None:
    house = House()
    table = house.open("partnership", N="open", S="open")
    game_id, seating = table.ledger.game_id, table.game.version
    house.tables.claim(game_id, Seat.N, Profile(), None)
    with pytest.raises(GameNotStarted):
        house.act(table, "N", seating, type="look")
    house.tables.claim(game_id, Seat.S, Profile(), None)
    with pytest.raises(VersionConflict):
        house.act(table, "N", seating, type="look")


def test_all_events_of_an_append_have_one_time_that_never_goes_back() -> None:
    house = House()
    table = house.open("pairs", E="bot", S="bot", W="bot")
    opening = {event["at"] for event in table.ledger.served(seated(Seat.N), 0)}
    assert len(opening) == 1
    house.now = house.now.replace(hour=3)
    acted = house.act(table, "N", type="bid", tricks=3)
    assert {event["at"] for event in acted.events} == opening
