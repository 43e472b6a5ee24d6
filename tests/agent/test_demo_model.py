"""The embedded demo model, driven as LangChain drives any model."""

from __future__ import annotations

import asyncio

import pytest
from demo_world import COMMANDS, TOPOLOGY, VPCS, World, commands, merged, schema
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from copilot_ws.agent.demo_model import DemoChatModel

# ------------------------------------------------------------------ as a chat model


async def test_streams_words_then_usage() -> None:
    chunks = [chunk async for chunk in DemoChatModel(delay=0).astream([HumanMessage("hello")])]
    assert len(chunks) > 20
    assert chunks[0].content == "Hello,"
    assert [chunk.chunk_position for chunk in chunks].index("last") == len(chunks) - 1
    assert all(chunk.usage_metadata is None for chunk in chunks[:-1])
    message = merged(chunks)
    assert message.usage_metadata is not None
    usage = message.usage_metadata
    assert usage["input_tokens"] == 2
    assert usage["output_tokens"] == -(-len(message.text) // 4)
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert message.response_metadata == {"model_name": "demo", "finish_reason": "stop"}


async def test_streaming_leaves_the_loop_free_and_can_be_cancelled() -> None:
    async def stream() -> None:
        async for _ in DemoChatModel(delay=0.02).astream([HumanMessage("hello")]):
            pass

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(stream(), 0.05)


async def test_tool_calls_stream_in_fragments() -> None:
    world = World()
    await world.ask("show clock on R1")
    bound = DemoChatModel(delay=0).bind_tools([schema(name) for name in world.tools])
    chunks = [chunk async for chunk in bound.astream(world.messages[:4])]
    fragments = [
        fragment for chunk in chunks if isinstance(chunk, AIMessageChunk) for fragment in chunk.tool_call_chunks
    ]
    assert len(fragments) > 3
    assert {fragment["index"] for fragment in fragments} == {0}
    assert (fragments[0]["name"], fragments[0]["args"]) == (COMMANDS, "")
    assert str(fragments[0]["id"]).startswith("call_")
    assert all(fragment["id"] is None for fragment in fragments[1:])
    message = merged(chunks)
    assert [call["args"] for call in message.tool_calls] == [commands(COMMANDS, ("R1", "show clock"))[1]]
    assert message.invalid_tool_calls == []
    assert message.response_metadata["finish_reason"] == "tool_calls"


async def test_parallel_calls_have_their_own_ids() -> None:
    world = World()
    await world.ask("what are the ip addresses?")
    calls = [message for message in world.messages if isinstance(message, AIMessage)][1].tool_calls
    assert [call["name"] for call in calls] == [COMMANDS, VPCS]
    assert len({call["id"] for call in calls}) == 2


async def test_invoke_and_sync_streaming_say_the_same() -> None:
    model, messages = DemoChatModel(delay=0), [HumanMessage("help")]
    answer = await model.ainvoke(messages)
    assert answer.usage_metadata
    assert (await asyncio.to_thread(model.invoke, messages)).text == answer.text
    streamed = await asyncio.to_thread(lambda: list(model.stream(messages)))
    assert merged(streamed).text == answer.text


async def test_binds_every_kind_of_tool() -> None:
    @tool
    def gns3_topology_reader() -> str:
        """Reads the topology."""
        return ""

    class execute_vpcs_commands(BaseModel):
        """Runs commands."""

    model = DemoChatModel(delay=0)
    for kind in (gns3_topology_reader, schema(TOPOLOGY)):
        answer = await model.bind_tools([kind, execute_vpcs_commands]).ainvoke([HumanMessage("show topology")])
        assert [call["name"] for call in answer.tool_calls] == [TOPOLOGY]


async def test_sampling_options_are_taken_and_ignored() -> None:
    bound = DemoChatModel(delay=0).bind_tools([schema(TOPOLOGY)], temperature=0.2, max_tokens=5)
    assert (await bound.ainvoke([HumanMessage("show topology")])).tool_calls


async def test_a_long_answer_comes_in_a_bounded_number_of_pieces() -> None:
    world = World(consoles={("R1", "show log"): "a line of words\n" * 20000})
    text = await world.ask("show log on R1")
    assert "more characters" in text
    assert len(text) < 8000
    chunks = [chunk async for chunk in DemoChatModel(delay=0).astream(world.messages[:-1])]
    assert len(chunks) <= 202


# ------------------------------------------------------------------ titles


NAME_IT = "Write a short title (at most six words) for this conversation. Answer with the title alone."


@pytest.mark.parametrize(
    ("messages", "title"),
    [
        (
            [
                SystemMessage("You name conversations."),
                HumanMessage("Can you show ip route on R1 and R2, please?"),
                AIMessage("R1 has ..."),
                HumanMessage(NAME_IT),
            ],
            "Show ip route on R1 and",
        ),
        ([HumanMessage("hello"), AIMessage("Hello"), HumanMessage(NAME_IT)], "Lab conversation"),
        ([HumanMessage("What's up?"), SystemMessage(NAME_IT)], "What's up"),
        ([HumanMessage(f"{NAME_IT}\n\nUser: ping PC2 from PC1\nAssistant: Yes")], "Ping PC2 from PC1"),
        ([HumanMessage("W" * 500), HumanMessage(NAME_IT)], "W" * 60),
        ([HumanMessage(NAME_IT)], "Lab conversation"),
    ],
)
async def test_titles(messages: list[BaseMessage], title: str) -> None:
    answer = await DemoChatModel(delay=0).ainvoke(messages)
    assert answer.text == title
    assert answer.usage_metadata
