"""What the machine did beside a turn is read from its own accounts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.clock import Instants
from harness.machine import Reading, SystemMachine, Ticks, marks_between, read_machine

if TYPE_CHECKING:
    from pathlib import Path

S = 1_000_000_000
ZERO = Instants(0, 0, 0)


def ticks(passed: float, busy: float, ours: float, **target: tuple[float, float]) -> Ticks:
    """So many seconds; targets by `p` and their process id."""
    return Ticks(passed, busy, ours, {int(name[1:]): took for name, took in target.items()})


def reading(at_s: float, found: Ticks | None) -> Reading:
    """All clocks alike."""
    at = round(at_s * S)
    return Reading(Instants(at, at, at), found)


@pytest.mark.parametrize(
    ("before", "after", "expect"),
    [
        (ticks(0, 0, 0), ticks(2, 1.0, 0.5), 0.25),
        (ticks(0, 0, 0, p7=(-9, 3)), ticks(2, 1.0, 0.5, p7=(-9, 3.5)), 0.0),
        (ticks(0, 0, 0), ticks(2, 1.0, 0.5, p7=(0.5, 0.3)), 0.1),
        (ticks(0, 0, 0), ticks(2, 0.4, 0.5), 0.0),
        (ticks(0, 0, 0), ticks(0, 0, 0), None),
        (ticks(0, 0, 0, p7=(-9, 3)), ticks(2, 1.0, 0.5), None),
        (ticks(0, 0, 0), ticks(2, 1.0, 0.5, p7=(-9, 3.5)), None),
    ],
    ids=[
        "of two processors for a second, others had half a one",
        "what the target took is not others'",
        "nor what it took since it was started",
        "ticks are coarse: never below 0",
        "no time passed",
        "a process of the target ended",
        "one was not watched from the beginning",
    ],
)
def test_the_share_of_others(before: Ticks, after: Ticks, expect: float | None) -> None:
    """Of all processors' time, what neither we nor the target had; no mark where not known."""
    assert marks_between(reading(0, before), reading(1, after)).get("busy") == expect


def test_sleep_and_a_clock_that_was_set_are_told_apart() -> None:
    """In sleep one clock stands still; a clock that is set leaves the others alone."""
    slept = Reading(Instants(1 * S, 4 * S, 4 * S))
    was_set = Reading(Instants(1 * S, -2 * S, 1 * S))

    assert marks_between(Reading(ZERO), slept) == {"asleep_s": 3.0, "clock_jump_s": 0.0}
    assert marks_between(Reading(ZERO), was_set) == {"asleep_s": 0.0, "clock_jump_s": -3.0}


def test_where_there_is_no_account_the_load_average_stands_for_it(tmp_path: Path) -> None:
    """Of a system without /proc."""
    found = read_machine((), ZERO, proc=tmp_path)

    assert found.ticks is None
    assert found.load == pytest.approx(os.getloadavg()[0] / (os.cpu_count() or 1), abs=0.5)
    assert "load" in marks_between(found, found)


def write_account(proc: Path, *, busy: int, idle: int, target: int) -> None:
    """A machine's account in ticks, and that of process 7, whose name is meant to mislead."""
    (proc / "stat").write_text(f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2 3\n")
    (proc / "7").mkdir(exist_ok=True)
    (proc / "7" / "stat").write_text(f"7 (a) b) R {'0 ' * 10}{target} 0 0 0 0 0 0 0 1 0 0\n")


def test_the_accounts_of_the_machine_and_of_a_process_are_read(tmp_path: Path) -> None:
    """Fields are counted behind the name, which may hold anything."""
    write_account(tmp_path, busy=300, idle=500, target=200)
    tick_s = 1 / os.sysconf("SC_CLK_TCK")

    found = read_machine((7, 8), ZERO, proc=tmp_path).ticks

    assert found is not None
    assert [found.all_s, found.busy_s] == pytest.approx([800 * tick_s, 300 * tick_s])
    assert list(found.target_s) == [7]
    assert list(found.target_s[7]) == pytest.approx([tick_s, 200 * tick_s])


class Hand:
    """All clocks, moved by hand."""

    def __init__(self) -> None:
        self.s = 0.0

    def now(self) -> Instants:
        """Where they were put."""
        at = round(self.s * S)
        return Instants(at, at, at)


def test_a_short_turn_takes_in_the_time_before_it(tmp_path: Path) -> None:
    """Else a few ticks would decide; and where too little was watched there is no mark."""
    hand = Hand()
    write_account(tmp_path, busy=0, idle=0, target=0)
    machine = SystemMachine(tmp_path, hand.now)
    machine.target_is(())
    hand.s = 0.2
    too_soon = machine.marks(machine.begin())
    write_account(tmp_path, busy=900, idle=100, target=0)
    hand.s = 0.4

    assert "busy" not in too_soon
    assert machine.marks(machine.begin())["busy"] == pytest.approx(0.9, abs=0.02)


def test_a_long_turn_is_its_own_window(tmp_path: Path) -> None:
    """What went on before it is no matter of its."""
    hand = Hand()
    write_account(tmp_path, busy=900, idle=100, target=0)
    machine = SystemMachine(tmp_path, hand.now)
    machine.target_is(())
    hand.s = 1
    begun = machine.begin()
    write_account(tmp_path, busy=900, idle=1100, target=0)
    hand.s = 2

    assert machine.marks(begun)["busy"] == 0.0


def test_a_target_of_which_nothing_is_known_leaves_no_share_to_others(tmp_path: Path) -> None:
    """Its own work must not be held against the machine."""
    hand = Hand()
    write_account(tmp_path, busy=0, idle=0, target=0)
    machine = SystemMachine(tmp_path, hand.now)
    begun = machine.begin()
    write_account(tmp_path, busy=900, idle=100, target=0)
    hand.s = 1

    assert set(machine.marks(begun)) == {"asleep_s", "clock_jump_s"}


def test_a_target_that_was_started_again_leaves_no_share_to_others(tmp_path: Path) -> None:
    """Its processes are others now than those that are watched."""
    hand = Hand()
    write_account(tmp_path, busy=0, idle=0, target=0)
    machine = SystemMachine(tmp_path, hand.now)
    machine.target_is((8,))  # there is a 7
    begun = machine.begin()
    write_account(tmp_path, busy=900, idle=100, target=0)
    hand.s = 1

    assert "busy" not in machine.marks(begun)


@pytest.mark.parametrize(("beside", "busy"), [(False, 0.9), (True, 0.1)])
def test_who_is_measured_beside_is_none_of_the_others(
    tmp_path: Path,
    beside: bool,  # noqa: FBT001
    busy: float,
) -> None:
    """Two targets that take turns are both known."""
    hand = Hand()
    write_account(tmp_path, busy=0, idle=0, target=0)
    other = SystemMachine(tmp_path, hand.now)
    other.target_is((7,))
    machine = SystemMachine(tmp_path, hand.now, beside=[other] if beside else [])
    machine.target_is(())
    begun = machine.begin()
    write_account(tmp_path, busy=900, idle=100, target=800)
    hand.s = 1

    assert machine.marks(begun)["busy"] == pytest.approx(busy, abs=0.02)
