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
    log.py       where a line of `reports/LOG.md` goes
    changes.py   since when a number is another one
    history.py   accepted gates over time, machine by machine
    plain_json.py  text of the files that are committed
    cli.py       the commands; cli_after.py those for gates that have ended
"""
