"""What holds for every test: none fails because the machine was busy, or by who began it."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("whenever", deadline=None)
settings.load_profile("whenever")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts us in the background has us ignore Ctrl-C, and so would every process
    # that a test starts in order to interrupt it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
