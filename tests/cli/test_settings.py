"""Settings are read once, refused clearly, and never print a secret."""

from pathlib import Path

import pytest

from spades.config import SETTINGS, Setting, Settings
from spades.errors import ConfigurationError

KEY = "k" * 32
SEED = "5e" * 32
URL = "postgresql://ada:hunter2@db.example:5432/spades"


def test_nothing_set_serves_an_embedded_database_openly_on_this_machine() -> None:
    settings = Settings.from_environment({})
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.is_embedded
    assert settings.open_create
    assert settings.data_dir == Path.cwd() / ".spades"
    assert settings.workers >= 1


def test_a_database_url_closes_creation() -> None:
    assert not Settings.from_environment({"DATABASE_URL": URL}).open_create
    assert Settings.from_environment({"DATABASE_URL": URL, "SPADES_OPEN_CREATE": "1"}).open_create


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "SPADES_SECRET_KEYS"),
        ({"SPADES_SECRET_KEYS": KEY}, "SPADES_SIGNING_KEYS"),
        ({"SPADES_SIGNING_KEYS": SEED}, "SPADES_SECRET_KEYS"),
    ],
)
def test_a_database_url_without_both_kinds_of_keys_refuses_to_serve(
    given: dict[str, str], missing: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"{missing} is needed.*Make one with: python3"):
        Settings.from_environment({"DATABASE_URL": URL, **given}).ready_to_serve()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_setting_is_refused_by_name(setting: Setting, empty: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{setting.name} is empty"):
        Settings.from_environment({setting.name: empty})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPADES_HOST", "http://localhost"),
        ("SPADES_HOST", "localhost:80"),
        ("SPADES_PORT", "eighty"),
        ("SPADES_PORT", "65536"),
        ("SPADES_PORT", "-1"),
        ("SPADES_PORT", "80.0"),
        ("SPADES_PORT", "\N{ARABIC-INDIC DIGIT EIGHT}"),
        ("SPADES_WORKERS", "0"),
        ("SPADES_WORKERS", "many"),
        ("DATABASE_URL", "mysql://db/spades"),
        ("DATABASE_URL", "db.example:5432"),
        ("DATABASE_URL", "postgresql://db.example:port/spades"),
        ("DATABASE_URL", "postgresql://db.example"),
        ("DATABASE_DIRECT_URL", URL),
        ("SPADES_SECRET_KEYS", "short"),
        ("SPADES_SECRET_KEYS", f"{KEY},short"),
        ("SPADES_SECRET_KEYS", f"{KEY},{KEY}"),
        ("SPADES_SECRET_KEYS", f"{KEY},"),
        ("SPADES_SIGNING_KEYS", SEED[:-1]),
        ("SPADES_SIGNING_KEYS", f"{SEED}00"),
        ("SPADES_SIGNING_KEYS", "g" * 64),
        ("SPADES_SIGNING_KEYS", f"{SEED},"),
        ("SPADES_SIGNING_KEYS", f"{SEED},{SEED.upper()}"),
        ("SPADES_OPEN_CREATE", "perhaps"),
        ("SPADES_CORS_ORIGINS", "example.org"),
        ("SPADES_CORS_ORIGINS", "https://example.org/path"),
        ("SPADES_CORS_ORIGINS", "https://*.example.org"),
        ("SPADES_LOG_LEVEL", "loud"),
    ],
)
def test_nonsense_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        Settings.from_environment({name: value})


@pytest.mark.parametrize("name", ["SPADES_SECRET_KEYS", "SPADES_SIGNING_KEYS"])
def test_a_refused_key_is_not_repeated(name: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Settings.from_environment({name: "hunter2"})
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("url", [URL, "postgres:///spades?host=/run/pg&password=hunter2"])
def test_printing_shows_no_secret(url: str) -> None:
    keys = {"SPADES_SECRET_KEYS": KEY, "SPADES_SIGNING_KEYS": f"{SEED},{'07' * 32}"}
    settings = Settings.from_environment({"DATABASE_URL": url, **keys})
    for text in (str(settings.describe()), repr(settings), str(settings)):
        assert not any(secret in text for secret in ("hunter2", KEY, SEED, "^" * 32, "07" * 32))
    assert settings.describe()["SPADES_SECRET_KEYS"] == "1 set"
    assert settings.describe()["SPADES_SIGNING_KEYS"] == "2 set"


def test_a_signing_key_is_the_32_bytes_written_in_either_case() -> None:
    settings = Settings.from_environment({"SPADES_SIGNING_KEYS": f"{SEED}, {'AB' * 32}"})
    assert settings.signing_keys == (b"\x5e" * 32, b"\xab" * 32)


def test_another_process_reads_the_same_settings_from_their_environment() -> None:
    settings = Settings.from_environment(
        {
            "DATABASE_URL": URL,
            "DATABASE_DIRECT_URL": URL,
            "SPADES_SECRET_KEYS": f"{KEY}, {KEY}2",
            "SPADES_SIGNING_KEYS": f"{SEED}, {'AB' * 32}",
            "SPADES_CORS_ORIGINS": "https://a.example, https://b.example:8443",
            "SPADES_PORT": "0",
            "SPADES_HOST": "::1",
            "SPADES_LOG_LEVEL": "DEBUG",
        }
    )
    assert Settings.from_environment(settings.to_environment()) == settings


def test_the_embedded_keys_are_made_once_for_their_owner_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    settings = Settings.from_environment({"SPADES_DATA_DIR": str(data)})
    ready = settings.ready_to_serve()
    assert settings.ready_to_serve() == ready
    assert [len(key) for key in ready.secret_keys] == [64]
    assert [len(key) for key in ready.signing_keys] == [32]
    assert ready.secret_keys[0].decode() != ready.signing_keys[0].hex()
    assert sorted(path.name for path in data.iterdir()) == ["secret.key", "signing.key"]
    assert {path.stat().st_mode & 0o777 for path in data.iterdir()} == {0o600}


def test_keys_that_are_given_leave_no_file(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, secret_keys=(b"k" * 32,), signing_keys=(b"s" * 32,))
    assert settings.ready_to_serve() == settings
    assert list(tmp_path.iterdir()) == []


def test_a_second_line_of_a_key_file_still_verifies(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text(f"{KEY}\n{KEY}2\n")
    (tmp_path / "signing.key").write_text(f"{SEED}\n{'07' * 32}\n")
    ready = Settings(data_dir=tmp_path).ready_to_serve()
    assert ready.secret_keys == (KEY.encode(), f"{KEY}2".encode())
    assert ready.signing_keys == (b"\x5e" * 32, b"\7" * 32)


@pytest.mark.parametrize("name", ["secret.key", "signing.key"])
@pytest.mark.parametrize("content", ["", "\n", "short\n"])
def test_a_damaged_key_file_is_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigurationError, match=name):
        Settings(data_dir=tmp_path).ready_to_serve()


def test_a_new_signing_key_goes_before_the_old_and_keeps_the_files_mode(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    old = settings.ready_to_serve().signing_keys
    file = tmp_path / "signing.key"
    file.chmod(0o640)
    new = settings.signing_key_file.rotate()
    assert (len(new), new[1:]) == (2, old)
    assert settings.ready_to_serve().signing_keys == new
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.key", "signing.key"]


def test_a_damaged_key_file_is_not_rotated(tmp_path: Path) -> None:
    (tmp_path / "signing.key").write_text("short\n")
    with pytest.raises(ConfigurationError, match=r"signing\.key"):
        Settings(data_dir=tmp_path).signing_key_file.rotate()
    assert (tmp_path / "signing.key").read_text() == "short\n"
    assert len(list(tmp_path.iterdir())) == 1


def test_every_setting_is_documented() -> None:
    page = Path("docs/settings.md").read_text()
    for setting in SETTINGS:
        assert f"| `{setting.name}` | {setting.default} | {setting.meaning} |" in page
