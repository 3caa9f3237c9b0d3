"""Logs of seatings: which are complete, which are the beginning of one, and which are something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.arena.seating_log import ExpectedLog, count_unfinished_hands, read_finished_log
from hedgehog.poker.acpc.gamedef import find_gamedef

