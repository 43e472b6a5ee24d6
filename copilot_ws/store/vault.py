"""Encrypts short secrets with one key, each bound to where it belongs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_FORMAT = b"\x01"
_NONCE_BYTES = 12


class WrongKey(Exception):
    """A sealed secret does not open: of another key, of another place, or changed."""


class Vault:
    """AES-256-GCM under one key. A secret opens only with the `place` that it was sealed for."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, secret: str, *place: str) -> bytes:
        """A format byte, the nonce, and the encrypted text with its tag."""
        nonce = os.urandom(_NONCE_BYTES)
        return _FORMAT + nonce + self._cipher.encrypt(nonce, secret.encode(), _bound(place))

    def open(self, sealed: bytes, *place: str) -> str:
        """Raises `WrongKey`."""
        start = len(_FORMAT) + _NONCE_BYTES
        try:
            if sealed[: len(_FORMAT)] != _FORMAT:
                raise WrongKey
            return self._cipher.decrypt(sealed[len(_FORMAT) : start], sealed[start:], _bound(place)).decode()
        except (InvalidTag, ValueError):
            raise WrongKey from None


def _bound(place: tuple[str, ...]) -> bytes:
    return _FORMAT + json.dumps(place).encode()


def new_key() -> str:
    """A key as it is written down: 32 random bytes in base64."""
    return base64.b64encode(os.urandom(KEY_BYTES)).decode()


def key_bytes(text: str, salt: bytes) -> bytes:
    """The key that `text` stands for: base64 of 32 bytes is the key, any other text is stretched with scrypt."""
    text = text.strip()
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) == KEY_BYTES:
        return key
    return hashlib.scrypt(text.encode(), salt=salt, n=2**15, r=8, p=1, maxmem=64 * 1024 * 1024, dklen=KEY_BYTES)
