"""Is the table of reset reasons followed, line by line?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.worker.prefill_plan import PrefillPlan, plan_prefill

IDS = st.lists(st.integers(0, 3), max_size=8)


@pytest.mark.parametrize(
    ("resident", "prompt", "dirty", "expected"),
    [
        ([1, 2], [1, 2, 3], True, PrefillPlan(0, "dirty")),
        ([], [1, 2, 3], True, PrefillPlan(0, "dirty")),
        ([], [1, 2, 3], False, PrefillPlan(0, "new")),
        ([1, 2, 3], [1, 2], False, PrefillPlan(0, "mismatch")),
        ([1, 2, 3], [4, 5], False, PrefillPlan(0, "mismatch")),
        ([1, 9], [1, 2, 3], False, PrefillPlan(0, "mismatch")),
        ([1, 2, 9], [1, 2, 3], False, PrefillPlan(0, "mismatch")),
        ([1, 2, 3], [1, 2, 3], False, PrefillPlan(0, "equal")),
        ([1, 2], [1, 2, 3], False, PrefillPlan(2, "exact_prefix")),
        ([1], [1, 2, 3], False, PrefillPlan(1, "exact_prefix")),
    ],
)
def test_first_line_that_is_true_decides(
    resident: list[int],
    prompt: list[int],
    dirty: bool,  # noqa: FBT001
    expected: PrefillPlan,
) -> None:
    """Each line of the table, with the ones above it not being true."""
    assert expected == plan_prefill(resident, prompt, dirty=dirty)


@given(resident=IDS, prompt=IDS.filter(bool), dirty=st.booleans())
def test_something_is_always_left_to_prefill(
    resident: list[int],
    prompt: list[int],
    dirty: bool,  # noqa: FBT001
) -> None:
    """What is kept is a proper beginning of the prompt, and resident."""
    plan = plan_prefill(resident, prompt, dirty=dirty)

    assert prompt[plan.start :]
    assert prompt[: plan.start] == resident[: plan.start]


@given(prompt=IDS.filter(bool), completion=IDS, more=IDS.filter(bool))
def test_append_only_turns_reuse_all_that_is_resident(
    prompt: list[int], completion: list[int], more: list[int]
) -> None:
    """A prompt that goes on where the last turn ended prefills what was appended, and no more."""
    resident = prompt + completion

    plan = plan_prefill(resident, resident + more, dirty=False)

    assert PrefillPlan(len(resident), "exact_prefix") == plan
