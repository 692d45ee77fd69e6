"""A game over the API, with the token of every seat in hand."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.support.client import Answer, ApiClient
from tests.support.house import chosen

Json = dict[str, Any]


@dataclass
class Game:
    """A game of people, and chance of its own to choose for them."""

    client: ApiClient
    id: str
    tokens: dict[str, str]
    chance: Random

    @classmethod
    def of(cls, client: ApiClient, ruleset: str, seed: int = 1, **body: Any) -> "Game":
        seats = ("N", "S") if ruleset == "two-player" else ("N", "E", "S", "W")
        people = {seat: {"kind": "human"} for seat in seats}
        wanted = {"ruleset": ruleset, "seats": people, "dealer": "N", **body}
        created = client.create(wanted)
        assert created.status == 201, created.body
        return cls(client, created.body["game"]["id"], created.body["tokens"], Random(seed))

    def seat(self, seat: str) -> ApiClient:
        return self.client.bearing(self.tokens[seat])

    def view(self, seat: str) -> Json:
        body: Json = self.seat(seat).view(self.id).body
        return body

    @property
    def turn(self) -> str:
        """A seat that may act."""
        seats = self.client.view(self.id).body["turn"]["seats"]
        return str(self.chance.choice(seats))

    @property
    def version(self) -> int:
        return int(self.client.view(self.id).body["version"])

    def act(self, seat: str, action: Json) -> Answer:
        return self.seat(seat).act(self.id, action)

    def next_action(self, prefer: str | None = None) -> tuple[str, Json]:
        """A seat to act and an action of it: of the north the preferred type, if it is legal.

        The other seats look at their cards.
        """
        seat = self.turn
        view = self.view(seat)
        kind = prefer if seat == "N" else "look"
        wanted = [action for action in view["legal_actions"] if action["type"] == kind]
        return seat, wanted[0] if wanted else chosen(view, self.chance)

    def play_until(self, stop: Callable[[Json], bool], prefer: str | None = None) -> Json:
        """Plays until a spectator's view is as wanted; returns that view."""
        for _ in range(2000):
            view: Json = self.client.view(self.id).body
            if stop(view):
                return view
            seat, action = self.next_action(prefer)
            assert self.act(seat, action).status == 200
        raise AssertionError("the game never came to that")

    def play_to(self, phase: str, prefer: str | None = None) -> Json:
        return self.play_until(lambda view: view["phase"] == phase, prefer)
