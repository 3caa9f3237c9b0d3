"""The origin that packs and saved solves made by tests record."""

from __future__ import annotations

from hedgehog.strategies.manifest import Provenance

PROVENANCE = Provenance(command="pytest", hedgehog_version="0", commit="none", date="2026-11-21", machine="none")
