"""The record of one hand, put together from its events as a viewer may see them."""

from collections.abc import Iterable
from typing import Any

from spades.audit.log import JsonObject

Served = list[JsonObject]


def hand_record(events: Served, number: int) -> JsonObject | None:
    """Returns the record of hand `number`, None if it has not been dealt.

    Cards that the viewer may not see are null.
    """
    own = _of_hand(events, number)
    if not own:
        return None
    start, score = own[0]["data"], _only(own, "hand_scored")
    return {
        "number": number,
        "dealer": start["dealer"],
        "first_version": own[0]["version"],
        "last_version": own[-1]["version"],
        "hand_commit": start["hand_commit"],
        "hand_seed": score["hand_seed"] if score else None,
        "holdings": _holdings(start),
        "stock": _value(start.get("stock")),
        "draft": _draft(own) if "stock" in start else None,
        "bids": _bids(own),
        "exchanges": [_exchange(event) for event in own if event["type"] == "cards_exchanged"],
        "tricks": [_trick(event) for event in own if event["type"] == "trick_taken"],
        "sides": score["sides"] if score else None,
    }


def _of_hand(events: Served, number: int) -> Served:
    starts = [place for place, event in enumerate(events) if event["type"] == "hand_started"]
    if not 1 <= number <= len(starts):
        return []
    start, later = starts[number - 1], starts[number:]
    own = events[start : later[0] if later else len(events)]
    return [event for event in own if event["type"] not in ("game_finished", "game_aborted")]


def _only(events: Iterable[JsonObject], kind: str) -> JsonObject | None:
    return next((event["data"] for event in events if event["type"] == kind), None)


def _value(leaf: JsonObject | None) -> Any:
    return leaf.get("value") if leaf else None


def _holdings(start: JsonObject) -> JsonObject | None:
    if "holdings" not in start:
        return None
    return {seat: _value(leaf) for seat, leaf in start["holdings"].items()}


def _draft(events: Served) -> list[JsonObject]:
    return [
        {
            "turn": event["data"]["turn"],
            "seat": event["seat"],
            "kept_first": event["type"] == "card_kept",
            "kept": _value(event["data"]["kept"]),
            "discarded": _value(event["data"].get("discarded") or event["data"].get("refused")),
        }
        for event in events
        if event["type"] in ("card_kept", "card_refused")
    ]


def _bids(events: Served) -> list[JsonObject]:
    return [
        {
            "seat": event["seat"],
            "tricks": event["data"].get("tricks", 0),
            "nil": event["data"].get("tricks") == 0,
            "double_nil": event["type"] == "double_nil_bid",
        }
        for event in events
        if event["type"] in ("double_nil_bid", "bid_made")
    ]


def _exchange(event: JsonObject) -> JsonObject:
    data = event["data"]
    return {
        "seat": event["seat"],
        "count": data.get("count"),
        "given": _value(data.get("given") or data.get("thrown")),
        "drawn": _value(data.get("drawn")),
    }


def _trick(event: JsonObject) -> JsonObject:
    data = event["data"]
    return {
        "number": data["number"],
        "leader": data["leader"],
        "cards": data["cards"],
        "winner": event["seat"],
    }
