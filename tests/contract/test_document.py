"""The contract: complete, valid, and the same as what the service is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate

from spades.api.document import EXAMPLES, document_bytes
from spades.api.errors import ANSWERS
from spades.api.export import example_app, record, written
from spades.api.reference import reference
from spades.game.events import READERS
from tests.support.client import CONTRACT, exported

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = exported().document
OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if method in ("get", "post", "put", "patch", "delete")
]
IDS = [operation["operationId"] for _, _, operation in OPERATIONS]
WITHOUT_EXAMPLES = ("readDocument", "readDocs", "readDocsAsset")

each_operation = pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=IDS)


def test_the_exported_document_has_no_drift():
    assert document_bytes(example_app()) == CONTRACT.read_bytes(), "run: make spec"


def test_the_recorded_examples_have_no_drift():
    assert written(record()) == EXAMPLES.read_bytes(), "run: make spec"


def test_the_page_of_errors_has_no_drift():
    page = (ROOT / "docs" / "errors.md").read_text()
    assert page == reference(), "run: make spec"


def test_the_served_document_is_the_exported_one():
    assert example_app().test_client().get("/openapi.json").data == CONTRACT.read_bytes()


def test_the_document_is_valid():
    validate(DOCUMENT)
    assert DOCUMENT["openapi"].startswith("3.1")


def test_operation_ids_are_unique():
    assert len(set(IDS)) == len(IDS)


def test_every_route_is_described_and_every_path_is_a_route():
    rules = {
        (re.sub(r"<(?:path:)?([^>]+)>", r"{\1}", rule.rule), method.lower())
        for rule in example_app().url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert rules == {(path, method) for path, method, _ in OPERATIONS}


@each_operation
def test_every_operation_is_described(path: str, method: str, operation: dict[str, Any]):
    for member in ("operationId", "summary", "description", "security", "tags", "responses"):
        assert operation[member], member
    described = [*DOCUMENT["paths"][path].get("parameters", []), *operation.get("parameters", [])]
    assert all(parameter["description"] for parameter in described)
    in_path = {parameter["name"] for parameter in described if parameter["in"] == "path"}
    assert in_path == set(re.findall(r"\{(\w+)\}", path))


@each_operation
def test_every_answer_of_an_operation_is_described(
    path: str, method: str, operation: dict[str, Any]
):
    for status, response in operation["responses"].items():
        assert response["description"]
        if int(status) >= 400:
            problem = response["content"]["application/problem+json"]
            codes = problem["schema"]["allOf"][1]["properties"]["code"]["enum"]
            assert set(problem["examples"]) == set(codes)
    assert {"406", "500"} <= set(operation["responses"])


@each_operation
def test_examples_are_there_and_fit_their_schemas(
    path: str, method: str, operation: dict[str, Any]
):
    place = ("paths", path, method)
    if "requestBody" in operation:
        media = operation["requestBody"]["content"]["application/json"]
        assert media["examples"]
        request = (*place, "requestBody", "content", "application/json", "schema")
        for example in media["examples"].values():
            assert exported().faults(example["value"], *request) == []
    for status, response in operation["responses"].items():
        media = response.get("content", {}).get("application/json")
        if media is None or operation["operationId"] in WITHOUT_EXAMPLES:
            continue
        schema = (*place, "responses", status, "content", "application/json", "schema")
        assert media["examples"], status
        for example in media["examples"].values():
            assert exported().faults(example["value"], *schema) == []


def test_examples_of_problems_fit_the_schema_of_problems():
    for code, example in DOCUMENT["components"]["examples"].items():
        assert example["value"]["code"] == code
        assert exported().faults(example["value"], "components", "schemas", "Problem") == []


def test_every_code_belongs_to_an_operation_or_to_no_route():
    documented = {
        code
        for _, _, operation in OPERATIONS
        for status, response in operation["responses"].items()
        if int(status) >= 400
        for code in response["content"]["application/problem+json"]["examples"]
    }
    known = {answer.code for answer in ANSWERS}
    assert known - documented == {"method_not_allowed"}
    assert documented <= known


def test_every_event_type_is_described():
    mapping = DOCUMENT["components"]["schemas"]["Event"]["discriminator"]["mapping"]
    assert set(mapping) == set(READERS)


@pytest.mark.parametrize("union", ["Action", "LegalAction", "Event"])
def test_the_parts_of_a_union_are_told_apart_by_their_type(union: str):
    schemas = DOCUMENT["components"]["schemas"]
    told = schemas[union]["discriminator"]
    assert [part["$ref"] for part in schemas[union]["oneOf"]] == list(told["mapping"].values())
    for word, reference_ in told["mapping"].items():
        part = schemas[reference_.rpartition("/")[2]]
        assert part["properties"]["type"]["enum"] == [word]
        assert "type" in part["required"]


def test_answers_may_grow_and_requests_may_not():
    """A new field of an answer is no breaking change; an unknown one of a request is a fault."""
    schemas = DOCUMENT["components"]["schemas"]
    closed = {name for name, s in schemas.items() if s.get("additionalProperties") is False}
    actions = schemas["Action"]["discriminator"]["mapping"].values()
    requests = {"GameWanted", "SeatsWanted", "SeatWanted", "OptionsWanted", "Claim"}
    requests |= {"TokenWanted", "PlayerWanted", "SeatedWanted"}
    assert closed == requests | {action.rpartition("/")[2] for action in actions}


def test_every_component_is_used():
    text = json.dumps(DOCUMENT)
    for kind in ("schemas", "examples"):
        for name in DOCUMENT["components"][kind]:
            if (kind, name) != ("examples", "method_not_allowed"):
                assert f'"#/components/{kind}/{name}"' in text, name


def test_no_outside_host_is_named():
    assert not re.search(rb"https?://(?!json-schema\.org)", CONTRACT.read_bytes())
