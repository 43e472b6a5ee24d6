"""One's own model configurations, in GNS3's names and shapes; the key goes in and never comes out."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator

from copilot_ws.agent.models import providers
from copilot_ws.agent.trial import Trial, try_out
from copilot_ws.commands.registry import LabCommand, LabContext, Route
from copilot_ws.core.ports import StoredModel
from copilot_ws.wire.errors import LlmError, NotFound
from copilot_ws.wire.models import Request


def _known(provider: str) -> str:
    if provider not in providers():
        raise ValueError(f"not a provider that this server has: {', '.join(providers())}")
    return provider


def _web_address(text: str) -> str:
    """Where a model may be is checked when it is called: what a name resolves to changes."""
    if not text:
        return text
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        usable = False
    if not usable or any(sign in text for sign in " \t\r\n\\"):
        raise ValueError("not an address like https://api.example.org/v1")
    if "@" in url.netloc or url.query or url.fragment:
        raise ValueError("an address without a user, a query and a fragment; a key belongs into api_key")
    return text.rstrip("/")


def _printable(key: SecretStr | None) -> SecretStr | None:
    """What cannot stand in a header would fail later, in an error that quotes it."""
    if key is None:
        return None
    text = key.get_secret_value().strip()
    if len(text) > 4096 or not (text.isascii() and text.isprintable() and " " not in text):
        raise ValueError("not a key: printable ASCII characters without blanks, at most 4096")
    return SecretStr(text)


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
ModelType = Literal["text", "vision", "stt", "tts", "multimodal", "embedding", "reranking", "other"]
Provider = Annotated[str, AfterValidator(_known)]
Url = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2048), AfterValidator(_web_address)]
ModelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]
Key = Annotated[SecretStr | None, AfterValidator(_printable)]
Strategy = Literal["conservative", "balanced", "aggressive"]
NULLABLE = frozenset({"temperature", "max_tokens", "context_limit", "copilot_mode"})


class Mine(Request):
    user_id: str


class One(Mine):
    config_id: str


class _Flat(Mine):
    """GNS3 takes the fields of `config` beside the others. What it answers is understood as well."""

    @model_validator(mode="before")
    @classmethod
    def _flatten(cls, given: Any) -> Any:
        if isinstance(given, dict) and isinstance(given.get("config"), dict):
            return {**given["config"], **{key: value for key, value in given.items() if key != "config"}}
        return given


class NewConfig(_Flat):
    """`context_limit` is in thousands of tokens."""

    name: Name
    model_type: ModelType = "text"
    is_default: bool = False
    provider: Provider
    base_url: Url = ""
    model: ModelName
    api_key: Key = None
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    context_limit: int | None = Field(None, ge=1, le=1_000_000)
    context_strategy: Strategy = "balanced"
    copilot_mode: Annotated[str, StringConstraints(max_length=100)] | None = None


class ChangedConfig(_Flat):
    """Only what is given changes; null stands for "not given" where a field cannot be null."""

    config_id: str
    expected_version: int | None = None
    name: Name | None = None
    model_type: ModelType | None = None
    is_default: bool | None = None
    provider: Provider | None = None
    base_url: Url | None = None
    model: ModelName | None = None
    api_key: Key = None
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    context_limit: int | None = Field(None, ge=1, le=1_000_000)
    context_strategy: Strategy | None = None
    copilot_mode: Annotated[str, StringConstraints(max_length=100)] | None = None

    def changes(self) -> dict[str, Any]:
        """The fields to change, the key in the clear."""
        given = self.model_dump(exclude_unset=True, exclude={"user_id", "config_id", "expected_version"})
        changes = {name: value for name, value in given.items() if value is not None or name in NULLABLE}
        return {**changes, "api_key": changes["api_key"].get_secret_value()} if "api_key" in changes else changes


def _own(context: LabContext, arguments: Mine) -> str:
    """Raises `NotFound`: another user's configurations do not exist for the caller."""
    if arguments.user_id != context.caller.user_id:
        raise NotFound("There is no such user.")
    return arguments.user_id


async def list_configs(context: LabContext, arguments: Mine) -> dict[str, Any]:
    """`{configs, default_config, total}`; each says where it comes from (`source`), which is always the user."""
    found = await context.system.model_configs.all(_own(context, arguments))
    configs = [{**config, "source": "user", "group_name": None} for config in found]
    default = next((config for config in configs if config["is_default"]), None)
    return {"configs": configs, "default_config": default, "total": len(configs)}


async def create(context: LabContext, arguments: NewConfig) -> dict[str, Any]:
    fields = {"user_id", "name", "model_type", "is_default", "api_key"}
    key = arguments.api_key.get_secret_value() if arguments.api_key is not None else ""
    return await context.system.model_configs.create(
        _own(context, arguments),
        arguments.name,
        arguments.model_type,
        arguments.model_dump(exclude=fields),
        key,
        arguments.is_default,
    )


async def get(context: LabContext, arguments: One) -> dict[str, Any]:
    return await context.system.model_configs.get(_own(context, arguments), arguments.config_id)


async def update(context: LabContext, arguments: ChangedConfig) -> dict[str, Any]:
    return await context.system.model_configs.update(
        _own(context, arguments), arguments.config_id, arguments.changes(), arguments.expected_version
    )


async def delete(context: LabContext, arguments: One) -> None:
    await context.system.model_configs.delete(_own(context, arguments), arguments.config_id)


async def get_default(context: LabContext, arguments: Mine) -> dict[str, Any]:
    return await context.system.model_configs.default(_own(context, arguments))


async def set_default(context: LabContext, arguments: One) -> dict[str, Any]:
    return await context.system.model_configs.make_default(_own(context, arguments), arguments.config_id)


async def test(context: LabContext, arguments: One) -> dict[str, Any]:
    """`{ok, message, code?, model, latency_ms, tools}` of one short call."""
    system, user_id = context.system, _own(context, arguments)
    try:
        stored: StoredModel = await system.model_configs.stored(user_id, arguments.config_id)
    except LlmError as fault:
        return Trial(False, fault.message, "", 0, code=fault.fault).shape()
    return (await try_out(system.choice.personal(stored))).shape()


ALL = "/v3/access/users/{user_id}/llm-model-configs"
COMMANDS = (
    LabCommand(Mine, list_configs, Route("GET", ALL)),
    LabCommand(NewConfig, create, Route("POST", ALL, 201)),
    LabCommand(Mine, list_configs, Route("GET", f"{ALL}/own")),
    LabCommand(Mine, get_default, Route("GET", f"{ALL}/default")),
    LabCommand(One, set_default, Route("PUT", f"{ALL}/default/{{config_id}}")),
    LabCommand(One, get, Route("GET", f"{ALL}/{{config_id}}")),
    LabCommand(ChangedConfig, update, Route("PUT", f"{ALL}/{{config_id}}")),
    LabCommand(One, delete, Route("DELETE", f"{ALL}/{{config_id}}", 204)),
    LabCommand(One, test, Route("POST", f"{ALL}/{{config_id}}/test")),
)
