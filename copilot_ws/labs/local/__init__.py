"""The embedded lab: projects in folders, IOS-like routers and VPCS-like hosts inside the server."""

from copilot_ws.labs.local.lab import LocalLab

__all__ = ["LocalLab"]
