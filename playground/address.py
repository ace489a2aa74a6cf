"""How is a server on this machine addressed?"""

from __future__ import annotations

__all__ = ["address_of", "url_at"]

ADDRESSES = {"localhost": "127.0.0.1"}


def address_of(host: str) -> str:
    """The address that is meant by a host."""
    return ADDRESSES.get(host, host)


def url_at(address: str, port: int) -> str:
    """Where a client finds what listens there."""
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
