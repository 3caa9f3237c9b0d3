"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

# The first call of a kernel compiles it, which takes seconds on a cold cache: time limits per example mean nothing.
settings.register_profile("hedgehog", deadline=None)
settings.load_profile("hedgehog")
