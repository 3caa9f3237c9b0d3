"""The files of a store of graded hands, for those who only need their names."""

from __future__ import annotations

from typing import Final

SETTINGS: Final = "grading.json"
"""Says what the store holds."""
PARTS: Final = "part-*.json"
ANSWERS: Final = "drill.json"
"""The answers of drills on the store."""
