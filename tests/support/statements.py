"""Signed results and checkpoints of games, with proofs, to verify and to tamper with."""

from functools import cache
from typing import Any
from uuid import UUID

from spades.audit import checkpoints, results
from spades.audit.exports import export_of
from spades.audit.signing import SigningKeys
from spades.game.audience import SPECTATOR
from spades.game.rulesets import RULESETS
from spades.tables import Checkpoints, Results
from tests.support.exports import BOTS, played
from tests.support.house import NOON, House

KEYS = SigningKeys([bytes(range(32)), b"\7" * 32])
STRANGER = SigningKeys([b"\x17" * 32])
JWKS = KEYS.jwks()
SIZES = (3, 9)

Json = dict[str, Any]


def signed_result(payload: Json, keys: SigningKeys = KEYS) -> Json:
    return {**payload, "jws": keys.sign(payload, results.TYP)}


def signed_head(payload: Json, keys: SigningKeys = KEYS) -> Json:
    return {**payload, "jws": keys.sign(payload, checkpoints.TYP)}


class Office:
    """Three finished games and a checkpoint of them, then six more and another checkpoint."""

    def __init__(self, seed: int = 7, first_id: int = 1) -> None:
        self.house = House(seed=seed, first_id=first_id)
        issues = (str(UUID(int=number)) for number in range(1001, 2000))
        store, tables = self.house.store, self.house.tables
        self.results = Results(store, tables, lambda: NOON, lambda: next(issues))
        self.checkpoints = Checkpoints(store, lambda: NOON)
        self.games = [self._played(ruleset, 7) for ruleset in RULESETS]
        self.first = self.checkpoints.make()
        self.games += [self._played(ruleset, seed) for seed in (8, 9) for ruleset in RULESETS]
        self.second = self.checkpoints.make()

    def _played(self, ruleset: str, seed: int) -> str:
        table = played(ruleset, seed, house=self.house, bots=BOTS[ruleset], reissues=True)
        return table.ledger.game_id

    def export(self, game: int) -> bytes:
        return export_of(self.house.tables.whole(self.games[game]).ledger, SPECTATOR)

    def result(self, game: int) -> Json:
        return self.results.result(self.games[game])

    def inclusion(self, game: int, size: int) -> Json:
        return self.checkpoints.inclusion(self.games[game], size)

    def consistency(self) -> Json:
        return self.checkpoints.consistency(*SIZES)


@cache
def office() -> Office:
    return Office()
