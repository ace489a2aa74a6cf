"""What is to be played of a gate: a new one, or one that goes on?

Every mistake in the policy, in a scenario or in the suite is found here, before anything is
started; and whether two gates that were left and go on are one.
"""

from __future__ import annotations

import functools
import io
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.console import Console

from harness.browser.chromium import find_chromium
from harness.errors import NotComparable, UsageError
from harness.gate.baseline import kept_noise
from harness.gate.guard import (
    allowed_of,
    between,
    circumstances,
    guarded,
    refuse_unless_allowed,
    same_gate,
)
from harness.gate.machine_facts import machine_facts
from harness.gate.policy import DEFAULT_POLICY, find_policy, parse_policy
from harness.gate.record import GateRecord, Side, read_gate
from harness.gate.runner import GateOrder
from harness.kinds import load_scenario
from harness.playing import AskedAlike
from harness.scenario import digest
from harness.scenario_files import find_scenario, find_suite
from harness.suite.plan import plan_suite
from harness.toml_values import read_toml_file

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from harness.fingerprint import Fingerprint
    from harness.gate.pins import Pin
    from harness.gate.policy import Policy
    from harness.gate.runner import PlayedAs, SuiteOf
    from harness.kinds import Kind
    from harness.playing import Player
    from harness.suite.runner import SuiteOrder

__all__ = ["GateAsked", "new_order", "resumed_order"]

QUIET = Console(file=io.StringIO(), quiet=True)
"""Where the scenarios of a start tell of themselves: the gate does that."""


IN_TURN = ("conversation", "acts", "exam")
"""Kinds of scenarios that send one request at a time."""


@dataclass(frozen=True, slots=True)
class GateAsked:
    """What the command line says of a gate, new or going on."""

    policy: str | None = None
    """By name or file; None for the one that is meant where none is named."""
    pairs: int | None = None
    budget_min: float | None = None
    seed: int | None = None
    allow: tuple[str, ...] = ()
    suite: bool = True
    everything: bool = False


def new_order(
    asked: GateAsked,
    baseline: Pin,
    candidate: Pin,
    *,
    started_at: str,
    console: Console,
    here: Fingerprint,
    machine: Callable[..., Mapping[str, str]] = machine_facts,
) -> GateOrder:
    """A gate that begins now; `console` is where the parts of the suite draw their progress.

    `here` is this machine and this harness, `machine` tells how it stands; see `machine_facts`.

    Raises:
        UsageError: the policy, or something that it names, cannot be played.
    """
    path = find_policy(asked.policy or DEFAULT_POLICY)
    text = read_toml_file(path)
    policy = parse_policy(text, path)
    if asked.pairs is not None and asked.pairs < policy.least:
        raise UsageError(
            f"--pairs {asked.pairs} would decide nothing: the policy {policy.name} asks for "
            f"{policy.least} at least"
        )
    scenarios, hashes = _scenarios(policy, path)
    suite, page = _suite(policy, path, console)
    record = GateRecord(
        policy=policy.name,
        policy_sha256=digest(text),
        baseline=baseline,
        candidate=candidate,
        pairs=asked.pairs or policy.pairs,
        budget_min=asked.budget_min or policy.budget_min,
        seed=secrets.randbelow(10**6) if asked.seed is None else asked.seed,
        salt=secrets.token_hex(4),
        started_at=started_at,
        fingerprint=here,
        machine=machine(browser=find_chromium() if asked.suite and page else None),
        scenarios=hashes,
        noise=kept_noise(policy, baseline, here) or {},
        suite=asked.suite,
        together=policy.together,
        allowed=guarded(asked.allow),
    )
    return GateOrder(
        record, policy, text, scenarios, suite if asked.suite else None, asked.everything
    )


def resumed_order(
    asked: GateAsked,
    folder: Path,
    load: Callable[[Side, str], Pin],
    *,
    console: Console,
    here: Fingerprint,
    machine: Callable[..., Mapping[str, str]] = machine_facts,
) -> GateOrder:
    """A gate that was left in this folder; `load` finds the pin of a side as it is now.

    Raises:
        NotComparable: it is not the same gate any more, and how.
        UsageError: something is asked of it that cannot change in its middle.
        TraceError: what was left cannot be read.
    """
    for name in ("pairs", "seed"):
        if getattr(asked, name) is not None:
            raise UsageError(f"--{name} is settled when a gate begins; leave it out with --resume")
    record, policy = read_gate(folder)
    path = find_policy(asked.policy or record.policy)
    text = read_toml_file(path)
    if digest(text) != record.policy_sha256:
        raise NotComparable(
            f"the policy {path} is not the one that the gate was begun with; begin a new one"
        )
    baseline = load(Side.BASELINE, record.baseline.name)
    same_gate(record, baseline, load(Side.CANDIDATE, record.candidate.name), here)
    scenarios, hashes = _scenarios(policy, path)
    suite, page = _suite(policy, path, console)
    facts = machine(browser=find_chromium() if record.suite and page else None)
    allowed = tuple(dict.fromkeys((*record.allowed, *guarded(asked.allow))))
    found = allowed_of(
        between(
            circumstances(record.fingerprint, record.machine, record.scenarios),
            circumstances(here, facts, hashes),
        ),
        allowed,
    )
    refuse_unless_allowed(found, ("then", "now"))
    record = replace(
        record,
        allowed=allowed,
        differences=(*record.differences, *(d for d in found if d not in record.differences)),
        budget_min=asked.budget_min or record.budget_min,
    )
    return GateOrder(
        record, policy, text, scenarios, suite if record.suite else None, asked.everything
    )


def _scenarios(policy: Policy, path: Path) -> tuple[Mapping[str, PlayedAs], Mapping[str, str]]:
    """What plays each scenario of a policy, and its hash."""
    played, hashes = {}, {}
    for name in policy.scenarios:
        beside = path.parent / f"{name}.toml"
        found = beside if beside.is_file() else find_scenario(name)
        kind, scenario, text = load_scenario(found)
        if policy.together and kind.name not in IN_TURN:
            raise UsageError(
                f"{path}: together: {name} is a scenario of {kind.name}, which sends several "
                f"requests at once; only {', '.join(IN_TURN)} can be played in turn"
            )
        played[name] = functools.partial(_player, kind, scenario, text, found)
        hashes[name] = digest(text)
    return played, hashes


def _player(
    kind: Kind, scenario: object, text: str, path: Path, salt: str, stack: contextlib.ExitStack
) -> Player:
    return kind.player(AskedAlike(drawn_from=salt), scenario, text, path, QUIET, stack)


def _suite(policy: Policy, path: Path, console: Console) -> tuple[SuiteOf, bool]:
    """What is run of the suite, by the parts that are named; and whether it needs the page."""
    beside = path.parent / f"{policy.suite}.toml"
    found = beside if beside.is_file() else find_suite(policy.suite)
    text = read_toml_file(found)

    def suite(only: Sequence[str]) -> SuiteOrder:
        return plan_suite(text, found, console, quick=policy.quick, only=only or policy.only)

    return suite, any(part.page for part in suite(()).parts)
