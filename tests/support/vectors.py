"""The published vectors of `docs/vectors`, and what a verifier must say of them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "vectors"
CALLED_OTHERWISE = {"inclusion": "checkpoint", "consistency": "checkpoint", "agreement": "exports"}


@dataclass(frozen=True)
class Vector:
    """Files to verify together, and the verdict: the check that fails, and at which event."""

    name: str
    files: tuple[str, ...]
    jwks: str | None
    ok: bool
    check: str | None
    version: int | None
    says: str

    @property
    def needs_policies(self) -> bool:
        """Whether only a verifier that has the bots' policies can tell."""
        return self.check == "bots"

    def content(self) -> dict[str, bytes]:
        """The files by name."""
        return {name: (FOLDER / name).read_bytes() for name in self.files}

    def keys(self) -> Any:
        """The JWK Set to verify with, if there is one."""
        return json.loads((FOLDER / self.jwks).read_text()) if self.jwks else None

    def faults(self, told: Mapping[str, Any], has_policies: bool) -> Iterator[str]:
        """Yields where what a verifier told of the files is not the verdict."""
        ok = self.ok or (self.needs_policies and not has_policies)
        findings = [(known(f["check"]), f["version"]) for f in told["findings"]]
        if told["ok"] is not ok or bool(findings) is ok:
            yield f"{self.name}: ok is {told['ok']} instead of {ok}"
        elif self.check and not ok and self.check not in {check for check, _ in findings}:
            yield f"{self.name}: {self.check} is not found"
        elif self.version and not ok and (self.check, self.version) not in findings:
            yield f"{self.name}: {self.check} is not found at event {self.version}"


def known(check: str) -> str:
    """The word that the vectors have for what a verifier calls a check between files."""
    return CALLED_OTHERWISE.get(check, check)


def vectors() -> list[Vector]:
    told = json.loads((FOLDER / "vectors.json").read_text("utf-8"))
    return [Vector(**{**vector, "files": tuple(vector["files"])}) for vector in told["vectors"]]
