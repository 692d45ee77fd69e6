"""Holds the verifier in JavaScript to all vectors and golden exports: `make crosscheck`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.golden import exports
from tests.support.vectors import vectors
from tests.support.verifiers import NODE, told_in_javascript

NO_NODE = "Node is not here, and the verifier in JavaScript needs it: install Node 20 or later."


def differences() -> Iterator[str]:
    """Yields where a verdict is not the one that it must be."""
    for vector in vectors():
        told = told_in_javascript(vector.content(), vector.keys())
        yield from vector.faults(told, has_policies=False)
    for folder in sorted(Path(exports.__file__).parent.glob("[0-9]*")):
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        jwks = json.loads(files.pop("jwks.json"))
        for finding in told_in_javascript(files, jwks)["findings"]:
            yield f"golden exports of {folder.name}: {finding}"


def main() -> None:
    """Tells each difference; ends with 1 if there is one."""
    if NODE is None:
        sys.exit(NO_NODE)
    found = list(differences())
    for difference in found:
        print(difference)
    if found:
        sys.exit(1)
    print(f"All {len(vectors())} vectors and the golden exports have the verdicts they must.")


if __name__ == "__main__":
    main()
