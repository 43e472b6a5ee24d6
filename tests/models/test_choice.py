"""A user's default configuration is the model of that user's runs and titles; models are kept, within a bound."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from kit.model_configs import KEY, Configs
from kit.scripted_llm import ScriptedLlm, say
from kit.server import API_KEY, Start, User
from kit.waiting import eventually

from copilot_ws.agent import pool
from copilot_ws.agent.models import ModelConfig
from copilot_ws.agent.pool import Models
from copilot_ws.wire.errors import LlmError

LOOPBACK = ("127.0.0.0/8",)


@pytest.fixture
async def other() -> AsyncIterator[ScriptedLlm]:
    """The model of a person, beside the server's own."""
    async with ScriptedLlm(title=say("Named by her own model")).listening() as other:
        yield other


async def ask(user: User, **fields: Any) -> dict[str, Any]:
    answer = await user.chat("POST", "/stream", {"message": "hello", "stream": False, **fields})
    assert answer.status == 200, answer.text
    return dict(answer.json)


async def test_two_users_use_two_models(llm: ScriptedLlm, other: ScriptedLlm, start: Start) -> None:
    server = await start(auth="jwt", llm_allowed_hosts=LOOPBACK)
    alice, bob = server.user("alice"), server.user("bob")
    await Configs(alice, "alice").post(base_url=other.base_url, model="hers")
    llm.answer(say("from the server's"))
    other.answer(say("from her own", usage=(7, 3)))
    assert (await ask(alice))["message"]["content"] == "from her own"
    assert (await ask(bob))["message"]["content"] == "from the server's"
    assert [(asked.body["model"], asked.authorization) for asked in llm.asked] == [("scripted", f"Bearer {API_KEY}")]
    assert [(asked.body["model"], asked.authorization) for asked in other.asked] == [("hers", f"Bearer {KEY}")]
    session = (await alice.chat("GET", "/sessions")).json[0]
    assert list(session["stats"]["billed"]) == ["hers"]


async def test_titles_are_made_by_it_too(llm: ScriptedLlm, other: ScriptedLlm, start: Start) -> None:
    me = (await start(title="llm", llm_allowed_hosts=LOOPBACK)).user()
    await Configs(me).post(base_url=other.base_url)
    session_id = (await ask(me))["session_id"]

    async def named() -> bool:
        return (await me.session(session_id))["title"] == "Named by her own model"

    await eventually(named, "the title")
    assert llm.asked == []


async def test_an_edit_counts_from_the_next_run_on(llm: ScriptedLlm, other: ScriptedLlm, start: Start) -> None:
    me = (await start(llm_allowed_hosts=LOOPBACK)).user()
    mine = Configs(me)
    first = await mine.post("first", base_url=other.base_url, model="one", temperature=0.3, max_tokens=50)
    await ask(me)
    second = await mine.post("second", base_url=other.base_url, model="two", is_default=True)
    await ask(me)
    await mine.call("DELETE", f"/{second['config_id']}")
    await mine.put(first["config_id"], model="three")
    await ask(me)
    await ask(me, temperature=1.5, max_tokens=9)
    bodies = [asked.body for asked in other.asked]
    assert [body["model"] for body in bodies] == ["one", "two", "three", "three"]
    assert [body.get("temperature") for body in bodies] == [0.3, None, 0.3, 1.5]
    assert [body.get("max_tokens", body.get("max_completion_tokens")) for body in bodies] == [50, None, 50, 9]
    await mine.call("DELETE", f"/{first['config_id']}")
    await ask(me)
    assert len(llm.asked) == 1, "without a configuration it is the server's own model again"


async def test_without_a_usable_model_a_run_says_what_to_do(start: Start) -> None:
    me = (await start(llm_model="", llm_base_url="")).user()
    failed = await ask(me)
    assert failed["outcome"] == "failed"
    assert failed["error"]["code"] == "llm_not_configured"
    assert "COPILOT_WS_LLM_MODEL" in failed["error"]["error"]
    await Configs(me).post(base_url="", api_key="")
    failed = await ask(me)
    assert failed["error"]["code"] == "llm_not_configured"
    assert "api_key" in failed["error"]["error"]


# the pool


class Made:
    """Stands for a model; remembers that it was closed."""

    def __init__(self) -> None:
        self.closed = False

    async def aclose(self) -> None:
        self.closed = True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Made]:
    made: dict[str, Made] = {}

    def make(config: ModelConfig) -> Made:
        if config.model == "broken":
            raise LlmError("llm_not_configured", "broken")
        return made.setdefault(config.model, Made())

    monkeypatch.setattr(pool, "make", make)
    return made


async def use(models: Models, *names: str) -> None:
    for name in names:
        async with models.lease(ModelConfig(model=name)):
            pass


async def test_the_least_recently_used_is_closed(made: dict[str, Made]) -> None:
    models = Models(most=2)
    await use(models, "a", "b", "a", "c")
    assert {name: model.closed for name, model in made.items()} == {"a": False, "b": True, "c": False}
    await models.close()
    assert all(model.closed for model in made.values())


async def test_one_in_use_is_never_closed(made: dict[str, Made]) -> None:
    models = Models(most=1)
    async with models.lease(ModelConfig(model="long")):
        await use(models, "a", "b")
        assert {name: model.closed for name, model in made.items()} == {"long": False, "a": True, "b": True}
    assert not made["long"].closed


async def test_one_that_cannot_be_made_is_not_kept(made: dict[str, Made]) -> None:
    models = Models()
    for _ in range(2):
        with pytest.raises(LlmError):
            await use(models, "broken")
