"""May this runtime or model replace the pinned one?

Two sides, a baseline and a candidate, are started in turn, ABBA, and play the same scenarios; the
unit of what is compared is a start of the server.

    policy.py    what is measured, with which margins, how often: a file in `bootstrap/gates`
    pins.py      what a side is: a pin, a release or a URL, as `python -m bootstrap` tells it
    record.py    what a gate leaves on disk
    extract.py   what one start came to, metric by metric
    answers.py   whether both sides say the same, and are both right
    anchor.py    how fast the machine itself is just now
    result.py    what follows from it: the values that every report tells
    baseline.py  what is kept of accepted gates, and of the noise of A/A gates
    accept.py    whether a gate may become the baseline
    accepting.py  what is written when it does
    log.py       where a line of `reports/LOG.md` goes
    changes.py   since when a number is another one
    history.py   accepted gates over time, machine by machine
    finished.py  what a finished run, suite or gate came to
    unpaired.py  what can be said of two that were not played in turn
    compare.py   two of them side by side, without a verdict on their numbers
    merge.py     gates of several machines side by side
    plain_json.py  text of the files that are committed
    measured.py  what all starts come to in one metric: pairs, interval, ruling, words
    pairing.py   which starts make a pair, and what is missing
    ratios.py    how much worse one side is, with its interval
    sequence.py  how sure each look has to be, so that many looks make no more errors
    decision.py  the rule: pass, fail, or it cannot be told; and when a fail is final
    resolution.py  whether a margin can be resolved, and how many pairs it takes
    false_discovery.py  which of the metrics that cannot fail have changed
    judge.py     all of it, from the folder to one result
    tally.py     what the runs of one side came to, check by check
    checks.py    the same checks of both sides: what speaks against the candidate
    instrument.py  which of them say that a side's own figures cannot be true
    loaded.py    what a running process has really loaded
    differences.py  what is apart on both sides, and whether each was what its pin says
    ruling.py    one verdict of all that was found, and why
    standing.py  how many checks hold, and how many were never seen to
    doubts.py    what is to be known before it is believed
    rederive.py  every report of a gate, derived again
    order.py     what is to be played, of a new gate or of one that goes on
    plan.py      in which order the two sides are started
    runner.py    how it is played
    bench.py     what that needs of the world: servers, clocks, memory, the judge
    enough.py    whether enough is measured
    guard.py     what has to be the same on both sides, and in every session
    machine_facts.py  how the machine stands: power, heat, builds
    memory.py    what a process holds now
    command.py   `muse-bench gate`, from what was asked to its exit code
    cli.py       the commands: cli_gate.py plays a gate, cli_after.py has those for what has ended,
                 cli_pins.py those for pins
"""
