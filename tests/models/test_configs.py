"""A user's model configurations by REST: shapes, versions, the one default, names, and whose they are."""

from __future__ import annotations

from typing import Any

import pytest
from kit.model_configs import KEY, Configs, new
from kit.server import Start, User, gather_all


@pytest.fixture
def mine(me: User) -> Configs:
    return Configs(me)


async def test_a_configuration_has_gns3s_shape(mine: Configs) -> None:
    made = await mine.post("GPT", temperature=0.3)
    config_id, created = made.pop("config_id"), made.pop("created_at")
    assert made == {
        "name": "GPT",
        "model_type": "text",
        "config": {
            "provider": "openai",
            "base_url": "https://llm.example.org/v1",
            "model": "gpt-test",
            "temperature": 0.3,
            "max_tokens": None,
            "context_limit": 128,
            "context_strategy": "balanced",
            "copilot_mode": None,
            "api_key": None,
        },
        "user_id": "local",
        "group_id": None,
        "is_default": True,
        "version": 0,
        "updated_at": created,
    }
    found = (await mine.call("GET", f"/{config_id}")).json
    assert found == {**made, "config_id": config_id, "created_at": created}


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"base_url": "https://evil.example.org/v1"},
        {"base_url": "https://llm.example.org:8443/v1"},
        {"base_url": "http://llm.example.org/v1"},
        {"provider": "deepseek"},
    ],
    ids=["another host", "another port", "without TLS", "another provider"],
)
async def test_a_stored_key_goes_to_no_other_server(mine: Configs, elsewhere: dict[str, Any]) -> None:
    made = await mine.post("one")
    answer = await mine.call("PUT", f"/{made['config_id']}", elsewhere)
    assert (answer.status, answer.code) == (422, "invalid_argument")
    assert answer.json["details"][0]["field"] == "api_key"
    assert (await mine.all())[0]["version"] == made["version"]
    await mine.put(made["config_id"], **elsewhere, api_key=KEY)


async def test_a_stored_key_stays_with_its_server(mine: Configs) -> None:
    made = await mine.post("one")
    await mine.put(made["config_id"], base_url="https://LLM.example.org/v2", model="other")


async def test_the_list_says_which_one_is_the_default(mine: Configs) -> None:
    assert (await mine.call("GET")).json == {"configs": [], "default_config": None, "total": 0}
    first, second = await mine.post("first"), await mine.post("second")
    answer = (await mine.call("GET")).json
    assert [config["name"] for config in answer["configs"]] == ["first", "second"]
    assert answer["default_config"]["config_id"] == first["config_id"]
    assert answer["total"] == 2
    assert {config["source"] for config in answer["configs"]} == {"user"}
    assert (await mine.call("GET", "/own")).json == answer
    assert second["is_default"] is False


async def test_what_is_answered_can_be_sent(mine: Configs) -> None:
    """Fields in `config` are understood as well, and its null key is no change."""
    made = await mine.post("one")
    nested = {"name": "two", "config": {**made["config"], "api_key": KEY, "model": "other"}}
    answer = await mine.call("POST", "", nested)
    assert answer.status == 201
    assert answer.json["config"]["model"] == "other"
    changed = await mine.put(made["config_id"], name="uno", config=made["config"])
    assert changed["config"] == made["config"]


# versions


async def test_an_edit_counts_the_version_and_keeps_the_rest(mine: Configs) -> None:
    made = await mine.post(temperature=0.5, max_tokens=100)
    changed = await mine.put(made["config_id"], expected_version=0, model="better", max_tokens=None)
    assert changed["version"] == 1
    assert changed["config"] == {**made["config"], "model": "better", "max_tokens": None}
    assert changed["created_at"] == made["created_at"]
    assert changed["updated_at"] > made["updated_at"]


async def test_an_edit_of_another_version_is_a_conflict(mine: Configs) -> None:
    made = await mine.post()
    await mine.put(made["config_id"], model="better")
    answer = await mine.call("PUT", f"/{made['config_id']}", {"expected_version": 0, "model": "worse"})
    assert (answer.status, answer.code) == (409, "conflict")
    assert answer.json["details"] == {"version": 1}
    assert (await mine.all())[0]["config"]["model"] == "better"


async def test_of_two_edits_of_one_version_one_wins(mine: Configs) -> None:
    config_id = (await mine.post())["config_id"]
    body = [{"expected_version": 0, "model": name} for name in ("left", "right")]
    answers = await gather_all(*(mine.call("PUT", f"/{config_id}", one) for one in body))
    assert sorted(answer.status for answer in answers) == [200, 409]


# the default


async def test_the_first_is_the_default_and_another_can_be(mine: Configs) -> None:
    assert (await mine.call("GET", "/default")).status == 404
    first, second = await mine.post("first"), await mine.post("second")
    assert (await mine.call("GET", "/default")).json["config_id"] == first["config_id"]
    answer = await mine.call("PUT", f"/default/{second['config_id']}")
    assert answer.json["is_default"] is True
    assert await defaults(mine) == ["second"]
    await mine.post("third", is_default=True)
    assert await defaults(mine) == ["third"]
    await mine.put(first["config_id"], is_default=True)
    assert await defaults(mine) == ["first"]


async def test_deleting_the_default_promotes_the_newest_other(mine: Configs) -> None:
    made = [await mine.post(name) for name in ("a", "b", "c")]
    assert (await mine.call("DELETE", f"/{made[0]['config_id']}")).status == 204
    assert await defaults(mine) == ["c"]
    assert (await mine.call("DELETE", f"/{made[1]['config_id']}")).status == 204
    assert await defaults(mine) == ["c"]
    assert (await mine.call("DELETE", f"/{made[2]['config_id']}")).status == 204
    assert await mine.all() == []


async def test_there_is_always_a_default(mine: Configs) -> None:
    made = await mine.post()
    answer = await mine.call("PUT", f"/{made['config_id']}", {"is_default": False, "model": "x"})
    assert answer.status == 422
    assert answer.json["details"][0]["field"] == "is_default"
    assert await mine.all() == [{**made, "source": "user", "group_name": None}]


async def test_many_at_once_leave_one_default(mine: Configs) -> None:
    await gather_all(*(mine.post(f"c{number}", is_default=True) for number in range(6)))
    assert len(await mine.all()) == 6
    assert len(await defaults(mine)) == 1


async def defaults(mine: Configs) -> list[str]:
    return [config["name"] for config in await mine.all() if config["is_default"]]


# names and fields


async def test_a_name_is_used_once(mine: Configs) -> None:
    await mine.post("same")
    other = await mine.post("other")
    for answer in (
        await mine.call("POST", "", new(" same ")),
        await mine.call("PUT", f"/{other['config_id']}", {"name": "same"}),
    ):
        assert (answer.status, answer.code) == (409, "conflict")
    assert (await mine.put(other["config_id"], name="other"))["version"] == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", " "),
        ("name", "n" * 101),
        ("model_type", "smell"),
        ("provider", "nobody"),
        ("model", ""),
        ("base_url", "ftp://llm.example.org"),
        ("base_url", "llm.example.org/v1"),
        ("base_url", "https://"),
        ("base_url", "https://user:secret@llm.example.org/v1"),
        ("base_url", "https://llm.example.org/v1?key=secret"),
        ("base_url", "https://llm.example.org:99999/v1"),
        ("base_url", "file:///etc/passwd"),
        ("temperature", 2.1),
        ("max_tokens", 0),
        ("context_limit", 0),
        ("context_strategy", "wild"),
        ("api_key", "sk-\r\nX-Injected: secret"),
        ("api_key", "sk-é-secret"),
        ("apikey", "sk-secret"),
    ],
)
async def test_a_wrong_field_is_named_and_not_repeated(mine: Configs, field: str, value: Any) -> None:
    config_id = (await mine.post("good"))["config_id"]
    for answer in (
        await mine.call("POST", "", new(**{"name": "bad", field: value})),
        await mine.call("PUT", f"/{config_id}", {field: value}),
    ):
        assert answer.status == 422, answer.text
        assert answer.json["details"][0]["field"].split(".")[0] == field
        assert "secret" not in answer.text
    assert [config["version"] for config in await mine.all()] == [0]


@pytest.mark.parametrize("field", ["name", "provider", "model"])
async def test_a_field_that_lacks_is_named(mine: Configs, field: str) -> None:
    body = {key: value for key, value in new().items() if key != field}
    answer = await mine.call("POST", "", body)
    assert answer.json["details"] == [{"field": field, "message": "Field required"}]


async def test_what_there_is_not(mine: Configs) -> None:
    for method, path in (("GET", "/x"), ("PUT", "/x"), ("DELETE", "/x"), ("PUT", "/default/x"), ("POST", "/x/test")):
        assert (await mine.call(method, path, {} if method == "PUT" else None)).status == 404


# whose they are


async def test_another_users_do_not_exist(start: Start) -> None:
    server = await start(auth="jwt")
    alice, bob = Configs(server.user("alice"), "alice"), Configs(server.user("bob"), "bob")
    hers = (await alice.post("hers"))["config_id"]
    through_her = Configs(server.user("bob"), of="alice")
    for configs in (bob, through_her):
        for method, path, body in (
            ("GET", f"/{hers}", None),
            ("PUT", f"/{hers}", {"model": "stolen"}),
            ("PUT", f"/default/{hers}", None),
            ("POST", f"/{hers}/test", None),
            ("DELETE", f"/{hers}", None),
        ):
            answer = await configs.call(method, path, body)
            assert (answer.status, answer.code) == (404, "not_found")
    for method, path in (("GET", ""), ("GET", "/default"), ("GET", "/own")):
        assert (await through_her.call(method, path)).status == 404
    assert (await through_her.call("POST", "", new("hers"))).status == 404
    assert await bob.all() == []
    assert [config["version"] for config in await alice.all()] == [0]
    assert (await bob.post("hers"))["is_default"] is True, "a name is unique for one user"
    assert (await Configs(server.user("bob").but(token=None), "bob").call("GET")).status == 401


async def test_they_outlive_a_restart(start: Start) -> None:
    server = await start()
    made = await Configs(server.user()).post()
    await server.stop()
    again = Configs((await start()).user())
    assert (await again.call("GET", f"/{made['config_id']}")).json == made
