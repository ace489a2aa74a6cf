"""The instrument's own error, on this machine, now.

known         the server's end: streams whose every write is planned, and noted
second        another client, which shares nothing with the harness's own but the clock
calibration   what both ends of known turns say about a client
run           the self-test: clients in turn, the cost of an event, the goals
"""
