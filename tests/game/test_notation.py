"""A game is written as text, and read back to the byte, by whoever may see however much of it."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.errors import DamagedLog, DamagedTranscript
from spades.game import decide, fold
from spades.game.audience import PLATFORM, SPECTATOR, Viewer, seated
from spades.game.cards import FRESH_DECK, cards
from spades.game.commands import (
    Bid,
    BidDoubleNil,
    Chair,
    Command,
    CreateGame,
    Exchange,
    Keep,
    Look,
    Play,
    PlayerKind,
    Refuse,
    TakeSeat,
)
from spades.game.dealing import SeededDealer
from spades.game.events import Event, Hidden
from spades.game.notation import HandTranscript, Transcript, read, transcript_of, write
from spades.game.position import Game, Player, Status
from spades.game.rulesets import (
    OPTION_KINDS,
    RULESETS,
    Choice,
    Ruleset,
    WholeNumber,
    resolve_options,
)
from spades.game.seats import Seat, clockwise_from
from spades.store import Profile
from spades.tables import Opening, Table
from tests.game.test_reference_games import play_hand, table_for
from tests.support.house import House, chosen
from tests.support.rules import bidding_table, hand_of, stock_of, trick
from tests.support.secrecy import visible_to
from tests.support.tables import TableOf

TESTS = Path(__file__).parents[1]
GOLDEN = sorted((TESTS / "golden" / "games").glob("*.ptn"))
PAGE = TESTS.parent / "docs" / "ptn.md"
GAME_ID = "01940000-0000-7000-8000-000000000001"
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")

Served = list[dict[str, Any]]


def served_open(events: Iterable[Event]) -> Served:
    """Events as they are served to somebody who may see everything."""
    return [
        {
            "version": version,
            "type": event.type,
            "schema": 1,
            "at": "2026-11-30T12:00:00.000Z",
            "seat": event.seat and event.seat.value,
            "actor": event.actor,
            "data": opened(event.data()),
            "hash": "00" * 32,
        }
        for version, event in enumerate(events, 1)
    ]


def opened(value: Any) -> Any:
    if isinstance(value, Hidden):
        return {"commit": "00" * 32, "salt": "00" * 32, "value": value.value}
    if isinstance(value, dict):
        return {key: opened(inner) for key, inner in value.items()}
    return value


def begun(ruleset: str, seed: int = 3, **options: Any) -> tuple[House, Table]:
    """A table with a human, a seat claimed with a client seed, and bots where four sit."""
    house, rules = House(seed=seed), RULESETS[ruleset]
    chairs = {seat: Chair(PlayerKind.BOT, "novice") for seat in rules.seats}
    chairs |= {Seat.N: Chair(PlayerKind.HUMAN), Seat.S: Chair(PlayerKind.OPEN)}
    resolved = resolve_options(rules, {"max_hands": 2, **options})
    opening = Opening(CreateGame(rules, resolved, chairs))
    return house, house.tables.create(opening).table


def played(ruleset: str, seed: int = 3, **options: Any) -> Iterator[Table]:
    """The tables of a random game, before its first move and after each."""
    house, table = begun(ruleset, seed, **options)
    chance = Random(seed)
    yield table
    table = house.tables.claim(table.ledger.game_id, Seat.S, Profile("Lin"), 'lin "♠" \\ 03')
    while table.game.result is None:
        yield whole(house, table)
        seat = chance.choice(table.game.to_act)
        body = chosen(table.view(seated(seat)), chance)
        table = house.act(table, seat.value, **body).table
    yield whole(house, table)


def whole(house: House, table: Table) -> Table:
    return house.tables.whole(table.ledger.game_id)


@cache
def finished(ruleset: str) -> Table:
    *_, last = played(ruleset)
    return last


def told_to(viewer: Viewer, table: Table) -> Transcript:
    ledger = table.ledger
    return transcript_of(ledger.game_id, ledger.served(viewer, 0))


def everybody(game: Game) -> list[Viewer]:
    return [SPECTATOR, PLATFORM, *map(seated, game.seats)]


def golden(name: str) -> str:
    return (TESTS / "golden" / "games" / f"{name}.ptn").read_text("utf-8")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_reference_game_is_written_as_it_was_outside_the_service(path: Path) -> None:
    record = json.loads((TESTS / "cases" / "games" / f"{path.stem}.json").read_text())
    table = table_for(record)
    for hand in record["hands"]:
        play_hand(table, hand)
    text = path.read_text("utf-8")
    told = transcript_of(GAME_ID, served_open(table.events))
    hands = read(text).hands
    if len(hands) < len(told.hands):
        told = replace(told, hands=told.hands[: len(hands)], end=None)
    assert write(told) == text
    assert read(text) == told


def test_the_example_of_the_page_is_what_would_be_written() -> None:
    examples = re.findall(r"```ptn\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    assert examples
    for example in examples:
        assert write(read(example)) == example


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_viewer_s_game_is_read_as_it_was_written_after_every_move(ruleset: str) -> None:
    for table in played(ruleset):
        for viewer in everybody(table.game):
            told = told_to(viewer, table)
            text = write(told)
            assert read(text) == told
            assert write(read(text)) == text


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_viewer_is_told_a_card_she_may_not_see_and_each_is_told_her_own(ruleset: str) -> None:
    for table in played(ruleset, seed=5):
        hand = table.game.hand
        if hand is None or table.game.result:
            continue
        for viewer in everybody(table.game):
            *_, last = write(told_to(viewer, table)).split("\n\n")
            named = set(CARD.findall(last))
            assert named <= visible_to(table.game, viewer)
            if viewer.seat and hand.sees_cards(viewer.seat):
                assert named >= set(hand.holdings[viewer.seat])


@pytest.mark.parametrize("ruleset", RULESETS)
def test_cards_that_a_viewer_may_not_see_are_counted(ruleset: str) -> None:
    for table in played(ruleset, seed=5):
        for viewer in everybody(table.game):
            for hand in told_to(viewer, table).hands:
                dealt = sum(map(len, hand.deal.values())) + 2 * len(hand.draft) + len(hand.stock)
                assert dealt == len(FRESH_DECK)


def test_all_onlookers_are_told_the_same_and_a_finished_game_is_told_to_all() -> None:
    for table in played("partnership"):
        onlookers = told_to(SPECTATOR, table)
        assert told_to(PLATFORM, table) == onlookers
    assert {write(told_to(viewer, table)) for viewer in everybody(table.game)} == {write(onlookers)}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_text_is_all_it_takes_to_play_a_finished_game_again(ruleset: str) -> None:
    told = read(write(told_to(SPECTATOR, finished(ruleset))))
    assert told.end is not None
    dealer = SeededDealer(told.game_id, told.end.game_seed)
    events: list[Event] = []
    for command in commands(told):
        events += decide(fold(events), command, dealer)
    assert transcript_of(told.game_id, served_open(events)) == told


def commands(told: Transcript) -> Iterator[Command]:
    claimed = [seat for seat, player in told.players.items() if player.claimed]
    chairs = {seat: Chair(player.kind, player.level) for seat, player in told.players.items()}
    chairs |= dict.fromkeys(claimed, Chair(PlayerKind.OPEN))
    first = told.dealer if told.dealer_fixed else None
    yield CreateGame(told.ruleset, told.options, chairs, dealer=first)
    yield from (TakeSeat(seat, told.players[seat].client_seed) for seat in claimed)
    for hand in told.hands:
        yield from before_play(hand)
        for one in hand.tricks:
            yield from map(Play, clockwise_from(told.ruleset.seats, one.leader), one.cards)


def before_play(hand: HandTranscript) -> Iterator[Command]:
    for answer in hand.blind:
        yield BidDoubleNil(answer.seat) if answer.double_nil else Look(answer.seat)
    for choice in hand.draft:
        yield Keep(choice.seat) if choice.kept_seen else Refuse(choice.seat)
    for bid in hand.bids:
        yield Bid(bid.seat, bid.tricks)
    for exchange in hand.exchanges:
        yield Exchange(exchange.seat, tuple(card for card in exchange.given if card))


def test_a_game_that_waits_for_players_ends_with_its_tags() -> None:
    _, table = begun("pairs", target=300, lose_at=None)
    commit = table.game.game_commit
    assert (
        write(told_to(SPECTATOR, table))
        == f"""\
[Format "spades-ptn/1"]
[Game "00000000-0000-0000-0000-000000000001"]
[Ruleset "pairs"]
[Option "target=300"]
[Option "lose_at=null"]
[Option "max_hands=2"]
[SeatN "human"]
[SeatE "bot novice"]
[SeatS "open"]
[SeatW "bot novice"]
[FirstDealer "{table.game.first_dealer.value} drawn"]
[Algorithm "spades/deal/v1"]
[GameCommit "{commit}"]
"""
    )


def test_a_client_seed_is_quoted() -> None:
    told = told_to(SPECTATOR, finished("pairs"))
    assert '[SeatS "claimed"]\n[ClientSeedS "lin \\"♠\\" \\\\ 03"]\n' in write(told)


def test_a_claim_after_the_first_hand_has_started_puts_in_no_chance() -> None:
    events = finished("pairs").ledger.served(SPECTATOR, 0)
    claim = next(event for event in events if event["type"] == "seat_taken")
    late = {"data": {"kind": "human", "client_seed": "late"}}
    again = transcript_of(GAME_ID, [*events, {**claim, **late}])
    assert again == transcript_of(GAME_ID, events)
    of_a_bot = transcript_of(GAME_ID, [*events, {**claim, **late, "seat": "E"}])
    assert '[SeatE "claimed"]\n[SeatS "claimed"]\n' in write(of_a_bot)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_log_may_be_told_up_to_any_event(ruleset: str) -> None:
    events = finished(ruleset).ledger.served(SPECTATOR, 0)
    for count in range(1, len(events) + 1):
        told = transcript_of(GAME_ID, events[:count])
        assert read(write(told)) == told


def test_the_trick_on_the_table_is_written_without_a_winner() -> None:
    table = bidding_table(N="AS KS", E="QS 2C", S="JS 3C", W="TS 4C")
    for seat in "ESWN":
        table.act(seat, type="bid", tricks=3)
    trick(table, "2C 3C")
    *_, last = write(transcript_of(GAME_ID, served_open(table.events))).splitlines()
    assert last == "trick 1 E: 2C 3C"


def test_what_is_left_of_the_stock_is_told_once_a_game_is_broken_off() -> None:
    stock = "2C 3C 4C 5C"
    table = TableOf("two-player", {"double_nil": None}, decks=[stock_of(stock)])
    table.act("N", type="keep")
    broken_off = {
        "type": "game_aborted",
        "schema": 1,
        "seat": None,
        "actor": "platform",
        "data": {
            "winner": None,
            "reason": "cancelled",
            "points": {"N": 0, "S": 0},
            "bags": {"N": 0, "S": 0},
            "hands": 0,
            "game_seed": "00" * 32,
        },
    }
    told = transcript_of(GAME_ID, [*served_open(table.events), broken_off])
    text = write(told)
    assert "\ndraft 1 N: keep 2C discard 3C\nstock: 4C 5C 6C 7C" in text
    assert text.endswith(
        '\n\n[Status "aborted"]\n[Winner "-"]\n[Reason "cancelled"]\n[Points "N=0 S=0"]\n'
        '[Bags "N=0 S=0"]\n[Hands "0"]\n[GameSeed "' + "00" * 32 + '"]\n'
    )
    assert read(text).end == told.end
    assert told.end is not None
    assert told.end.result.status is Status.ABORTED


def test_cards_given_out_of_sight_are_counted() -> None:
    table = TableOf("partnership", {"exchange_cards": 2})
    for seat, answer in zip("ESWN", ("bid_double_nil", "look", "look", "look"), strict=True):
        table.act(seat, type=answer)
    for seat in "SWN":
        table.act(seat, type="bid", tricks=3)
    table.act("E", type="exchange", cards=list(hand_of(table.game).holdings[Seat.E][:2]))
    events = served_open(table.events)
    events[-1]["data"] = {"given": {"commit": "00" * 32}}
    assert write(transcript_of(GAME_ID, events)).splitlines()[-1] == "give E: ? ?"


def test_cards_replaced_out_of_sight_are_counted() -> None:
    table = TableOf("two-player", decks=[stock_of("2C 3C")])
    table.act("N", type="bid_double_nil")
    table.act("S", type="bid_double_nil")
    for seat in "NS" * 13:
        table.act(seat, type="keep")
    table.act("S", type="exchange", cards=[])
    table.act("N", type="exchange", cards=["2C", "6C"])
    events = served_open(table.events)
    for event in events[-2:]:
        hidden = {name: {"commit": "00" * 32} for name in ("thrown", "drawn")}
        event["data"] = {"count": event["data"]["count"], **hidden}
    assert write(transcript_of(GAME_ID, events)).splitlines()[-2:] == [
        "replace S: throw - draw -",
        "replace N: throw ? ? draw ? ?",
    ]


def test_policies_and_tokens_leave_no_trace() -> None:
    events = finished("pairs").ledger.served(SPECTATOR, 0)
    told = transcript_of(GAME_ID, events)
    reissued = {
        "type": "token_reissued",
        "schema": 1,
        "seat": "N",
        "actor": "platform",
        "data": {"generation": 2},
    }
    assert transcript_of(GAME_ID, [*events[:9], reissued, *events[9:], reissued]) == told
    unsaid = [{**e, "data": {k: v for k, v in e["data"].items() if k != "policy"}} for e in events]
    assert unsaid != events
    assert transcript_of(GAME_ID, unsaid) == told


def test_what_is_no_log_has_no_transcript() -> None:
    events = finished("pairs").ledger.served(SPECTATOR, 0)
    bid = next(place for place, event in enumerate(events) if event["type"] == "bid_made")
    damaged = [*events[:bid], {**events[bid], "data": {}}, *events[bid + 1 :]]
    unknown = [*events, {**events[-1], "type": "cards_thrown_about"}]
    for log in ([], events[1:], damaged, unknown):
        with pytest.raises(DamagedLog):
            transcript_of(GAME_ID, log)


def any_option(name: str) -> st.SearchStrategy[Any]:
    kind = OPTION_KINDS[name]
    if isinstance(kind, Choice):
        return st.sampled_from([word.value for word in kind.words])
    if isinstance(kind, WholeNumber):
        number = st.integers(kind.least, kind.most)
        return st.none() | number if kind.nullable else number
    return st.booleans()


@given(
    ruleset=st.sampled_from(list(RULESETS.values())),
    wanted=st.fixed_dictionaries({}, optional={name: any_option(name) for name in OPTION_KINDS}),
)
def test_all_options_are_restored(ruleset: Ruleset, wanted: dict[str, Any]) -> None:
    options = resolve_options(ruleset, wanted)
    opening = told_to(SPECTATOR, begun(ruleset.name)[1])
    text = write(replace(opening, options=options))
    assert read(text).options == options
    usual = ruleset.options.as_json()
    changed = [name for name, value in options.as_json().items() if value != usual[name]]
    assert re.findall(r"\[Option \"(\w+)=", text) == changed


seeds = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=64).filter(
    lambda seed: len(seed.encode()) <= 64
)


def with_seed(seed: str | None) -> Transcript:
    told = told_to(SPECTATOR, finished("pairs"))
    player = replace(told.players[Seat.S], client_seed=seed)
    return replace(told, players={**told.players, Seat.S: player})


@given(seed=seeds | st.sampled_from(['"]', "\\", '\\"', "a\u2028b", "  ", "trưởng ♠", "♠" * 21]))
def test_any_client_seed_is_restored(seed: str) -> None:
    assert read(write(with_seed(seed))).players[Seat.S].client_seed == seed


@pytest.mark.parametrize("seed", ["", "a\tb", "a\nb", "\x85", "\ud800", "♠" * 22, "a" * 65])
def test_no_game_has_such_a_client_seed(seed: str) -> None:
    with pytest.raises(DamagedTranscript):
        write(with_seed(seed))


# Damage: what to change in a reference game, where the blame falls, and why.

PAIRS, PARTNERSHIP, TWO = golden("pairs-1"), golden("partnership-81"), golden("two-player-1")


def refusal(text: str) -> DamagedTranscript:
    with pytest.raises(DamagedTranscript) as refused:
        read(text)
    assert refused.value.detail.startswith(f"Line {refused.value.facts['line']}: ")
    return refused.value


@pytest.mark.parametrize(
    ("text", "old", "new", "line", "why"),
    [
        (PAIRS, "spades-ptn/1", "spades-ptn/2", 1, "the tag Format"),
        (PAIRS, '[Format "spades-ptn/1"]\n', "", 1, "the tag Format"),
        (PAIRS, "01940000-", "0194000G-", 2, "the tag Game"),
        (PAIRS, '"pairs"', '"whist"', 3, "the tag Ruleset"),
        (PAIRS, '[SeatN "human"]', '[SeatN "robot"]', 4, "the tag SeatN"),
        (PAIRS, '[SeatE "human"]\n', "", 5, "the tag SeatE"),
        (PAIRS, '[SeatE "human"]', '[SeatE "human"]\n[ClientSeedE "x"]', 6, "the tag SeatS"),
        (PAIRS, '[SeatE "human"]', '[SeatE "claimed"]\n[ClientSeedE "\t"]', 6, "control"),
        (PAIRS, '[SeatE "human"]', '[SeatE "claimed"]\n[ClientSeedE ""]', 6, "1 to 64"),
        (PAIRS, '[SeatE "human"]', '[SeatE "claimed"]\n[ClientSeedE "\\x"]', 6, "the tag SeatS"),
        (PAIRS, "[SeatN", '[Option "target=0"]\n[SeatN', 4, "target is no such option"),
        (PAIRS, "[SeatN", '[Option "aces=4"]\n[SeatN', 4, "aces is no such option"),
        (PAIRS, "[SeatN", '[Option "ten_for_200=1"]\n[SeatN', 4, "ten_for_200 is no such"),
        (PAIRS, "[SeatN", '[Option "target=0900"]\n[SeatN', 4, "the tag SeatN"),
        (PAIRS, "[SeatN", '[Option "target=500"]\n[SeatN', 4, "is written here"),
        (PAIRS, "[SeatN", '[Option "target=1"]\n[Option "target=2"]\n[SeatN', 4, "is written"),
        (PAIRS, "[SeatN", '[Option "nil=1"]\n[Option "target=2"]\n[SeatN', 4, "target=2"),
        (PAIRS, "E fixed", "E chosen", 8, "the tag FirstDealer"),
        (TWO, "S fixed", "E fixed", 6, "there is no seat E"),
        (PAIRS, "1" * 64, "1" * 63, 10, "the tag GameCommit"),
        (PAIRS, '\n\n[Hand "1"]', '\n[Hand "1"]', 11, "no such line"),
        (PAIRS, '\n\n[Hand "1"]', '\n\n\n[Hand "1"]', 12, "the tag Hand"),
        (PAIRS, '[Hand "1"]', '[Hand "2"]', 12, "number 1 comes next"),
        (PAIRS, '[Hand "2"]', '[Hand "3"]', 40, "number 2 comes next"),
        (TWO, '[Dealer "S"]', '[Dealer "W"]', 11, "there is no seat W"),
        (PAIRS, "2" * 64, "2" * 63 + "G", 14, "the tag HandCommit"),
        (PAIRS, "deal N: QS TS", "deal N: TS QS", 15, "as held"),
        (PAIRS, "deal N: QS TS", "deal N: TS", 15, "there are 13 cards"),
        (PAIRS, "deal N: QS TS", "deal N: QS QS", 15, "twice"),
        (PAIRS, "deal N: QS TS", "deal N: ? TS", 15, "all or not at all"),
        (PAIRS, "deal N: QS TS", "deal N: QS  TS", 15, "the deal of N"),
        (PAIRS, "deal E: KS JS", "deal E: QS JS", 16, "twice"),
        (PAIRS, "deal E", "deal N", 16, "the deal of E"),
        (PAIRS, "bid W: 3", "bid S: 3", 20, "S stands here twice"),
        (PAIRS, "bid W: 3", "bid W: 14", 20, "no such line"),
        (PAIRS, "bid W: 3", "bid W: 0", 20, "no such line"),
        (PAIRS, "bid W: 3\n", "", 22, "no such line"),
        (TWO, "bid S: 4", "bid E: 4", 41, "there is no seat E"),
        (TWO, "bid S: 4", "bid N: 4", 41, "N stands here twice"),
        (TWO, "blind N: double nil", "blind S: double nil", 14, "S stands here twice"),
        (TWO, "blind N: double nil", "blind N: Nil", 14, "a turn of the draft"),
        (TWO, "draft 2 N", "draft 3 N", 16, "number 2 comes next"),
        (TWO, "draft 2 N", "draft 02 N", 16, "number 2 comes next"),
        (TWO, "draft 2 N", "draft 2 E", 16, "there is no seat E"),
        (TWO, "draft 2 N: refuse 3D keep 3S", "draft 2 N: keep 3D keep 3S", 16, "a turn of"),
        (TWO, "draft 2 N: refuse 3D", "draft 2 N: refuse 7C", 16, "twice"),
        (TWO, "draft 26 N", "stock: ? ?\ndraft 26 N", 41, "no such line"),
        (TWO, "bid S: 4", "stock: ? ?\nbid S: 4", 41, "no such line"),
        (TWO, "bid S: 4", "draft 27 S: keep ? discard ?\nbid S: 4", 41, "no such line"),
        (TWO, "draft 26 N: refuse 4S keep 3H", "stock: 4S 3H", 41, "no such line"),
        (TWO, "draft 26 N: refuse 4S keep 3H", "stock: 4S", 40, "there are 2 cards"),
        (TWO, "throw JS 9H draw 5S 9D", "throw JS 9H draw 5S", 42, "there are 2 cards"),
        (TWO, "throw JS 9H draw 5S 9D", "throw 9H JS draw 5S 9D", 42, "as held"),
        (TWO, "replace N: throw JS 9H draw 5S 9D", "give N: JS 9H", 42, "no such line"),
        (PAIRS, "bid E: 2", "bid E: 2\nreplace E: throw - draw -", 23, "no such line"),
        (PAIRS, "trick 3 W", "trick 4 W", 25, "number 3 comes next"),
        (PAIRS, "trick 1 S: 5D 6D", "trick 1 S: 5D ?", 23, "all or not at all"),
        (PAIRS, "trick 1 S: 5D 6D 8D JD", "trick 1 S: ? ? ? ?", 23, "each of them is known"),
        (PAIRS, "trick 1 S: 5D 6D 8D JD", "trick 1 S: 5D 6D 8D", 23, "of each seat"),
        (PAIRS, "trick 1 S: 5D", "trick 1 S: 3C 5D", 23, "a card of each seat"),
        (PAIRS, " won by E\ntrick 2", "\ntrick 2", 24, "only the last trick"),
        (PAIRS, "trick 2 E: 2D", "trick 2 E: 5D", 24, "twice"),
        (TWO, "won by S", "won by W", 44, "there is no seat W"),
        (PAIRS, "trick 13 S: QC 7S JH JC won by W\n", "", 35, "no such line"),
        (PAIRS, "score NS", "trick 14 W: 2C 3C 4C 5C won by W\nscore NS", 36, "the score of NS"),
        (PAIRS, "score NS: bid=3", "score NS: bid=three", 36, "the score of NS"),
        (PAIRS, "score EW", "score NS", 37, "the score of EW"),
        (PAIRS, "made=no", "made=0", 36, "the score of NS"),
        (PAIRS, "[HandSeed", "[Handseed", 38, "the tag HandSeed"),
        (PAIRS, '"]\n\n[Hand "2"]', '"]\n\n[Status "finished"]\n[Hand "2"]', 41, "Winner"),
        (PAIRS, '[Winner "EW"]', '[Winner "N"]', 69, "the tag Winner"),
        (PAIRS, "NS=-218", "NS=-0218", 71, "the tag Points"),
        (PAIRS, "0" * 64 + '"]\n', "0" * 64 + '"]\n\n[Status "finished"]\n', 75, "no such line"),
        (PAIRS, '[Hands "2"]', '[Hands "12345678901234567"]', 73, "the tag Hands"),
    ],
)
def test_damage_is_refused_with_its_line(
    text: str, old: str, new: str, line: int, why: str
) -> None:
    assert old in text
    refused = refusal(text.replace(old, new, 1))
    assert (refused.facts["line"], why in refused.detail) == (line, True), refused.detail


def test_a_hand_without_a_score_is_the_last() -> None:
    lines = PAIRS.splitlines()
    played_out = "\n".join([*lines[:35], *lines[38:], ""])
    assert refusal(played_out).detail == "Line 36: the score of NS must stand here."
    unplayed = "\n".join([*lines[:34], *lines[38:], ""])
    assert refusal(unplayed).detail == "Line 36: only the last hand can be without a score."


@pytest.mark.parametrize("text", [PAIRS, PARTNERSHIP, TWO], ids=["pairs", "partnership", "two"])
def test_a_text_ends_with_a_newline_and_holds_nothing_else(text: str) -> None:
    last = text.count("\n")
    assert refusal(text[:-1]).facts["line"] == last
    assert refusal(text + "\n").facts["line"] in (last + 1, last + 2)
    assert refusal(text + "more").detail == f"Line {last + 1}: the line is not ended by a newline."
    assert refusal("\n" + text).facts["line"] == 1
    assert refusal(text.replace("\n", "\r\n")).facts["line"] == 1
    assert refusal("\ufeff" + text).facts["line"] == 1
    assert refusal("").facts["line"] == 1


@given(
    text=st.sampled_from([PAIRS, PARTNERSHIP, TWO, write(with_seed("ada-7f"))]),
    place=st.integers(min_value=0),
    letter=st.sampled_from(PAIRS) | st.characters(exclude_categories=[]),
)
def test_a_changed_letter_is_refused_or_changes_the_game(
    text: str, place: int, letter: str
) -> None:
    place %= len(text)
    changed = text[:place] + letter + text[place + 1 :]
    check_change(text, changed)


@given(
    text=st.sampled_from([PAIRS, PARTNERSHIP, TWO]),
    places=st.tuples(st.integers(min_value=0), st.integers(min_value=0)),
    how=st.sampled_from(["lost", "doubled", "moved"]),
)
def test_a_line_lost_doubled_or_moved_is_refused_or_changes_the_game(
    text: str, places: tuple[int, int], how: str
) -> None:
    lines = text.splitlines(keepends=True)
    one, other = (place % len(lines) for place in places)
    match how:
        case "lost":
            del lines[one]
        case "doubled":
            lines.insert(one, lines[one])
        case _:
            lines[one], lines[other] = lines[other], lines[one]
    check_change(text, "".join(lines))


def check_change(text: str, changed: str) -> None:
    told = read_or_line(changed)
    if isinstance(told, int):
        assert 1 <= told <= changed.count("\n") + 1
    else:
        assert write(told) == changed
        assert (told == read(text)) == (changed == text)


def read_or_line(text: str) -> Transcript | int:
    """The transcript of a text, or the line that it is refused for."""
    try:
        return read(text)
    except DamagedTranscript as refused:
        line: int = refused.facts["line"]
        return line


@pytest.mark.parametrize("text", [PAIRS, TWO], ids=["pairs", "two"])
def test_a_text_cut_between_lines_is_refused_or_an_earlier_part_of_the_game(text: str) -> None:
    lines, all_hands = text.splitlines(keepends=True), read(text).hands
    for cut in range(len(lines)):
        told = read_or_line("".join(lines[:cut]))
        if isinstance(told, int):
            assert told == cut + 1
        else:
            assert told.end is None
            assert told.hands[:-1] == all_hands[: max(0, len(told.hands) - 1)]


def test_nothing_is_written_that_is_no_game() -> None:
    told = read(PAIRS)
    assert told.end is not None
    hand = told.hands[0]
    no_games = [
        replace(told, game_id="7"),
        replace(told, algorithm='x"\n[GameCommit'),
        replace(told, players={**told.players, Seat.N: Player(PlayerKind.BOT, "No Vice")}),
        replace(told, players={**told.players, Seat.N: Player(PlayerKind.HUMAN, "novice")}),
        replace(told, hands=told.hands[1:]),
        replace(told, hands=(replace(hand, deal={}), told.hands[1])),
        replace(told, hands=(replace(hand, stock=cards(["2C"])), told.hands[1])),
        replace(told, hands=(replace(hand, score=None), told.hands[1])),
        replace(told, end=replace(told.end, game_seed="")),
        replace(told, end=replace(told.end, result=replace(told.end.result, reason="A B"))),
    ]
    for no_game in no_games:
        with pytest.raises(DamagedTranscript):
            write(no_game)
