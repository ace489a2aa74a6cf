"""Visits to the target's own page: what a person does there, step by step, and what they see.

    scenario    what a scenario file of visits says
    plan        its visits with their slots filled; what each step has to show
    runner      the visits in a browser, every step on disk when it has ended
    checks      what a step has to show, each promise a function of what is on disk
    figures     what the page shows of a turn's figures, and whether it is what was sent
    judge       everything that follows from such a run

A step that asks for a turn leaves a trace like any other, and the checks of a turn judge it, too.
Each other step leaves a trace without a request (`harness.browser.record.look`).  What was seen on
the page when a step had ended is the trace's action `saw`.
"""
