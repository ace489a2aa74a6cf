"""What does the head of a response have to say? Each function judges one rule of the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.conformance.rule import broken, kept, moot

if TYPE_CHECKING:
    from harness.conformance.heard import Heard
    from harness.conformance.rule import Finding

__all__ = [
    "allowed_methods",
    "charset",
    "content_type",
    "framing",
    "not_cached",
    "not_held_up",
    "not_measured",
    "request_id",
]


def content_type(heard: Heard) -> Finding:
    """As what was asked for."""
    asked = "text/event-stream" if heard.trace.streamed else "application/json"
    said = heard.header("content-type")
    if said.partition(";")[0].strip().lower() == asked:
        return kept(f"content-type: {said}")
    return broken(f"expected {asked}, got {said or 'no content type'}")


def charset(heard: Heard) -> Finding:
    """Named or not, it is UTF-8."""
    named = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", heard.header("content-type"), re.IGNORECASE)
    if named and named[1].lower() not in {"utf-8", "utf8"}:
        return broken(f"charset {named[1]}: event streams and JSON are UTF-8")
    return kept(f"charset {named[1]}" if named else "no charset is named, which means UTF-8")


def not_cached(heard: Heard) -> Finding:
    """An answer is of this moment."""
    said = heard.header("cache-control")
    if {"no-cache", "no-store"} & _words(said):
        return kept(f"cache-control: {said}")
    return broken(f"cache-control is {said!r}; send no-cache or no-store")


def not_held_up(heard: Heard) -> Finding:
    """Proxies are told to hand on what they get."""
    said = heard.header("cache-control")
    if "no-transform" in _words(said) or heard.header("x-accel-buffering").lower() == "no":
        return kept()
    return broken("neither cache-control: no-transform nor x-accel-buffering: no")


def framing(heard: Heard) -> Finding:
    """A body is measured in one way."""
    coding, length = heard.header("transfer-encoding"), heard.header("content-length")
    if coding and length:
        return broken(f"transfer-encoding {coding} and content-length {length} at once")
    return kept(coding or (f"content-length {length}" if length else "ends with its connection"))


def not_measured(heard: Heard) -> Finding:
    """What is made while it is sent has no length yet."""
    if length := heard.header("content-length"):
        return broken(f"a stream with content-length {length} was whole before its first byte")
    return kept("no content-length")


def request_id(heard: Heard) -> Finding:
    """By which its author finds the request again."""
    said = heard.header("x-request-id")
    return kept(f"x-request-id: {said}") if said else broken("no x-request-id")


def allowed_methods(heard: Heard) -> Finding:
    """A method that is refused comes with those that are not."""
    if heard.status != 405:
        return moot(f"the status is {heard.status}, not 405")
    said = heard.header("allow")
    return kept(f"allow: {said}") if said else broken("a 405 without an Allow header")


def _words(value: str) -> set[str]:
    return {word.strip().lower() for word in value.split(",")}
