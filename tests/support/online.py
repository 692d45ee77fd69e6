"""Games over HTTP: people who play at random within what their views offer them."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.support.client import Answer, ApiClient
from tests.support.house import chosen

Json = dict[str, Any]
SEATS = {"two-player": "NS", "partnership": "NESW", "pairs": "NESW"}


@dataclass
class Online:
    """One game, with the tokens of the seats that people sit in and all they were answered."""

    client: ApiClient
    chance: Random
    game_id: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    answers: list[tuple[str, Answer]] = field(default_factory=list)
    keep_answers: bool = False

    def create(
        self, ruleset: str, options: Json | None = None, kinds: dict[str, str] | None = None
    ) -> "Online":
        """Creates a game; seats not named are human, open ones are claimed at once."""
        seats = {s: {"kind": (kinds or {}).get(s, "human")} for s in SEATS[ruleset]}
        body = {"ruleset": ruleset, "options": options or {}, "seats": seats}
        created = self.client.create(body)
        assert created.status == 201, created.body
        self.game_id = created.body["game"]["id"]
        self.tokens = dict(created.body["tokens"])
        for seat, code in created.body["join_codes"].items():
            claimed = self.client.claim(self.game_id, seat, code, client_seed=f"seed ♠ {seat}")
            assert claimed.status == 200, claimed.body
            self.tokens[seat] = claimed.body["token"]
        return self

    def seat(self, seat: str) -> ApiClient:
        """The client of whoever sits there."""
        return self.client.bearing(self.tokens[seat])

    def view(self, seat: str) -> Json:
        """What a seat sees now."""
        answer = self.seat(seat).view(self.game_id)
        assert answer.status == 200, answer.body
        self._note(seat, answer)
        return dict(answer.body)

    def act(self, seat: str, action: Json) -> Json:
        """Acts for a seat and returns its new view."""
        answer = self.seat(seat).act(self.game_id, action)
        assert answer.status == 200, answer.body
        self._note(seat, answer)
        return dict(answer.body["view"])

    def play(self, moves: int = 1_000_000) -> Json:
        """Plays so many moves, or to the end; returns the last view seen."""
        view = self.view(next(iter(self.tokens)))
        for _ in range(moves):
            if view["status"] == "finished":
                break
            seat = self.chance.choice([s for s in view["turn"]["seats"] if s in self.tokens])
            if view["viewer"]["seat"] != seat:
                view = self.view(seat)
            view = self.act(seat, chosen(view, self.chance))
        return view

    def _note(self, seat: str, answer: Answer) -> None:
        if self.keep_answers:
            self.answers.append((seat, answer))
