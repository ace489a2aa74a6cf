"""What holds for every test: no test fails because the machine was busy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("whenever", deadline=None)
settings.load_profile("whenever")
