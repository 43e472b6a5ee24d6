"""Settings: options over the environment, and a wrong one named in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copilot_ws.settings import PREFIX, WrongSetting, load_settings


def test_an_option_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(f"{PREFIX}PORT", "1234")
    monkeypatch.setenv(f"{PREFIX}DATA_DIR", str(tmp_path))
    assert load_settings(port=None).port == 1234
    assert load_settings(port=4321).port == 4321
    assert load_settings().data_dir == tmp_path


def test_origins_are_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}ALLOWED_ORIGINS", "http://a, http://b/,")
    assert load_settings().allowed_origins == ("http://a", "http://b")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("heartbeat", "often"),
        ("heartbeat", 0),
        ("heartbeat", "inf"),
        ("hitl_timeout", "inf"),
        ("port", 70000),
        ("auth", "magic"),
        ("lab", "magic"),
        ("title", "maybe"),
        ("max_frame", -1),
        ("llm_provider", "nobody"),
        ("llm_temperature", 3),
        ("shutdown_grace", -1),
        ("max_runs_per_user", 0),
        ("gns3_url", "127.0.0.1:3080"),
        ("gns3_url", "https://admin:hush@gns3.lan"),
        ("gns3_url", "http://gns3.lan/?token=x"),
        ("gns3_fingerprint", "ab:cd"),
        ("gns3_timeout", 0),
    ],
)
def test_a_wrong_one_is_named(name: str, value: Any) -> None:
    with pytest.raises(WrongSetting) as wrong:
        load_settings(**{name: value})
    line = str(wrong.value)
    assert line.startswith(f"{PREFIX}{name.upper()}: ")
    assert "\n" not in line


@pytest.mark.parametrize("secret", ["", "short-secret"])
def test_jwt_needs_a_secret_of_some_length_which_is_not_repeated(secret: str) -> None:
    with pytest.raises(WrongSetting, match="JWT_SECRET") as wrong:
        load_settings(auth="jwt", jwt_secret=secret)
    assert "short-secret" not in str(wrong.value)


@pytest.mark.parametrize("auth", ["local", "jwt"])
def test_a_gns3_lab_needs_an_account_where_users_are_not_gns3s(auth: str) -> None:
    with pytest.raises(WrongSetting, match="GNS3_USER and GNS3_PASSWORD"):
        load_settings(lab="gns3", auth=auth, jwt_secret="j" * 32, gns3_user="copilot")
    assert load_settings(lab="gns3", auth=auth, jwt_secret="j" * 32, gns3_user="copilot", gns3_password="x")
    assert load_settings(lab="gns3", auth="gns3")


@pytest.mark.parametrize("given", [{"gns3_ca": Path("ca.pem")}, {"gns3_fingerprint": "ab" * 32}])
def test_a_certificate_is_never_left_unchecked_by_mistake(given: dict[str, Any]) -> None:
    with pytest.raises(WrongSetting, match="https"):
        load_settings(gns3_url="http://gns3.lan", **given)
    assert load_settings(gns3_url="https://gns3.lan", **given)


def test_a_fingerprint_in_any_usual_form() -> None:
    found = load_settings(gns3_url="https://gns3.lan", gns3_fingerprint=":".join(["AB"] * 32))
    assert found.gns3_fingerprint == "ab" * 32


def test_secrets_are_not_shown() -> None:
    assert "hush" not in repr(load_settings(llm_api_key="hush", jwt_secret="hush", gns3_password="hush"))
