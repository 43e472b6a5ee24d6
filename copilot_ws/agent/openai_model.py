"""ChatOpenAI for every OpenAI-compatible server: also takes the thoughts that many of them send."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI


class OpenAICompatible(ChatOpenAI):
    """DeepSeek, vLLM, llama.cpp, OpenRouter and others stream thoughts beside the answer.

    They call the field `reasoning_content` or `reasoning`; ChatOpenAI drops both by design.
    """

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices")
        if made is not None and choices and isinstance(made.message, AIMessageChunk):
            delta = choices[0].get("delta") or {}
            thoughts = delta.get("reasoning_content") or delta.get("reasoning")
            if isinstance(thoughts, str) and thoughts:
                made.message.additional_kwargs["reasoning_content"] = thoughts
        return made
