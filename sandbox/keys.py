"""API keys: one for each shop, shown once, kept as a hash (specification, Authentication)."""

from __future__ import annotations

import hashlib
import secrets


def new_key() -> str:
    """Make a key: 32 random bytes as URL-safe text."""
    return secrets.token_urlsafe(32)


def key_hash(key: str) -> str:
    """Give the SHA-256 of a key, which is all that is ever stored.

    A random key of 256 bits needs no slow hash: there is no dictionary to try.
    """
    return hashlib.sha256(key.encode()).hexdigest()
