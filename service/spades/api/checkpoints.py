"""Checkpoints of all games over HTTP, and the keys that sign them."""

from typing import Any

from flask import Response

from spades.api.answers import json_answer
from spades.api.audit_contract import (
    BEFORE,
    CHECKPOINTS,
    FIRST_SIZE,
    LARGEST_TREE,
    LIST_CHECKPOINTS,
    MAKE_CHECKPOINT,
    READ_CHECKPOINT,
    READ_CONSISTENCY,
    READ_KEYS,
    READ_LATEST_CHECKPOINT,
    SECOND_SIZE,
    SIZE,
)
from spades.api.callers import platform_of
from spades.api.operations import Operations
from spades.api.parameters import whole_in_path
from spades.api.service import Service, service
from spades.audit.checkpoints import TYP
from spades.audit.log import JsonObject
from spades.errors import InvalidParameter
from spades.tables.checkpoints import tree_head

checkpoints = Operations("checkpoints", "Signed tree heads over all games, and proofs in them.")


@checkpoints.operation("POST", "/v1/checkpoints", MAKE_CHECKPOINT)
def make_checkpoint() -> Response:
    """Makes a checkpoint."""
    here = service()
    platform_of(here.caller())
    return json_answer(signed(here, here.checkpoints.make()))


@checkpoints.operation("GET", "/v1/checkpoints", LIST_CHECKPOINTS)
def list_checkpoints() -> Response:
    """Lists checkpoints."""
    here = service()
    before, limit = BEFORE.value(), CHECKPOINTS.value()
    found = here.store.checkpoints(before, limit + 1)
    shown = [signed(here, tree_head(checkpoint)) for checkpoint in found[:limit]]
    more = (
        f"/v1/checkpoints?limit={limit}&before={found[limit - 1].size}" if found[limit:] else None
    )
    return json_answer({"items": shown, "next": more})


@checkpoints.operation("GET", "/v1/checkpoints/latest", READ_LATEST_CHECKPOINT)
def read_latest_checkpoint() -> Response:
    """Serves the last checkpoint."""
    here = service()
    return json_answer(signed(here, here.checkpoints.read()))


@checkpoints.operation("GET", "/v1/checkpoints/consistency", READ_CONSISTENCY)
def read_consistency() -> Response:
    """Proves that a checkpoint continues an earlier one."""
    first, second = FIRST_SIZE.value(), SECOND_SIZE.value()
    if first > second:
        raise InvalidParameter("Must not exceed second_size.", parameter="first_size")
    return json_answer(service().checkpoints.consistency(first, second))


@checkpoints.operation("GET", "/v1/checkpoints/<tree_size>", READ_CHECKPOINT, SIZE)
def read_checkpoint(tree_size: str) -> Response:
    """Serves the checkpoint of a size."""
    here = service()
    size = whole_in_path("tree_size", tree_size, 1, LARGEST_TREE)
    return json_answer(signed(here, here.checkpoints.read(size)))


@checkpoints.operation("GET", "/.well-known/jwks.json", READ_KEYS)
def read_keys() -> Response:
    """Serves the public keys."""
    return json_answer(service().signing.jwks(), headers={"Cache-Control": "max-age=300"})


def signed(here: Service, head: JsonObject) -> dict[str, Any]:
    """Returns a tree head with its signature."""
    return {**head, "jws": here.signing.sign(head, TYP)}
