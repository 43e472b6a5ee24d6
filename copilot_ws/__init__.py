"""copilot-ws: an LLM copilot for GNS3 labs over one WebSocket per project."""

__version__ = "0.1.0"
