"""What a hand is worth: contracts, bags, Nils and penalties."""

from itertools import product

import pytest

from tests.support.rules import DOUBLE_NIL, score


def test_seven_bid_and_eight_won_is_71_points_and_a_bag() -> None:
    """C-09, T-12, T-13: the example of the two-player sources."""
    karen = score("two-player", {"N": 7, "S": 3}, {"N": 8, "S": 5})["N"]
    assert (karen.contract_points, karen.bag_points, karen.hand_points) == (70, 1, 71)
    assert (karen.points, karen.bags, karen.made) == (71, 1, True)


def test_a_sides_five_bid_and_seven_won_is_52_points_and_two_bags() -> None:
    """P-11, V-06, C-09: the example of the partnership source."""
    side = score("partnership", {"N": 2, "E": 3, "S": 3, "W": 3}, {"N": 4, "S": 3, "E": 6})["NS"]
    assert (side.bid, side.tricks, side.hand_points, side.bags) == (5, 7, 52, 2)


@pytest.mark.parametrize("ruleset", ["two-player", "partnership"])
def test_eleven_bags_over_three_hands_cost_a_hundred_and_leave_one(ruleset: str) -> None:
    """C-10, T-13, P-13, D-01, A-09: 4 won 7, 3 won 6, 4 won 9: 43, 76 and 21 points."""
    side, other, seat, foe = ("N", "S", "N", "S")
    if ruleset == "partnership":
        side, other, foe = "NS", "EW", "E"
    rest = {} if ruleset == "two-player" else {"S": 0, "W": 0}
    points, bags, after = 0, 0, []
    for bid, won in ((4, 7), (3, 6), (4, 9)):
        bids = {**rest, seat: bid, foe: 1}
        tricks = {seat: won, foe: 13 - won}
        parts = score(ruleset, bids, tricks, {"nil": 0}, {side: (points, bags), other: (0, 0)})
        points, bags = parts[side].points, parts[side].bags
        after.append((points, bags))
    assert after == [(43, 3), (76, 6), (21, 1)]


def test_nine_more_bags_after_the_eleven_bring_the_next_penalty() -> None:
    """C-10, P-13: the one bag carried over and nine more make ten."""
    nine_more = score("two-player", {"N": 1, "S": 3}, {"N": 10, "S": 3}, before={"N": (21, 1)})
    assert (nine_more["N"].bag_penalty, nine_more["N"].bags) == (-100, 0)
    assert nine_more["N"].points == 21 + 10 + 9 - 100
    eight_more = score("two-player", {"N": 2, "S": 3}, {"N": 10, "S": 3}, before={"N": (21, 1)})
    assert (eight_more["N"].bag_penalty, eight_more["N"].bags) == (0, 9)


def test_the_tenth_bag_costs_its_penalty_in_the_hand_that_brings_it() -> None:
    """B-01, V-07, A-07: nine bags, bid three, took four: 30 + 1 - 100."""
    side = score("pairs", {"N": 3, "E": 3, "S": 0, "W": 3}, {"N": 4, "E": 9}, before={"NS": (0, 9)})
    assert (side["NS"].bag_penalty, side["NS"].bags) == (-100, 0)
    assert side["NS"].hand_points == 30 + 1 - 100 + 100  # the partner's Nil held


def test_bags_that_pass_two_limits_cost_two_penalties() -> None:
    """A-08, B-11: nine bags and twelve more make twenty-one: two penalties and one left."""
    side = score("pairs", {"N": 1, "E": 1, "S": 0, "W": 1}, {"N": 13}, before={"NS": (0, 9)})["NS"]
    assert (side.new_bags, side.bag_penalty, side.bags) == (12, -200, 1)


def one_by_one(bags: int, more: int, limit: int, penalty: int) -> tuple[int, int]:
    """Bags left and points lost when bags are counted out one at a time."""
    lost = 0
    for _ in range(more):
        bags += 1
        if bags == limit:
            bags, lost = 0, lost + penalty
    return bags, -lost


@pytest.mark.parametrize(("limit", "penalty"), [(10, 100), (7, 30), (1, 5), (100, 1000), (3, 0)])
def test_every_full_limit_costs_once_and_the_rest_is_kept(limit: int, penalty: int) -> None:
    """B-01, B-11, A-08, A-09, C-10: any bags before, any bags more."""
    options = {"bag_limit": limit, "bag_penalty": penalty}
    for before in range(min(limit, 12)):
        for bid in range(1, 14):
            side = score("two-player", {"N": bid, "S": 1}, {"N": 13}, options, {"N": (0, before)})[
                "N"
            ]
            left, lost = one_by_one(before, 13 - bid, limit, penalty)
            assert (side.bags, side.bag_penalty) == (left, lost)
            assert side.hand_points == 10 * bid + (13 - bid) + lost


def test_a_set_contract_loses_ten_a_trick_and_has_no_bags() -> None:
    """C-09, V-06, D-03, A-48: totals may fall below zero."""
    side = score("pairs", {"N": 4, "E": 3, "S": 3, "W": 3}, {"N": 3, "S": 3, "E": 7})["NS"]
    assert (side.made, side.contract_points, side.new_bags, side.points) == (False, -70, 0, -70)


@pytest.mark.parametrize(("taken", "nil_points"), [(0, 100), (1, -100), (5, -100)])
def test_a_nil_wins_a_hundred_without_a_trick_and_loses_it_with_one(
    taken: int, nil_points: int
) -> None:
    """C-11, T-06, A-56: Kathy bids Nil, Steve nine."""
    scores = score("two-player", {"N": 0, "S": 9}, {"N": taken, "S": 13 - taken})
    assert scores["N"].hand_points == nil_points
    assert (scores["N"].new_bags, scores["N"].made, scores["N"].bid) == (0, False, 0)


@pytest.mark.parametrize(("taken", "points"), [(0, 200), (1, -200), (4, -200)])
def test_a_two_player_double_nil_wins_or_loses_two_hundred(taken: int, points: int) -> None:
    """T-08, T-12, A-01: exactly that, no points and no bags for the tricks."""
    parts = score("two-player", {"N": DOUBLE_NIL, "S": 9}, {"N": taken, "S": 13 - taken})["N"]
    assert (parts.nil_points, parts.hand_points, parts.new_bags) == (points, points, 0)


def test_a_nil_bidders_partner_must_still_take_her_number() -> None:
    """P-05, P-06: Alex bids four, Charlie Nil; both keep their word."""
    side = score("partnership", {"N": 4, "S": 0, "E": 4, "W": 4}, {"N": 4, "E": 9})["NS"]
    assert (side.contract_points, side.nil_points, side.hand_points) == (40, 100, 140)


@pytest.mark.parametrize("ruleset", ["partnership", "pairs"])
def test_a_failed_nils_trick_does_not_help_the_partner(ruleset: str) -> None:
    """B-08, P-12, V-08, D-09, A-02, A-04: partner bid four took three, the Nil took one."""
    side = score(ruleset, {"N": 4, "S": 0, "E": 4, "W": 4}, {"N": 3, "S": 1, "E": 9})["NS"]
    assert (side.tricks, side.tricks_for_bid, side.made) == (4, 3, False)
    assert (side.contract_points, side.nil_points, side.new_bags) == (-40, -100, 1)
    assert side.hand_points == -40 - 100 + 1


@pytest.mark.parametrize(("south", "net"), [(0, 200), (1, 1)])
def test_both_partners_nil_are_scored_each_on_its_own(south: int, net: int) -> None:
    """P-07, A-05: +200 if both hold, nothing but the bag if one fails."""
    tricks = {"S": south, "E": 13 - south}
    side = score("partnership", {"N": 0, "S": 0, "E": 4, "W": 4}, tricks)["NS"]
    assert side.hand_points == net
    assert (side.bid, side.made, side.contract_points, side.tricks_for_bid) == (0, False, 0, 0)


def test_both_partners_nil_fail_and_lose_two_hundred() -> None:
    """P-07, A-05: and each trick is a bag."""
    tricks = {"N": 1, "S": 1, "E": 11}
    side = score("partnership", {"N": 0, "S": 0, "E": 4, "W": 4}, tricks)["NS"]
    assert (side.nil_points, side.new_bags) == (-200, 2)


def test_the_tricks_of_one_of_two_nils_are_bags() -> None:
    """B-10, A-05: both Nil, one fails with two tricks."""
    side = score("pairs", {"N": 0, "S": 0, "E": 4, "W": 4}, {"N": 2, "E": 11})["NS"]
    assert (side.nil_points, side.new_bags, side.bags) == (0, 2, 2)


@pytest.mark.parametrize(
    ("tricks", "nil_points"),
    [({"E": 13}, 400), ({"N": 1, "E": 12}, 0), ({"N": 1, "S": 1, "E": 11}, -400)],
)
def test_both_partners_double_nil_win_or_lose_four_hundred_or_nothing(
    tricks: dict[str, int], nil_points: int
) -> None:
    """P-08, P-09."""
    bids = {"N": DOUBLE_NIL, "S": DOUBLE_NIL, "E": 4, "W": 4}
    assert score("partnership", bids, tricks)["NS"].nil_points == nil_points


@pytest.mark.parametrize(
    ("tricks", "nil_points"),
    [({"E": 13}, 300), ({"N": 1, "E": 12}, -100), ({"S": 1, "E": 12}, 100)],
)
def test_a_nil_and_a_double_nil_in_one_side_are_scored_separately(
    tricks: dict[str, int], nil_points: int
) -> None:
    """A-06: the north's Double Nil is worth 200, the south's Nil 100."""
    bids = {"N": DOUBLE_NIL, "S": 0, "E": 4, "W": 4}
    assert score("partnership", bids, tricks)["NS"].nil_points == nil_points


@pytest.mark.parametrize(
    ("option", "for_bid", "made", "bags", "points"),
    [
        ("ignore", 3, False, 0, -40 - 100),
        ("bags", 3, False, 2, -40 - 100 + 2),
        ("bid", 5, True, 1, 40 - 100 + 1),
    ],
)
def test_failed_nil_tricks_are_what_the_option_says(
    option: str, for_bid: int, made: bool, bags: int, points: int
) -> None:
    """A-01, P-12: the partner bid four and took three, the Nil took two."""
    side = score(
        "partnership",
        {"N": 4, "S": 0, "E": 4, "W": 4},
        {"N": 3, "S": 2, "E": 8},
        {"failed_nil_tricks": option},
    )["NS"]
    assert (side.tricks_for_bid, side.made, side.new_bags) == (for_bid, made, bags)
    assert side.hand_points == points


@pytest.mark.parametrize(("option", "bags"), [("ignore", 0), ("bags", 3), ("bid", 3)])
@pytest.mark.parametrize(("bid", "worth"), [(0, 100), (DOUBLE_NIL, 200)])
def test_a_player_alone_who_fails_nil_has_bags_only_if_the_option_says_so(
    bid: int | str, worth: int, option: str, bags: int
) -> None:
    """A-01: alone there is no number bid for them to help, so `bid` is as `bags`."""
    side = score("two-player", {"N": bid, "S": 9}, {"N": 3, "S": 10}, {"failed_nil_tricks": option})
    assert (side["N"].new_bags, side["N"].hand_points) == (bags, bags - worth)
    assert (side["S"].made, side["S"].hand_points) == (True, 91)


def test_failed_nil_tricks_that_count_for_no_bid_are_bags() -> None:
    """A-05: `bid` on a side without a number bid."""
    side = score(
        "partnership",
        {"N": 0, "S": 0, "E": 4, "W": 4},
        {"N": 1, "S": 2, "E": 10},
        {"failed_nil_tricks": "bid"},
    )["NS"]
    assert (side.tricks_for_bid, side.made, side.new_bags, side.contract_points) == (0, False, 3, 0)


@pytest.mark.parametrize(("won", "points"), [(10, 200), (12, 202), (9, -100)])
def test_ten_for_200(won: int, points: int) -> None:
    options = {"ten_for_200": True}
    side = score("pairs", {"N": 6, "S": 4, "E": 1, "W": 1}, {"N": won, "E": 13 - won}, options)
    assert side["NS"].hand_points == points
    eleven = score("pairs", {"N": 6, "S": 5, "E": 1, "W": 1}, {"N": 11, "E": 2}, options)["NS"]
    assert eleven.hand_points == 110


@pytest.mark.parametrize(("won", "points"), [(10, 200), (13, 203), (9, -100)])
def test_ten_for_200_for_a_player_alone(won: int, points: int) -> None:
    scores = score(
        "two-player", {"N": 10, "S": 2}, {"N": won, "S": 13 - won}, {"ten_for_200": True}
    )
    assert scores["N"].hand_points == points


def test_ten_is_worth_a_hundred_unless_the_option_says_otherwise() -> None:
    """C-09."""
    assert score("two-player", {"N": 10, "S": 2}, {"N": 10, "S": 3})["N"].hand_points == 100


def test_bags_without_a_limit_score_and_are_counted_but_never_cost() -> None:
    before = {"NS": (0, 95)}
    side = score("pairs", {"N": 1, "S": 1, "E": 1, "W": 1}, {"N": 13}, {"bag_limit": None}, before)[
        "NS"
    ]
    assert (side.bag_points, side.bag_penalty, side.bags) == (11, 0, 106)


def test_bag_limit_and_penalty_are_what_the_options_say() -> None:
    options = {"bag_limit": 5, "bag_penalty": 50}
    side = score("pairs", {"N": 1, "S": 1, "E": 1, "W": 1}, {"N": 13}, options)["NS"]
    assert (side.new_bags, side.bag_penalty, side.bags) == (11, -100, 1)


def test_nil_and_double_nil_are_worth_what_the_options_say() -> None:
    options = {"nil": 50, "double_nil": 150}
    bids = {"N": DOUBLE_NIL, "S": 0, "E": 4, "W": 4}
    assert score("partnership", bids, {"E": 13}, options)["NS"].nil_points == 200


@pytest.mark.parametrize("worth", [0, 50, 1000])
def test_a_nil_or_double_nil_may_be_worth_nothing_or_much(worth: int) -> None:
    options = {"nil": worth, "double_nil": worth}
    for bid in (0, DOUBLE_NIL):
        held = score("two-player", {"N": bid, "S": 4}, {"S": 13}, options)["N"]
        failed = score("two-player", {"N": bid, "S": 4}, {"N": 1, "S": 12}, options)["N"]
        assert (held.hand_points, failed.hand_points) == (worth, -worth)


@pytest.mark.parametrize("ruleset", ["two-player", "partnership", "pairs"])
def test_a_hand_is_scored_for_each_side_whatever_the_seats_have_bid(ruleset: str) -> None:
    """B-39: two seats or four, numbers or Nils, all tricks in one seat or spread."""
    seats = "NS" if ruleset == "two-player" else "NESW"
    sides = {"N", "S"} if ruleset == "two-player" else {"NS", "EW"}
    for bids in product((0, 1, 13, DOUBLE_NIL), repeat=len(seats)):
        scores = score(ruleset, dict(zip(seats, bids, strict=True)), {"S": 12, "N": 1})
        assert set(scores) == sides
        assert sum(side.tricks for side in scores.values()) == 13
        for side in scores.values():
            parts = side.contract_points + side.bag_points + side.nil_points + side.bag_penalty
            assert side.hand_points == side.points == parts


def test_bids_may_add_up_to_more_than_thirteen() -> None:
    """A-16: and the sum is the side's contract."""
    side = score("pairs", {"N": 13, "S": 13, "E": 1, "W": 1}, {"N": 13})["NS"]
    assert (side.bid, side.made, side.contract_points) == (26, False, -260)


def test_contracts_of_partners_bids_are_six_and_five() -> None:
    """P-04: Alex 4, Beth 3, Charlie 2, David 2, clockwise."""
    sides = score("partnership", {"N": 4, "E": 3, "S": 2, "W": 2}, {"N": 13})
    assert (sides["NS"].bid, sides["EW"].bid) == (6, 5)
