"""The YAML configuration of blueprints for several stack depths: one file, one pack for each depth.

The key ``depths`` has an entry for each depth in big blinds, with what differs from the rest of the file::

    depths:
    - {bb: 10, iterations: 300000, menu: {preset: small, preflop: 2x / 2.5x}}
    - {bb: 100}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from hedgehog.runtime.config_file import ConfigFile, include_file, read_text
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.config import (
    BlueprintPackConfig,
    MenuConfig,
    StopConfig,
    verify_blueprint_config,
)

WHAT = "blueprints for several depths"


class DepthConfig(BaseModel):
    """One depth of a family: what it does not say is as in the rest of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bb: float = Field(gt=1, le=10_000)
    """The stack in big blinds."""
    menu: MenuConfig | None = None
    iterations: int | None = Field(default=None, gt=0)
    seconds: float | None = Field(default=None, gt=0)
    stop: StopConfig | None = None


class BlueprintFamilyConfig(BlueprintPackConfig):
    """Blueprints for several depths. ``stack`` is not read: every depth has its own."""

    depths: tuple[DepthConfig, ...] = Field(min_length=1, max_length=100)

    def members(self) -> tuple[BlueprintPackConfig, ...]:
        """Returns the configuration of the blueprint of each depth, in the order of the file."""
        return tuple(self._member(depth) for depth in self.depths)

    def _member(self, depth: DepthConfig) -> BlueprintPackConfig:
        values: dict[str, Any] = {key: getattr(self, key) for key in BlueprintPackConfig.model_fields}
        if depth.iterations is not None or depth.seconds is not None or depth.stop is not None:
            values |= {"iterations": depth.iterations, "seconds": depth.seconds, "stop": depth.stop}
        if depth.menu is not None:
            values["menu"] = depth.menu
        values |= {"name": f"{self.name}-{depth.bb:g}bb", "stack": round(depth.bb * self.blinds[1])}
        return BlueprintPackConfig.model_construct(**values)


def read_blueprint_family_config(path: Path, text: str | None = None) -> BlueprintFamilyConfig:
    """Returns the checked configuration of blueprints for several depths.

    :param text: text of the file, if it has been read already.
    :raises InputError: if a key is wrong, two depths are equal, or a stack is no whole number of chips. The message has
        file and line.
    """
    text = read_text(path, InputError, WHAT) if text is None else text
    file = ConfigFile(include_file(text, "menu", path, InputError), BlueprintFamilyConfig, InputError, str(path), WHAT)
    family = file.model
    if "stack" in family.model_fields_set:
        raise file.fail(("stack",), "the key 'stack' does not go with 'depths', which say the stacks")
    seen: set[float] = set()
    for number, (depth, member) in enumerate(zip(family.depths, family.members(), strict=True)):
        place = ("depths", str(number))
        if depth.bb in seen:
            raise file.fail((*place, "bb"), f"there are two depths of {depth.bb:g} big blinds")
        seen.add(depth.bb)
        if member.stack != depth.bb * member.blinds[1]:
            raise file.fail((*place, "bb"), f"{depth.bb:g} big blinds of {member.blinds[1]} are no whole chips")
        verify_blueprint_config(file, member, place)
    return family
