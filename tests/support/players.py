"""People who play over HTTP at random, within what their views offer them."""

from collections.abc import Callable
from random import Random
from typing import Any

Json = dict[str, Any]


def chosen(view: Json, chance: Random) -> Json:
    """Returns one of a view's legal actions, an exchange with cards chosen."""
    action: Json = dict(chance.choice(view["legal_actions"]))
    if choice := action.pop("choose", None):
        wanted = chance.randint(choice["min"], choice["max"])
        action["cards"] = chance.sample(choice["from"], wanted)
    return action


def play_on(
    view_of: Callable[[str], Json],
    act: Callable[[str, Json], Json],
    people: list[str],
    chance: Random,
    most: int = 100_000,
) -> Json:
    """Plays until the game is over or so many actions are done; returns the last view.

    `view_of` gets a seat's view, `act` sends an action for a seat and returns the new view.
    """
    view = view_of(people[0])
    for _ in range(most):
        if view["status"] in ("finished", "aborted"):
            break
        seat = chance.choice([seat for seat in view["turn"]["seats"] if seat in people])
        if view["viewer"]["seat"] != seat:
            view = view_of(seat)
        view = act(seat, chosen(view, chance))
    return view
