"""The OpenAPI document as a judge of answers."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from jsonschema_rs import Draft202012Validator, Registry

BASE = "urn:contract"
JSON = ("application/json", "application/problem+json")
NO_ROUTE = ("route_not_found", "method_not_allowed")


class Contract:
    """Says of every answer whether the document promises it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._registry = Registry([(BASE, document)])
        self._judges: dict[str, Draft202012Validator] = {}
        self._paths = [(_pattern(path), path) for path in document["paths"]]

    def check(
        self, method: str, url: str, status: int, headers: Mapping[str, str], content: bytes
    ) -> None:
        """Raises AssertionError if the document does not promise this answer."""
        said = f"{method} {url.partition('?')[0]} answered {status}"
        assert "X-Request-Id" in headers, f"{said} without a request id"
        operation = self.operation(method, self.path_of(url))
        if method == "OPTIONS":
            assert (status, content) == (200, b""), said
        elif operation is None:
            self._check_stray(said, method, status, content)
        else:
            media_type = headers.get("Content-Type", "").partition(";")[0]
            self._check(said, operation, method, status, media_type, content)

    def path_of(self, url: str) -> str | None:
        """Returns the path template that a URL belongs to."""
        bare = url.partition("?")[0]
        return next((path for pattern, path in self._paths if pattern.fullmatch(bare)), None)

    def operation(self, method: str, path: str | None) -> tuple[str, str] | None:
        """Returns the place of an operation; HEAD is documented by its GET."""
        known = "get" if method == "HEAD" else method.lower()
        if path is None or known not in self.document["paths"][path]:
            return None
        return path, known

    def faults(self, value: Any, *place: str) -> list[str]:
        """Returns what is wrong with a value by the schema at a place of the document."""
        errors = self._judge(place).iter_errors(value)
        return [f"/{'/'.join(map(str, e.instance_path))}: {e.message[:300]}" for e in errors]

    def _judge(self, place: tuple[str, ...]) -> Draft202012Validator:
        pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in place)
        if pointer not in self._judges:
            self._judges[pointer] = Draft202012Validator(
                {"$ref": f"{BASE}#/{quote(pointer, safe='/~')}"},
                registry=self._registry,
                validate_formats=True,
            )
        return self._judges[pointer]

    def _check_stray(self, said: str, method: str, status: int, content: bytes) -> None:
        assert status in (404, 405), f"{said}, but the document does not know it"
        if method != "HEAD":
            self._check_value(said, content, "components", "schemas", "Problem")
            assert json.loads(content)["code"] in NO_ROUTE, said

    def _check(
        self,
        said: str,
        operation: tuple[str, str],
        method: str,
        status: int,
        media_type: str,
        content: bytes,
    ) -> None:
        path, known = operation
        responses = self.document["paths"][path][known]["responses"]
        assert str(status) in responses, f"{said}: {content[:500]!r}"
        promised = responses[str(status)].get("content", {})
        if method == "HEAD" or not promised:
            assert content == b"", f"{said} with a body"
        elif "*/*" not in promised:
            assert media_type in promised, f"{said} as {media_type}, not {sorted(promised)}"
            if media_type in JSON:
                place = ("paths", path, known, "responses", str(status), "content", media_type)
                self._check_value(said, content, *place, "schema")

    def _check_value(self, said: str, content: bytes, *place: str) -> None:
        faults = self.faults(json.loads(content), *place)
        assert not faults, f"{said}, but {'; '.join(faults[:3])}"


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"\{[^}]+\}", path)
    return re.compile("[^/]+".join(re.escape(part) for part in parts))
