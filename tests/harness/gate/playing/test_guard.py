"""Nothing is compared that differs in more than is asked, unless that is allowed by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.errors import NotComparable
from harness.fingerprint import Commit, Fingerprint
from harness.gate.guard import (
    GUARDED,
    allowed_of,
    between,
    circumstances,
    of_hosts,
    of_sampling,
    refuse_unless_allowed,
)
from harness.gate.pins import Pin
from harness.gate.result import Difference

MACHINE = Fingerprint(
    "Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, Commit("a" * 40, False)
)
FACTS = {
    "power source": "mains",
    "low-power mode": "off",
    "OS build": "Some 1 (22A)",
    "browser": "Chromium 1",
    "thermal": "not held back",
}
PROMPTS = {"talk": "c" * 64}
HERE = Pin("embedded", "pin", "a" * 64, {})


@pytest.mark.parametrize(
    ("what", "machine", "facts", "prompts"),
    [
        ("hardware", {"cores": 4}, {}, PROMPTS),
        ("hardware", {"processor": "Other"}, {}, PROMPTS),
        ("hardware", {"memory_bytes": None}, {}, PROMPTS),
        ("os", {"system": "Some 2"}, {}, PROMPTS),
        ("os", {}, {"OS build": "Some 1 (22B)"}, PROMPTS),
        ("power", {}, {"power source": "battery"}, PROMPTS),
        ("low-power", {}, {"low-power mode": "on"}, PROMPTS),
        ("prompts", {}, {}, {"talk": "d" * 64}),
        ("prompts", {}, {}, {**PROMPTS, "walk": "d" * 64}),
        ("harness", {"commit": Commit("b" * 40, False)}, {}, PROMPTS),
        ("harness", {"commit": Commit("a" * 40, True)}, {}, PROMPTS),
        ("harness", {"commit": None}, {}, PROMPTS),
        ("packages", {"packages": {"httpx": "1"}}, {}, PROMPTS),
        ("packages", {"python": "Python 4"}, {}, PROMPTS),
        ("browser", {}, {"browser": "Chromium 2"}, PROMPTS),
    ],
)
def test_every_circumstance_is_looked_at(
    what: str, machine: dict[str, object], facts: dict[str, str], prompts: dict[str, str]
) -> None:
    """By itself, and by the name that `--allow` takes."""
    then = circumstances(MACHINE, FACTS, PROMPTS)
    now = circumstances(replace(MACHINE, **machine), {**FACTS, **facts}, prompts)  # type: ignore[arg-type]

    (found,) = between(then, now)
    assert found == Difference(what, then[what], now[what], under_test=False)
    assert what in GUARDED


def test_heat_is_no_circumstance_and_what_is_not_told_is_the_same_as_before() -> None:
    """A system that tells nothing of power can be measured."""
    then = circumstances(MACHINE, {}, PROMPTS)

    assert between(then, circumstances(MACHINE, {"thermal": "held back"}, PROMPTS)) == ()
    assert then["power"] == "not told"


@pytest.mark.parametrize(
    ("baseline", "candidate", "found"),
    [
        ("", "", None),
        ("", "http://127.0.0.1:8080", None),
        ("http://localhost:1", "http://[::1]:2", None),
        ("http://far.example", "http://far.example:8080/", None),
        ("", "http://far.example", ("this machine", "far.example")),
        ("http://near.example", "http://far.example", ("near.example", "far.example")),
    ],
)
def test_two_sides_have_to_run_on_one_machine(
    baseline: str, candidate: str, found: tuple[str, str] | None
) -> None:
    """As far as their addresses tell; a pin runs here."""
    sides = [replace(HERE, name=url, kind="url") if url else HERE for url in (baseline, candidate)]

    expected = (Difference("host", *found, under_test=False),) if found else ()
    assert of_hosts(*sides) == expected


def test_defaults_that_tokens_are_drawn_by_have_to_agree() -> None:
    """What else a server tells may differ; one that tells nothing is not like one that does."""
    plain = {"defaults": {"temperature": 0.0, "topP": 1.0, "maxTokens": 4096}}
    longer = {"defaults": {"temperature": 0.0, "topP": 1.0, "maxTokens": 8192}}
    warmer = {"defaults": {"temperature": 0.7, "topP": 1.0}}

    assert of_sampling(plain, longer) == ()
    (found,) = of_sampling(plain, warmer)
    assert found.candidate == "temperature 0.7, topP 1.0"
    assert of_sampling(None, {}) == ()
    assert len(of_sampling(plain, None)) == 1


def test_a_refusal_names_everything_and_what_to_say() -> None:
    """What is under test, and what was allowed, is no ground."""
    found = allowed_of(
        [
            Difference("power", "mains", "battery", under_test=False),
            Difference("os", "1", "2", under_test=False),
            Difference("executorch", "1", "2", under_test=True),
        ],
        ["os"],
    )

    with pytest.raises(NotComparable) as caught:
        refuse_unless_allowed(found, ("then", "now"))

    assert str(caught.value) == (
        "not comparable: power: then mains, now battery; to compare all the same, say --allow power"
    )
    refuse_unless_allowed(allowed_of(found, ["os", "power"]), ("then", "now"))
