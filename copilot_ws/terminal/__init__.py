"""The terminal client: `copilot-ws chat`, a guest of the same WebSocket as every other client."""
