"""The worked examples of the pages come out as printed when they are redone."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["dealing.md", "log-format.md"])
def test_docs_examples_come_out_as_printed(page: str) -> None:
    text = (DOCS / page).read_text()
    codes = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert codes
    for code in codes:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        for value in done.stdout.split():
            assert value in text.replace(code, "")


@pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "openssl", "sha256sum"))),
    reason="bash, openssl or sha256sum is not installed here",
)
def test_docs_example_by_hand_comes_out_as_printed() -> None:
    text = (DOCS / "audit.md").read_text()
    code, printed = re.findall(
        r"<!-- example -->\n```sh\n(.*?)```\n\n```text\n(.*?)```", text, flags=re.DOTALL
    )[0]
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert re.findall(r"\b[0-9a-f]{64}\b", done.stdout) == printed.split()
