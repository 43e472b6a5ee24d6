"""A tiny OpenAI-compatible server: `n=500 d=0.02` in a message asks for 500 tokens, 0.02 s apart (0: at once)."""

from __future__ import annotations

import asyncio
import json
import re
import sys

from aiohttp import web

_WORK = re.compile(r"n=(\d+) d=([\d.]+)")


async def complete(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    text = next(m["content"] for m in reversed(body["messages"]) if m["role"] == "user")
    found = _WORK.search(text)
    tokens, delay = (int(found[1]), float(found[2])) if found else (5, 0.0)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    frame = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    delta = {**frame, "choices": [{"index": 0, "delta": {"content": "token "}, "finish_reason": None}]}
    data = b"data: " + json.dumps(delta).encode() + b"\n\n"
    for _ in range(tokens):
        if delay:
            await asyncio.sleep(delay)
        await response.write(data)
    last = {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {**frame, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    for end in (last, usage):
        await response.write(b"data: " + json.dumps(end).encode() + b"\n\n")
    await response.write(b"data: [DONE]\n\n")
    return response


async def main() -> None:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until the bench closes it
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
