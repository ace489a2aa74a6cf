"""What is pinned, on the terminal: each pin with its parts, whether it is ready, and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

__all__ = ["pin_problems", "show_pins"]

HASH = 12
"""Characters of a hash that are shown."""


def show_pins(told: Mapping[str, Any], console: Console, *, verified: bool) -> None:
    """The answer of `harness.gate.pins.list_pins`, as a table; reasons stand below it."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, highlight=False)
    for head in ("pin", "executorch", "torch", "model", "program", "threads", "dflash", "state"):
        table.add_column(head, overflow="fold")
    for pin in told["pins"]:
        table.add_row(*_cells(pin, verified=verified))
    console.print(table)
    for pin in told["pins"]:
        console.print(f"{pin['name']}: {pin['why']}", markup=False, highlight=False)
        if pin["unprepared"]:
            reason = f"  cannot be prepared here: it {pin['unprepared']}"
            console.print(reason, markup=False, highlight=False)
    console.print(f"\n{told['path']}", markup=False, highlight=False, soft_wrap=True)


def pin_problems(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Each file that is not what its pin says, once; empty where nothing was verified."""
    return tuple(dict.fromkeys(_problems(told)))


def _problems(told: Mapping[str, Any]) -> Iterator[str]:
    for pin in told["pins"]:
        for file in pin.get("files", ()):
            if file["found"] in {"wrong", "absent"}:
                yield f"{file['path']} is not the file of {file['owner']}: {file['problem']}"


def _cells(pin: Mapping[str, Any], *, verified: bool) -> tuple[str, ...]:
    facts = pin["facts"]
    return (
        pin["name"],
        _short(facts.get("executorch", "")),
        facts.get("torch", ""),
        facts.get("model", ""),
        _short(facts.get("program SHA-256", "hash unknown")),
        facts.get("threads", "").removesuffix(" at each start"),
        facts.get("dflash", ""),
        _state(pin, verified=verified),
    )


def _state(pin: Mapping[str, Any], *, verified: bool) -> str:
    ready = "ready" if pin["prepared"] else "not prepared"
    if pin["unprepared"]:
        ready = "not here"
    if not verified:
        return ready
    counts: dict[str, int] = {}
    for file in pin["files"]:
        counts[file["found"]] = counts.get(file["found"], 0) + 1
    files = ", ".join(f"{count} {found}" for found, count in counts.items())
    return f"{ready}, files: {files}"


def _short(text: str) -> str:
    """A hash or a commit in its first characters; anything else whole."""
    return text[:HASH] if len(text) in {40, 64} else text
