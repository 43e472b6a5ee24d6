"""Every setting of the server, from options and `COPILOT_WS_*` environment variables."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "COPILOT_WS_"
USUAL_DATA_DIR = Path.home() / ".copilot-ws"
MIN_SECRET = 16


Seconds = Annotated[float, Field(allow_inf_nan=False)]


class WrongSetting(Exception):
    """A setting that the server cannot start with; the text is one readable line that names it."""


class Settings(BaseSettings):
    """The settings; what is passed in wins over the environment. docs/settings.md tells each one."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(8765, ge=0, le=65535)
    data_dir: Path = Field(default_factory=lambda: USUAL_DATA_DIR)
    lab: Literal["local", "gns3"] = "local"
    auth: Literal["local", "jwt", "gns3"] = "local"
    jwt_secret: SecretStr = SecretStr("")
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = ()

    gns3_url: str = "http://127.0.0.1:3080"
    gns3_user: str = ""
    gns3_password: SecretStr = SecretStr("")
    gns3_ca: Path | None = None
    gns3_fingerprint: str = ""
    gns3_timeout: Seconds = Field(15, gt=0)

    llm_provider: Literal["demo", "openai", "anthropic", "google_genai", "ollama", "deepseek", "openrouter", "xai"] = (
        "demo"
    )
    llm_model: str = ""
    llm_base_url: str = ""
    llm_api_key: SecretStr = SecretStr("")
    llm_temperature: float | None = Field(None, ge=0, le=2)
    llm_max_tokens: int | None = Field(None, ge=1)
    llm_context_tokens: int | None = Field(None, ge=1024)
    llm_timeout: Seconds = Field(60, gt=0)
    llm_allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    secret_key: SecretStr = SecretStr("")
    old_secret_key: SecretStr = SecretStr("")
    title: Literal["llm", "off"] = "llm"

    hitl_timeout: Seconds = Field(300, ge=0)
    heartbeat: Seconds = Field(15, gt=0)
    max_frame: int = Field(1024 * 1024, ge=1024)
    max_message: int = Field(65536, ge=1)
    max_tool_output: int = Field(65536, ge=1)
    feed_events: int = Field(10_000, ge=1)
    feed_bytes: int = Field(16 * 1024 * 1024, ge=1024)
    max_runs_per_user: int = Field(8, ge=1)
    shutdown_grace: Seconds = Field(10, ge=0)
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())
        return value

    @field_validator("llm_allowed_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("gns3_url")
    @classmethod
    def _server(cls, value: str) -> str:
        parts = urlsplit(value)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        if not whole or parts.username is not None or parts.query or parts.fragment:
            raise ValueError("is no address of a server, such as http://127.0.0.1:3080")
        return value.rstrip("/")

    @field_validator("gns3_fingerprint")
    @classmethod
    def _sha256(cls, value: str) -> str:
        bare = value.replace(":", "").strip().lower()
        if bare and not re.fullmatch(r"[0-9a-f]{64}", bare):
            raise ValueError("a SHA-256 fingerprint has 64 hexadecimal digits")
        return bare

    @field_validator("secret_key")
    @classmethod
    def _not_guessable(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value().strip()) < MIN_SECRET:
            raise ValueError(f"needs at least {MIN_SECRET} characters")
        return value

    @model_validator(mode="after")
    def _together(self) -> Settings:
        if self.auth == "jwt" and len(self.jwt_secret.get_secret_value()) < 32:
            raise ValueError("JWT_SECRET: --auth jwt needs a secret of at least 32 characters")
        if self.lab == "gns3" and self.auth != "gns3" and not self.has_gns3_account:
            raise ValueError(f"GNS3_USER and GNS3_PASSWORD: --lab gns3 with --auth {self.auth} needs an account there")
        if (self.gns3_ca or self.gns3_fingerprint) and not self.gns3_url.startswith("https://"):
            raise ValueError("GNS3_CA and GNS3_FINGERPRINT: only an https:// GNS3_URL has a certificate")
        return self

    @property
    def has_gns3_account(self) -> bool:
        return bool(self.gns3_user and self.gns3_password.get_secret_value())

    @property
    def projects_dir(self) -> Path:
        return self.data_dir / "projects"

    @property
    def lock_file(self) -> Path:
        """Held by the one server that uses the data directory."""
        return self.data_dir / "server.lock"


def default_data_dir() -> Path:
    """The data directory alone: a client does not care whether the server's other settings are right."""
    return Path(os.environ.get(f"{PREFIX}DATA_DIR") or USUAL_DATA_DIR)


def load_settings(**given: Any) -> Settings:
    """The settings with `given` (None: not given) over the environment. Raises `WrongSetting`."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as wrong:
        raise WrongSetting(_explain(wrong)) from None


def _explain(wrong: ValidationError) -> str:
    fault = wrong.errors(include_url=False)[0]
    what = fault["msg"].removeprefix("Value error, ")
    if not fault["loc"]:
        return PREFIX + what
    name = str(fault["loc"][0])
    shown = "" if _is_secret(name) else f" (got {str(fault['input'])[:80]!r})"
    return f"{PREFIX}{name.upper()}: {what}{shown}"


def _is_secret(name: str) -> bool:
    field = Settings.model_fields.get(name)
    return field is None or field.annotation is SecretStr
