"""What an https GNS3 server is checked against: trusted authorities, one's own, or one certificate."""

from __future__ import annotations

import ssl
from pathlib import Path

import aiohttp


def checked_by(authority: Path | None, fingerprint: str) -> ssl.SSLContext | aiohttp.Fingerprint | bool:
    """`authority` is a PEM file of CA certificates, `fingerprint` the SHA-256 of the server's own, in hex.

    Raises `OSError` or `ssl.SSLError` for a file that cannot be read.
    """
    if fingerprint:
        return aiohttp.Fingerprint(bytes.fromhex(fingerprint))
    if authority is not None:
        return ssl.create_default_context(cafile=str(authority))
    return True
