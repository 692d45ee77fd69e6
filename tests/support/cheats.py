"""What somebody might do to a log, and the check that must find it."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from spades.audit.log import commit
from spades.bots.novice import NOVICE
from spades.game.rulesets import RULESETS
from tests.support.exports import Event, Log, leaves_of, made_good, read, rechained

ALL = tuple(RULESETS)
FOUR = ("partnership", "pairs")
ROUND = "NESW"
LEAVES = frozenset({"leaves"})


@dataclass(frozen=True)
class Cheat:
    """A change of a log; `checks` are those that may name it once all is made good again."""

    name: str
    change: Callable[[Log], None]
    checks: frozenset[str]
    rulesets: tuple[str, ...] = ALL
    as_it_is: frozenset[str] = frozenset({"chain", "format"})
    mend: Callable[[Log], Log] = field(default=made_good)

    def clumsy(self, export: bytes) -> bytes:
        """The export with the change alone."""
        log = read(export)
        self.change(log)
        return log.lines()

    def careful(self, export: bytes) -> bytes:
        """The export with the change, and with all that can be calculated made good again."""
        log = read(export)
        self.change(log)
        return self.mend(log).lines()


class Bolder:
    """Bids more than `novice/1` would, under its name."""

    version = "novice/1"

    def decide(self, view: Any, seed: int) -> Any:
        if view["phase"] == "bidding":
            return view["legal_actions"][-1]
        return NOVICE.policy.decide(view, seed)


CHEATS: list[Cheat] = []


def found_by(*checks: str, **more: Any) -> Callable[[Callable[[Log], None]], Callable[[Log], None]]:
    """Adds a change to the cheats under its name."""

    def added(change: Callable[[Log], None]) -> Callable[[Log], None]:
        CHEATS.append(Cheat(change.__name__, change, frozenset(checks), **more))
        return change

    return added


def plays(log: Log) -> list[Event]:
    return list(log.all("card_played"))


@found_by("actions")
def a_play_dropped(log: Log) -> None:
    log.events.remove(plays(log)[5])


@found_by("actions")
def a_bid_dropped(log: Log) -> None:
    log.events.remove(log.first("bid_made"))


@found_by("actions", "deals")
def a_claim_dropped(log: Log) -> None:
    log.events.remove(log.first("seat_taken"))


@found_by("actions")
def a_trick_dropped(log: Log) -> None:
    log.events.remove(log.first("trick_taken"))


@found_by("actions", "leaves")
def a_score_dropped(log: Log) -> None:
    log.events.remove(log.first("hand_scored"))


@found_by("deals", "actions", "scores")
def a_hand_dropped(log: Log) -> None:
    start, end = log.place(log.first("hand_started")), log.place(log.first("hand_scored"))
    del log.events[start : end + 1]


@found_by("actions", "format")
def the_opening_dropped(log: Log) -> None:
    del log.events[0]


@found_by("actions")
def two_plays_swapped(log: Log) -> None:
    swap(log, *plays(log)[:2])


@found_by("actions")
def two_tricks_swapped(log: Log) -> None:
    swap(log, *list(log.all("trick_taken"))[:2])


@found_by("actions")
def a_trick_before_its_last_card(log: Log) -> None:
    trick = log.place(log.first("trick_taken"))
    swap(log, log.events[trick - 1], log.events[trick])


def swap(log: Log, one: Event, other: Event) -> None:
    first, second = log.place(one), log.place(other)
    log.events[first], log.events[second] = other, one


@found_by("actions")
def a_play_twice(log: Log) -> None:
    again(log, plays(log)[3])


@found_by("actions")
def a_claim_twice(log: Log) -> None:
    again(log, log.first("seat_taken"))


@found_by("actions", "format")
def the_opening_twice(log: Log) -> None:
    again(log, log.events[0])


@found_by("actions")
def a_token_reissued_twice_the_same(log: Log) -> None:
    again(log, log.first("token_reissued"))


def again(log: Log, event: Event) -> None:
    log.events.insert(log.place(event) + 1, deepcopy(event))


@found_by("actions")
def the_last_trick_first(log: Log) -> None:
    start = log.place(plays(log)[0])
    end = log.place(log.first("hand_scored"))
    size = len(log.events[0]["data"]["seats"]) + 1
    last = log.events[end - size : end]
    del log.events[end - size : end]
    log.events[start:start] = last


@found_by("end", as_it_is=frozenset({"format"}))
def the_end_cut_off(log: Log) -> None:
    log.events.pop()


@found_by("leaves", as_it_is=frozenset({"format"}))
def the_second_half_cut_off(log: Log) -> None:
    """The openings of the hand that is then not revealed are too many."""
    del log.events[log.place(plays(log)[-4]) :]


@found_by("end")
def a_claim_after_the_end(log: Log) -> None:
    later(log, log.first("seat_taken"))


@found_by("end")
def a_play_after_the_end(log: Log) -> None:
    later(log, plays(log)[-1])


@found_by("end")
def the_end_twice(log: Log) -> None:
    later(log, log.events[-1])


def later(log: Log, event: Event) -> None:
    log.events.append({**deepcopy(event), "at": log.events[-1]["at"]})


@found_by("format")
def a_time_that_goes_back(log: Log) -> None:
    log.events[-1]["at"] = "2026-11-29T00:00:00.000Z"


@found_by("format")
def a_key_too_many(log: Log) -> None:
    log.events[3]["note"] = "as agreed"


@found_by("format")
def a_key_too_few(log: Log) -> None:
    del log.events[3]["actor"]


@found_by("format")
def data_too_many(log: Log) -> None:
    plays(log)[2]["data"]["trump"] = "S"


@found_by("format", "deals")
def a_leaf_dropped(log: Log) -> None:
    data = log.first("hand_started")["data"]
    data.pop("stock", None)
    data.get("holdings", {}).pop("N", None)


@found_by("leaves", mend=rechained)
def another_salt(log: Log) -> None:
    _, leaf = opened(log.first("hand_started"))
    leaf["salt"] = "17" * 32
    leaf["commit"] = commit(leaf["salt"], leaf["value"])


@found_by("leaves", mend=rechained, as_it_is=LEAVES)
def another_value_in_a_leaf(log: Log) -> None:
    _, leaf = opened(log.first("hand_started"))
    leaf["value"] = leaf["value"][::-1]


@found_by("leaves", mend=rechained, as_it_is=LEAVES)
def an_open_leaf_closed(log: Log) -> None:
    _, leaf = opened(log.first("hand_started"))
    del leaf["salt"], leaf["value"]


@found_by("leaves", mend=rechained, as_it_is=LEAVES)
def another_value_in_opens(log: Log) -> None:
    opening = opens(log)
    opening["value"] = opening["value"][::-1]


@found_by("leaves", mend=rechained, as_it_is=LEAVES)
def another_salt_in_opens(log: Log) -> None:
    opens(log)["salt"] = "17" * 32


@found_by("leaves", mend=rechained, as_it_is=LEAVES)
def another_place_in_opens(log: Log) -> None:
    opens(log)["pointer"] = "/data/holdings/X"


@found_by("leaves", mend=rechained, as_it_is=LEAVES)
def another_event_in_opens(log: Log) -> None:
    opens(log)["version"] = 1


@found_by("leaves", mend=rechained, as_it_is=LEAVES)
def a_later_event_in_opens(log: Log) -> None:
    opens(log)["version"] = len(log.events)


def opens(log: Log) -> dict[str, Any]:
    """An opening of several cards that the first score brought."""
    told = log.first("hand_scored")["opens"]
    return next(opening for opening in told if len(opening["value"]) > 5)


def opened(event: Event) -> tuple[str, dict[str, Any]]:
    return next(leaves_of(event))


@found_by("deals")
def another_game_seed(log: Log) -> None:
    log.events[-1]["data"]["game_seed"] = "17" * 32


@found_by("deals")
def another_hand_seed(log: Log) -> None:
    log.first("hand_scored")["data"]["hand_seed"] = "17" * 32


@found_by("deals")
def another_client_seed(log: Log) -> None:
    log.first("seat_taken")["data"]["client_seed"] = "lin-04"


@found_by("deals")
def another_promise_of_the_game(log: Log) -> None:
    log.events[0]["data"]["game_commit"] = "17" * 32


@found_by("deals")
def another_promise_of_the_hand(log: Log) -> None:
    log.first("hand_started")["data"]["hand_commit"] = "17" * 32


@found_by("deals")
def another_first_dealer(log: Log) -> None:
    data = log.events[0]["data"]
    data["dealer"] = other_seat(log, data["dealer"])


@found_by("deals")
def the_same_dealer_again(log: Log) -> None:
    first, second = log.all("hand_started")
    second["data"]["dealer"] = first["data"]["dealer"]


@found_by("deals", rulesets=FOUR, as_it_is=LEAVES)
def holdings_swapped(log: Log) -> None:
    held = log.first("hand_started")["data"]["holdings"]
    held["N"]["value"], held["E"]["value"] = held["E"]["value"], held["N"]["value"]


@found_by("deals", rulesets=("two-player",), as_it_is=LEAVES)
def a_stock_stacked(log: Log) -> None:
    stock = log.first("hand_started")["data"]["stock"]["value"]
    stock[0], stock[40] = stock[40], stock[0]


@found_by("deals", rulesets=("two-player",), as_it_is=LEAVES)
def drafted_cards_exchanged(log: Log) -> None:
    data = log.first("card_kept")["data"]
    kept, away = data["kept"], data["discarded"]
    kept["value"], away["value"] = away["value"], kept["value"]


@found_by("deals", rulesets=("two-player",), as_it_is=LEAVES)
def replacements_chosen(log: Log) -> None:
    exchange = next(e for e in log.all("cards_exchanged") if e["data"]["count"])
    drawn = exchange["data"]["drawn"]["value"]
    drawn[0] = next(card for card in discards(log) if card not in drawn)


def discards(log: Log) -> Iterator[str]:
    turns = log.all("card_kept", "card_refused")
    return (turn["data"].get("discarded", turn["data"].get("refused"))["value"] for turn in turns)


@found_by("actions", rulesets=("partnership",), as_it_is=LEAVES)
def a_card_given_that_was_not_held(log: Log) -> None:
    given = log.first("cards_exchanged")
    held = log.first("hand_started")["data"]["holdings"]
    given["data"]["given"]["value"][0] = held[other_seat(log, given["seat"])]["value"][0]


def other_seat(log: Log, seat: str) -> str:
    seats = [one for one in ROUND if one in log.events[0]["data"]["seats"]]
    return seats[(seats.index(seat) + 1) % len(seats)]


@found_by("actions")
def a_revoke(log: Log) -> None:
    """Somebody who has the suit led plays another card of hers, and this one later."""
    for _, follower in tricks(log):
        suit = follower["data"]["card"][1]
        later = log.events[log.place(follower) + 1 : log.place(log.first("hand_scored"))]
        for other in later:
            same = other["type"] == "card_played" and other["seat"] == follower["seat"]
            if same and other["data"]["card"][1] != suit:
                return exchange_plays(log, follower, other)
    raise AssertionError("nobody could revoke")


def tricks(log: Log) -> Iterator[tuple[Event, Event]]:
    """Yields the first two plays of the tricks whose second player followed suit."""
    size = len(log.events[0]["data"]["seats"])
    made = plays(log)
    for leader, follower in zip(made[::size], made[1::size], strict=True):
        if leader["data"]["card"][1] == follower["data"]["card"][1]:
            yield leader, follower


def exchange_plays(log: Log, one: Event, other: Event) -> None:
    first, second = one["data"]["card"], other["data"]["card"]
    one["data"]["card"], other["data"]["card"] = second, first
    renamed = {first: second, second: first}
    end = log.place(log.first("hand_scored"))
    for trick in log.events[:end]:
        if trick["type"] == "trick_taken":
            cards = trick["data"]["cards"]
            trick["data"]["cards"] = [renamed.get(card, card) for card in cards]


@found_by("actions")
def a_card_played_twice(log: Log) -> None:
    first, *others = plays(log)
    next(e for e in others if e["seat"] == first["seat"])["data"]["card"] = first["data"]["card"]


@found_by("actions")
def a_card_of_somebody_else(log: Log) -> None:
    first = plays(log)[0]
    owner = other_seat(log, first["seat"])
    hers = [e["data"]["card"] for e in plays(log) if e["seat"] == owner]
    first["data"]["card"] = hers[-1]


@found_by("actions")
def a_play_out_of_turn(log: Log) -> None:
    first, second = plays(log)[:2]
    first["seat"], second["seat"] = second["seat"], first["seat"]


@found_by("actions")
def a_trick_to_somebody_else(log: Log) -> None:
    trick = log.first("trick_taken")
    trick["seat"] = other_seat(log, trick["seat"])


@found_by("actions")
def other_cards_in_a_trick(log: Log) -> None:
    log.first("trick_taken")["data"]["cards"].reverse()


@found_by("actions", "format")
def a_bid_beyond_thirteen(log: Log) -> None:
    log.first("bid_made")["data"]["tricks"] = 14


@found_by("actions")
def a_bid_at_anothers_turn(log: Log) -> None:
    bid = log.first("bid_made")
    bid["seat"] = other_seat(log, bid["seat"])


@found_by("scores", "actions")
def a_bid_changed(log: Log) -> None:
    bid = log.first("bid_made")
    bid["data"]["tricks"] = bid["data"]["tricks"] % 13 + 1


@found_by("actions")
def a_person_played_by_a_bot(log: Log) -> None:
    play = next(event for event in plays(log) if event["seat"] == "S")
    play["actor"] = "bot"
    play["data"]["policy"] = "novice/1"


@found_by("actions")
def a_bot_played_by_a_person(log: Log) -> None:
    play = next(event for event in plays(log) if event["actor"] == "bot")
    play["actor"] = "seat"
    del play["data"]["policy"]


@found_by("actions", "format")
def no_seat_for_a_person(log: Log) -> None:
    for seat in log.events[0]["data"]["seats"].values():
        seat |= {"kind": "bot", "level": "novice"}


@found_by("actions", "format")
def a_person_with_a_level(log: Log) -> None:
    log.events[0]["data"]["seats"]["S"]["level"] = "novice"


@found_by("scores")
def points_too_many(log: Log) -> None:
    parts = first_side(log)
    parts["contract_points"] += 10
    parts["hand_points"] += 10
    parts["points"] += 10


@found_by("scores")
def a_bag_too_few(log: Log) -> None:
    first_side(log)["new_bags"] += 1


@found_by("scores")
def a_penalty_too_many(log: Log) -> None:
    first_side(log)["bag_penalty"] = -100


@found_by("scores")
def tricks_too_many(log: Log) -> None:
    tricks = log.first("hand_scored")["data"]["tricks"]
    tricks["N"], tricks["S"] = tricks["N"] + 1, tricks["S"] - 1


@found_by("scores")
def another_double_nil(log: Log) -> None:
    log.first("hand_scored")["data"]["double_nil"] = ["N"]


def first_side(log: Log) -> dict[str, Any]:
    sides: dict[str, dict[str, Any]] = log.first("hand_scored")["data"]["sides"]
    return next(iter(sides.values()))


@found_by("scores")
def another_winner(log: Log) -> None:
    data = log.events[-1]["data"]
    data["winner"] = next(side for side in data["points"] if side != data["winner"])


@found_by("scores")
def other_points_at_the_end(log: Log) -> None:
    points = log.events[-1]["data"]["points"]
    points[next(iter(points))] += 1


@found_by("scores")
def another_reason(log: Log) -> None:
    log.events[-1]["data"]["reason"] = "target_reached"


@found_by("scores")
def a_hand_fewer_at_the_end(log: Log) -> None:
    log.events[-1]["data"]["hands"] -= 1


@found_by("scores", "actions", "end")
def a_target_that_was_reached_before(log: Log) -> None:
    log.events[0]["data"]["options"]["max_hands"] = 1
