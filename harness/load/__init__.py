"""Load: many clients on one worker, and whoever asks meanwhile whether the server lives.

    scenario    what a scenario file of load says
    plan        who asks what, and in which phase
    runner      the phases against a target, every request and every probe on disk as it ends
    seen        one request of a load, on the clock of the run
    fairness    the promises about order, waiting and places
    service     the promises about answers, refusals, goodput and probes
    judge       everything that follows from such a run

Phases, one after the other, while `/health` and `/api/runtime` are asked all the time:

    alone   one client asks again and again: what a turn takes while nobody else is there
    loop    every client asks, and asks again as soon as it is answered (closed loop)
    burst   more come than are answered, each at its time whether others are answered or not
            (open loop); some name sessions for which there is no place
    gone    some wait behind others and go away; one more waits behind them
"""
