"""`spades verify`: exports, results and checkpoints checked with no server and no database."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import orjson

from spades.audit.json_text import read_json
from spades.audit.log import JsonObject
from spades.audit.verifier import Verification, verified
from spades.bots import VERSIONS

IN_JSON = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
A_FILE = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=A_FILE)
@click.option("--jwks", type=A_FILE, help="The JWK Set with the keys that may have signed.")
@click.option("--json", "as_json", is_flag=True, help="Tell everything as one JSON object.")
def verify(files: tuple[Path, ...], jwks: Path | None, as_json: bool) -> None:
    """Verify each FILE: exports, signed results, checkpoints, proofs.

    Recomputes everything that a file says from the file itself, then holds the files against
    one another. Ends with 0 if nothing is wrong, with 1 and a line for each finding if
    something is. docs/audit.md tells what this proves.
    """
    contents = {str(path): path.read_bytes() for path in files}
    told = verified(contents, _key_set(jwks) if jwks else None, VERSIONS)
    if as_json:
        click.echo(orjson.dumps(told.as_json(), option=IN_JSON))
    else:
        for line in _lines(told):
            click.echo(line)
    sys.exit(0 if told.is_clean else 1)


def _key_set(path: Path) -> JsonObject:
    try:
        value = read_json(path.read_bytes())
    except ValueError as error:
        raise click.BadParameter(f"{path} is no JSON: {error}.", param_hint="--jwks") from error
    if not isinstance(value, dict) or not isinstance(value.get("keys"), list):
        raise click.BadParameter(f"{path} is no JWK Set.", param_hint="--jwks")
    return value


def _lines(told: Verification) -> Iterator[str]:
    wrong = {name for name, _ in told.findings}
    for file in told.files:
        yield _about(file, "failed" if file["file"] in wrong else "passed")
    for name, finding in told.findings:
        yield f"{name}: {finding}"
    count = len(told.findings)
    yield "Nothing is wrong." if told.is_clean else f"{count} finding{'s' if count > 1 else ''}."


def _about(file: JsonObject, verdict: str) -> str:
    if file["kind"] == "export":
        if file["game_id"] is None:
            return f"{file['file']}: no export"
        checks = ", ".join(f"{check} {came}" for check, came in file["checks"].items())
        return f"{file['file']}: game {file['game_id']} as {file['viewer']} sees it: {checks}"
    game = f" of game {file['game_id']}" if "game_id" in file else ""
    signature = {None: "", "open": ", signature not checked (no --jwks)"}.get(
        file["signature"], f", signature {file['signature']}"
    )
    return f"{file['file']}: {file['format']}{game}: {verdict}{signature}"
