"""May this runtime or model replace the pinned one?

Two sides, a baseline and a candidate, are started in turn, ABBA, and play the same scenarios; the
unit of what is compared is a start of the server.

values
    policy           what is measured, with which margins, how often: a file in `bootstrap/gates`
    pins             what a side is: a pin, a release or a URL, as `python -m bootstrap` tells it
    record           what a gate leaves on disk
    result           what follows from it: the values that every report tells

play
    order            what is to be played, of a new gate or of one that goes on
    plan             in which order the two sides are started
    alternation      how both sides of a pair take turns, request by request
    runner           how it is played
    bench            what that needs of the world: servers, clocks, memory, the judge
    enough           whether enough is measured
    guard            what has to be the same on both sides, and in every session
    loaded           what a running process has really loaded
    machine_facts    how the machine stands: power, heat, builds
    memory           what a process holds now
    anchor           how fast the machine itself is just now

judge
    judge            all of it, from the folder to one result
    extract          what one start came to, metric by metric
    answers          whether both sides say the same, and are both right
    tally            what the runs of one side came to, check by check
    checks           the same checks of both sides: what speaks against the candidate
    instrument       which of them say that a side's own figures cannot be true
    differences      what is apart on both sides, and whether each was what its pin says
    standing         how many checks hold, and how many were never seen to
    ruling           one verdict of all that was found, and why
    doubts           what is to be known before it is believed
    rederive         every report of a gate, derived again
    change           how a change is said: as a share for the worse, and in words

statistics
    measured         what all starts come to in one metric: pairs, interval, ruling, words
    pairing          which starts make a pair, and what is missing
    ratios           how much worse one side is, with its interval
    sequence         how sure each look has to be, so that many looks make no more errors
    decision         the rule: pass, fail, or it cannot be told; and when a fail is final
    resolution       whether a margin can be resolved, and how many pairs it takes
    false_discovery  which of the metrics that cannot fail have changed
    unpaired         what can be said of two that were not played in turn

keeping
    accept           whether a gate may become the baseline
    accepting        what is written when it does
    baseline         what is kept of accepted gates, and of the noise of A/A gates
    plain_json       text of the files that are committed
    log              where a line of `reports/LOG.md` goes
    changes          since when a number is another one
    history          accepted gates over time, machine by machine
    finished         what a finished run, suite or gate came to
    compare          two of them side by side, without a verdict on their numbers
    merge            gates of several machines side by side

commands
    cli              the commands: their arguments, and no more
    cli_gate         `gate`
    command          `muse-bench gate`, from what was asked to its exit code
    cli_pins         `pins`
    cli_after        those for what has ended: `accept`, `compare`, `history`, `merge`
    extra            whether what the gate computes with is installed
"""
