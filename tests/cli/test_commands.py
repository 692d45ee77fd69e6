"""The commands beside `serve`: help, exit codes, migrations, keys."""

import subprocess
import sys

import pytest
import requests

from spades.audit.signing import SigningKeys
from tests.support.command import Spades


def test_every_command_explains_itself(spades: Spades) -> None:
    keys = (["keys"], ["keys", "create"], ["keys", "rotate"])
    for words in ([], ["serve"], ["migrate"], *keys, ["replay"]):
        shown = spades(*words, "--help")
        assert shown.returncode == 0
        assert "Usage: " in shown.stdout


@pytest.mark.parametrize("words", [["shuffle"], ["keys", "create"], ["serve", "--fast"]])
def test_a_command_that_makes_no_sense_ends_with_2(spades: Spades, words: list[str]) -> None:
    refused = spades(*words)
    assert refused.returncode == 2
    assert "Usage: " in refused.stderr


def test_a_wrong_setting_ends_with_1_and_one_line(spades: Spades) -> None:
    spades.settings["SPADES_PORT"] = "eighty"
    refused = spades("serve")
    assert refused.returncode == 1
    assert refused.stderr.splitlines() == [
        "spades: SPADES_PORT: 'eighty' is not a whole number from 0 to 65535."
    ]


def test_what_gunicorn_reads_first_imports_no_driver() -> None:
    ask = "import spades.cli.workers, sys; print({'psycopg', 'flask', 'ssl'} & set(sys.modules))"
    said = subprocess.check_output([sys.executable, "-c", ask], text=True)
    assert said.strip() == "set()"


@pytest.mark.slow
def test_migrating_twice_changes_nothing(spades: Spades) -> None:
    assert "applied" in spades("migrate").stdout
    assert spades("migrate").stdout == "The database is up to date.\n"


@pytest.mark.slow
def test_a_key_is_made_shown_once_listed_and_revoked(spades: Spades) -> None:
    assert spades("migrate").returncode == 0
    made = spades("keys", "create", "Summer Cup")
    assert made.returncode == 0, made.stderr
    words = dict(line.split(maxsplit=1) for line in made.stdout.splitlines())
    assert words["key"].startswith("spk_")
    service = spades.serve()
    headers = {"Authorization": f"Bearer {words['key']}"}
    assert (
        requests.get(f"{service.url}/v1/games", headers=headers, timeout=10).json()["items"] == []
    )
    listed = spades("keys", "list").stdout
    assert "Summer Cup" in listed
    assert "valid" in listed
    assert words["key"] not in listed
    assert spades("keys", "revoke", words["id"]).returncode == 0
    assert "revoked" in spades("keys", "list").stdout
    assert requests.get(f"{service.url}/v1/games", headers=headers, timeout=10).status_code == 401
    again = spades("keys", "revoke", words["id"])
    assert (again.returncode, again.stderr) == (
        1,
        f"spades: There is no valid key {words['id']}.\n",
    )


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 65])
def test_an_unfit_name_is_refused(spades: Spades, name: str) -> None:
    refused = spades("keys", "create", name)
    assert refused.returncode == 2
    assert "printable characters" in refused.stderr


@pytest.mark.slow
def test_revoking_what_is_no_id_is_refused_in_words(spades: Spades) -> None:
    assert spades("migrate").returncode == 0
    refused = spades("keys", "revoke", "nonsense")
    assert (refused.returncode, refused.stderr) == (1, "spades: There is no valid key nonsense.\n")


@pytest.mark.parametrize("words", [("keys", "create", "cup"), ("keys", "list")])
def test_without_a_database_a_key_is_not_made_in_a_new_one(
    spades: Spades, words: tuple[str, ...]
) -> None:
    refused = spades(*words)
    assert refused.returncode == 1
    assert "There is no database" in refused.stderr
    assert not spades.data_dir.exists()


def test_a_new_signing_key_signs_and_the_old_one_stays(spades: Spades) -> None:
    file = spades.data_dir / "signing.key"
    spades.data_dir.mkdir()
    file.write_text(f"{'5e' * 32}\n")
    done = spades("keys", "rotate")
    assert done.returncode == 0, done.stderr
    newest, oldest = file.read_text().split()
    assert oldest == "5e" * 32
    kids = [key["kid"] for key in SigningKeys([bytes.fromhex(newest), b"\x5e" * 32]).jwks()["keys"]]
    assert done.stdout.splitlines() == [
        f"{kids[0]}  signs from the next start on",
        f"{kids[1]}  stays published",
    ]


@pytest.mark.parametrize(
    "given",
    [
        {"SPADES_SIGNING_KEYS": "5e" * 32},
        {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/spades"},
    ],
)
def test_signing_keys_of_the_environment_are_changed_there(
    spades: Spades, given: dict[str, str]
) -> None:
    spades.settings |= given
    refused = spades("keys", "rotate")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "put a new one in front" in refused.stderr
    assert "Make one with: python3 -c" in refused.stderr
    assert not spades.data_dir.exists()


def test_without_a_signing_key_none_is_made_in_a_new_place(spades: Spades) -> None:
    refused = spades("keys", "rotate")
    assert refused.returncode == 1
    assert "There is no signing key in" in refused.stderr
    assert not spades.data_dir.exists()
