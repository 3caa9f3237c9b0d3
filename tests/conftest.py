"""Settings for all tests."""

from __future__ import annotations

import signal

from hypothesis import settings

# The first call of a kernel compiles it, which takes seconds on a cold cache: time limits per example mean nothing.
settings.register_profile("hedgehog", deadline=None)
settings.load_profile("hedgehog")

# A shell that runs the tests in the background lets them and their children ignore Ctrl-C, which some tests press.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
