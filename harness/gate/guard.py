"""May the numbers of two measurements be compared at all?

Only where nothing differs but what is being asked.  What the two pins differ in is that; anything
else in `GUARDED` refuses the gate, unless `--allow` names it, and then it stands in the report.

The same is asked, by the same names, of two sessions of a gate that goes on, and of two finished
runs that are compared.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from harness.errors import NotComparable, UsageError
from harness.gate.result import Difference
from harness.scenario import digest
from harness.target import is_here

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.fingerprint import Commit, Fingerprint
    from harness.gate.pins import Pin
    from harness.gate.record import GateRecord

__all__ = [
    "GUARDED",
    "allowed_of",
    "between",
    "circumstances",
    "guarded",
    "of_hosts",
    "of_sampling",
    "refuse_unless_allowed",
    "same_gate",
]

GUARDED: Mapping[str, str] = {
    "host": "which machine a side runs on",
    "hardware": "processor, cores and memory",
    "os": "system and build",
    "power": "mains or battery",
    "low-power": "low-power mode",
    "sampling": "what a side draws tokens by where it is not told",
    "prompts": "the scenarios, by their hash",
    "harness": "the commit of the harness",
    "packages": "its Python and packages",
    "browser": "the browser that is driven",
}
"""What has to be the same, by the name that `--allow` takes."""

SAMPLING = ("temperature", "topP", "topK", "reasoningStrength")
NOT_TOLD = "not told"
HERE = "this machine"


def circumstances(
    machine: Fingerprint, facts: Mapping[str, str], scenarios: Mapping[str, str]
) -> Mapping[str, str]:
    """What has to be the same in every session of a gate.

    `facts` are those of `machine_facts`, `scenarios` are hashes by name.
    """
    commit = machine.commit
    memory = machine.memory_bytes
    packages = (f"{name} {version}" for name, version in sorted(machine.packages.items()))
    found = {
        "hardware": f"{machine.processor}, {machine.cores} cores, {machine.machine}, "
        f"{f'{memory / 2**30:.1f} GiB' if memory else NOT_TOLD}",
        "os": ", ".join(filter(None, (machine.system, facts.get("OS build")))),
        "power": facts.get("power source"),
        "low-power": facts.get("low-power mode"),
        "prompts": digest("\n".join(f"{name} {sha}" for name, sha in sorted(scenarios.items()))),
        "harness": f"{commit.revision}{', changed' if commit.dirty else ''}" if commit else None,
        "packages": ", ".join((machine.python, *packages)),
        "browser": facts.get("browser"),
    }
    return {name: value or NOT_TOLD for name, value in found.items()}


def between(then: Mapping[str, str], now: Mapping[str, str]) -> tuple[Difference, ...]:
    """What differs between two circumstances, in the order of `GUARDED`."""
    return tuple(
        Difference(name, then.get(name, NOT_TOLD), now.get(name, NOT_TOLD), under_test=False)
        for name in GUARDED
        if then.get(name, NOT_TOLD) != now.get(name, NOT_TOLD)
    )


def of_hosts(baseline: Pin, candidate: Pin) -> tuple[Difference, ...]:
    """Whether the two sides run on two machines, as far as their addresses tell."""
    before, after = _host(baseline), _host(candidate)
    return () if before == after else (Difference("host", before, after, under_test=False),)


def of_sampling(
    baseline: Mapping[str, object] | None, candidate: Mapping[str, object] | None
) -> tuple[Difference, ...]:
    """Whether two servers draw tokens by other defaults, as `/api/runtime` tells them."""
    before, after = _sampling(baseline), _sampling(candidate)
    return () if before == after else (Difference("sampling", before, after, under_test=False),)


def guarded(names: Sequence[str]) -> tuple[str, ...]:
    """What `--allow` names, each once.

    Raises:
        UsageError: one of them is nothing that is guarded.
    """
    for name in names:
        if name not in GUARDED:
            raise UsageError(f"--allow {name!r} is nothing that is guarded; {', '.join(GUARDED)}")
    return tuple(dict.fromkeys(names))


def allowed_of(found: Iterable[Difference], allowed: Sequence[str]) -> tuple[Difference, ...]:
    """The same differences, each with whether it was allowed."""
    return tuple(replace(each, allowed=each.what in allowed) for each in found)


def refuse_unless_allowed(found: Iterable[Difference], who: tuple[str, str]) -> None:
    """Refuse what differs and was not allowed; `who` are the two that are compared.

    Raises:
        NotComparable: with every such difference, and what to try.
    """
    left = [each for each in found if not each.allowed and not each.under_test]
    if left:
        told = "; ".join(
            f"{each.what}: {who[0]} {each.baseline}, {who[1]} {each.candidate}" for each in left
        )
        names = " ".join(f"--allow {each.what}" for each in left)
        raise NotComparable(f"not comparable: {told}; to compare all the same, say {names}")


def same_gate(record: GateRecord, baseline: Pin, candidate: Pin, now: Fingerprint) -> None:
    """Whether a gate can go on: the same harness and the same pins.

    The policy is kept with the gate, and whoever reads it finds out whether it was changed.

    Raises:
        NotComparable: it is another harness, one that no commit knows, or a pin is another one by
            now.
    """
    then = record.fingerprint.commit
    for commit in (then, now.commit):
        if commit is None or commit.dirty:
            raise NotComparable(
                f"a gate goes on with the harness that it was begun with, and {_commit(commit)} "
                "does not say which that is; begin a new one, from a clean checkout"
            )
    if then != now.commit:
        raise NotComparable(
            f"the gate was begun by the harness of {_commit(then)}, this is {_commit(now.commit)}; "
            "begin a new one"
        )
    for kept, found in ((record.baseline, baseline), (record.candidate, candidate)):
        if kept.digest != found.digest:
            raise NotComparable(
                f"the pin {kept.name} says something else than when the gate was begun "
                f"({kept.digest[:12]}, now {found.digest[:12]}); begin a new one"
            )


def _commit(commit: Commit | None) -> str:
    if commit is None:
        return "no commit that is known"
    return f"commit {commit.revision[:12]}{' with changes' if commit.dirty else ''}"


def _host(pin: Pin) -> str:
    if pin.url is None:
        return HERE
    return HERE if is_here(pin.url) else urlsplit(pin.url).hostname or ""


def _sampling(runtime: Mapping[str, object] | None) -> str:
    told = (runtime or {}).get("defaults")
    if not isinstance(told, dict):
        return NOT_TOLD
    return ", ".join(f"{name} {told[name]}" for name in SAMPLING if name in told) or NOT_TOLD
