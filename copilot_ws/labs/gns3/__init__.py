"""A real GNS3 server (API v3) as a lab: `Gns3Lab` is a `labs.base.Lab`, `Gns3Http` how it is reached."""

from copilot_ws.labs.gns3.credentials import Account, CallersOwn, Credentials
from copilot_ws.labs.gns3.http import Endpoint, Gns3Http
from copilot_ws.labs.gns3.lab import Gns3Lab

__all__ = ["Account", "CallersOwn", "Credentials", "Endpoint", "Gns3Http", "Gns3Lab"]
