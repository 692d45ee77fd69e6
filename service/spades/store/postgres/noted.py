"""How what is noted of a game in PostgreSQL is written, and read back whatever became of it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import orjson

from spades.audit.log import JsonObject
from spades.errors import DamagedLog
from spades.store.model import Issue, Profile

PARTS = ("name", "player_ref")
T = TypeVar("T")


def profile_json(profile: Profile) -> JsonObject:
    """Returns a profile as it is stored."""
    return {"name": profile.name, "player_ref": profile.player_ref}


def profiles_json(profiles: Mapping[str, Profile]) -> JsonObject:
    """Returns profiles by seat as they are stored."""
    return {seat: profile_json(profile) for seat, profile in profiles.items()}


def profiles_of(stored: Any) -> dict[str, Profile]:
    """Returns stored profiles by seat; raises DamagedLog."""
    if not isinstance(stored, dict):
        raise DamagedLog("The players noted of a game can't be read.")
    return {seat: profile_of(profile) for seat, profile in stored.items()}


def legible(text: str, read: Callable[[Any], dict[str, T]]) -> dict[str, T]:
    """Returns what a stored JSON text says, nothing if it can't be read or told again."""
    try:
        stored = orjson.loads(text)
        orjson.dumps(stored)
        return read(stored)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError, DamagedLog):
        return {}


def profile_of(stored: Any) -> Profile:
    """Returns a stored profile; raises DamagedLog."""
    is_whole = isinstance(stored, dict) and stored.keys() <= set(PARTS)
    if not is_whole or not all(isinstance(part, str | None) for part in stored.values()):
        raise DamagedLog("A player noted of a game can't be read.")
    return Profile(**stored)


def generations_of(stored: Any) -> dict[str, int]:
    """Returns the stored generations of a game's viewer tokens; raises DamagedLog."""
    if not isinstance(stored, dict) or any(type(number) is not int for number in stored.values()):
        raise DamagedLog("The generations of a game's tokens can't be read.")
    return stored


def issue_json(issue: Issue) -> JsonObject:
    """Returns an issue as it is stored."""
    return {"id": issue.id, "issued_at": issue.issued_at.isoformat()}


def last_issue(stored: Any) -> Issue | None:
    """Returns the last of a result's stored issues; raises DamagedLog."""
    try:
        issues = [
            (str(UUID(one["id"])), datetime.fromisoformat(one["issued_at"])) for one in stored[-2:]
        ]
    except (TypeError, KeyError, ValueError, AttributeError) as damage:
        raise DamagedLog("The issues of a game's result can't be read.") from damage
    if not issues:
        return None
    supersedes = issues[0][0] if len(issues) > 1 else None
    return Issue(*issues[-1], supersedes)
