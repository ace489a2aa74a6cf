"""Is drafting given up where it loses, and tried again?"""

from __future__ import annotations

from playground.worker.break_even import CHECK, MOST_REST, PROBE, REST, BreakEven, Costs


def costs(relative: float) -> Costs:
    """Costs of a machine where a round takes as long as so many steps."""
    costs = Costs()
    costs.step_took(1.0)
    costs.round_took(relative)
    return costs


def rounds(rule: BreakEven, tokens: int, relative: float, count: int) -> int:
    """Draft as long as the rule lets us; how many rounds it were."""
    for done in range(count):
        if rule.resting:
            return done
        rule.round(tokens, relative)
    return count


def rest(rule: BreakEven) -> int:
    """Take plain steps as long as the rule asks for them; how many it were."""
    return rest_at(rule, 1.0)


def rest_at(rule: BreakEven, duration: float) -> int:
    """Take plain steps that take so long."""
    steps = 0
    while rule.resting:
        rule.step(duration)
        steps += 1
    return steps


def test_a_round_costs_what_it_took_next_to_a_step() -> None:
    """Medians, so that one slow call is no news."""
    costs = Costs()
    for duration in (2.0, 2.0, 90.0):
        costs.step_took(duration)
    for duration in (3.0, 3.0, 0.1):
        costs.round_took(duration)

    assert costs.relative == 1.5


def test_only_recent_times_count() -> None:
    """The context grows, and the machine has other things to do."""
    costs = Costs()
    costs.step_took(1.0)
    for duration in [9.0] * 50 + [2.0] * 16:
        costs.round_took(duration)

    assert costs.relative == 2.0


def test_drafting_goes_on_where_it_pays() -> None:
    """Two tokens a round that takes less than two steps."""
    assert rounds(BreakEven(costs(1.9)), 2, 1.9, count=500) == 500


def test_drafting_is_given_up_where_it_loses() -> None:
    """After as many rounds as it takes to judge."""
    rule = BreakEven(costs(2.1))

    assert rounds(rule, 2, 2.1, count=500) == PROBE
    assert rest(rule) == CHECK
    assert rounds(rule, 2, 2.1, count=500) == CHECK
    assert rest(rule) == REST


def test_steps_are_timed_anew_before_drafting_is_given_up() -> None:
    """The machine became slower; the rounds show it, and the steps were taken before."""
    rule = BreakEven(costs(1.9))

    assert rounds(rule, 2, 3.8, count=500) == 8
    assert rest_at(rule, 2.0) == CHECK
    assert rounds(rule, 2, 3.8, count=500) == 500


def test_a_busy_moment_does_not_end_drafting_that_pays() -> None:
    """All is ten times slower for some rounds, and no longer when steps are timed anew."""
    rule = BreakEven(costs(1.9))

    assert rounds(rule, 3, 19.0, count=500) == PROBE
    assert rest_at(rule, 1.0) == CHECK
    assert rounds(rule, 3, 1.9, count=500) == 500


def test_a_probe_is_not_judged_by_rounds_before_the_rest() -> None:
    """They were slow because the text was, or the machine: neither need be so any more."""
    rule = BreakEven(costs(1.9))
    rests = []
    for _ in range(2):
        rounds(rule, 3, 19.0, count=500)
        rests.append(rest_at(rule, 1.0))

    assert rests == [CHECK, REST]
    assert rounds(rule, 3, 1.9, count=500) == 500


def test_each_failed_probe_doubles_the_rest() -> None:
    """Up to a limit, so that it is always tried again."""
    rule = BreakEven(costs(2.1))
    rests = []
    for _ in range(7):
        rounds(rule, 2, 2.1, count=500)
        rests.append(rest(rule))

    assert rests == [CHECK, REST, 2 * REST, 4 * REST, MOST_REST, MOST_REST, MOST_REST]


def test_a_probe_that_pays_is_the_end_of_the_rest() -> None:
    """And the next one starts with a check again."""
    rule = BreakEven(costs(2.1))
    for _ in range(3):
        rounds(rule, 2, 2.1, count=500)
        rest(rule)

    assert rounds(rule, 4, 2.1, count=100) == 100
    rounds(rule, 1, 2.1, count=500)
    assert rest(rule) == CHECK


def test_a_bad_stretch_of_text_ends_drafting_soon() -> None:
    """What was right long ago counts no more."""
    rule = BreakEven(costs(2.5))
    rounds(rule, 4, 2.5, count=1000)

    assert rounds(rule, 1, 2.5, count=1000) <= 16


def test_nothing_is_given_up_before_both_costs_are_known() -> None:
    """A clock that stands still says nothing either."""
    unknown, still = Costs(), Costs()
    still.step_took(0.0)

    assert (unknown.relative, still.relative) == (None, None)
    assert rounds(BreakEven(unknown), 1, 5.0, count=100) == 100
    assert rounds(BreakEven(still), 1, 0.0, count=100) == 100
