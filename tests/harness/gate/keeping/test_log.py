"""A line of the log stands where a reader of the log looks for it."""

from __future__ import annotations

from pathlib import Path

from harness.gate.log import with_entry

LOG = "# Log\n\nNewest first.\n\n## 2026-11-30: a\n\n- one\n\n## 2026-11-28: b\n\n- two\n"


def test_a_new_day_comes_first() -> None:
    """Under its own heading."""
    assert with_entry(LOG, "2026-12-01", "the gate", "x") == LOG.replace(
        "## 2026-11-30", "## 2026-12-01: the gate\n\n- x\n\n## 2026-11-30"
    )


def test_an_older_day_comes_behind_newer_ones() -> None:
    """A gate may be accepted some days after it was run."""
    assert with_entry(LOG, "2026-11-29", "the gate", "x") == LOG.replace(
        "## 2026-11-28", "## 2026-11-29: the gate\n\n- x\n\n## 2026-11-28"
    )


def test_the_oldest_comes_last() -> None:
    """With a line between."""
    assert with_entry(LOG, "2026-11-01", "the gate", "x") == (
        LOG + "\n## 2026-11-01: the gate\n\n- x\n"
    )


def test_entries_of_a_day_are_gathered() -> None:
    """Behind one another, under one heading."""
    once = with_entry(LOG, "2026-11-30", "a", "x")

    assert once == LOG.replace("- one\n", "- one\n- x\n")
    assert with_entry(once, "2026-11-30", "a", "x") == once


def test_a_log_that_is_not_there_is_begun() -> None:
    """With a title."""
    assert with_entry("", "2026-11-30", "a", "x").endswith("\n\n## 2026-11-30: a\n\n- x\n")


def test_our_own_log_keeps_every_line() -> None:
    """Nothing but the new section is added to it."""
    text = (Path(__file__).parents[4] / "reports" / "LOG.md").read_text(encoding="utf-8")

    added = with_entry(text, "2999-01-01", "the gate", "x")

    assert added.replace("## 2999-01-01: the gate\n\n- x\n\n", "") == text
