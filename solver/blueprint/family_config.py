"""The YAML configuration of blueprints for several stack depths: one file, one pack for each depth.

The key ``depths`` has an entry for each depth in big blinds, with what differs from the rest of the file::

    depths:
      - {bb: 10, iterations: 300000, menu: {preflop: 2x / 2.5x}}
      - {bb: 100}
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from hedgehog.runtime.config_file import ConfigFile, include_file, read_text
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.config import (
    MAX_NAME,
    BlueprintPackConfig,
    MenuConfig,
    StopConfig,
    verify_blueprint_config,
)
from hedgehog.solver.blueprint.tree import MAX_STACK

WHAT: Final = "blueprints for several depths"


class DepthConfig(BaseModel):
    """One depth of a family: what it does not say is as in the rest of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bb: Decimal = Field(gt=1, le=10_000, max_digits=12)
    """The stack in big blinds, exactly as it is written."""
    menu: MenuConfig | None = None
    """Replaces these keys of the menu of the file; with a preset it is a menu of its own."""
    iterations: int | None = Field(default=None, gt=0)
    seconds: float | None = Field(default=None, gt=0)
    stop: StopConfig | None = None
    """A depth that gives ``iterations``, ``seconds`` or ``stop`` has none of the limits of the file."""

    @property
    def text(self) -> str:
        """The number of big blinds as text without needless zeros: ``10``, ``12.5``."""
        return f"{self.bb.normalize():f}"


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
            own = depth.menu.model_dump(exclude_none=True)
            values["menu"] = depth.menu if depth.menu.preset else self.menu.model_copy(update=own)
        # Rounded down: the reader of the file refuses stacks that are no whole chips.
        values |= {"name": f"{self.name}-{depth.text}bb", "stack": int(depth.bb * self.blinds[1])}
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
    if family.name.startswith("."):
        raise file.fail(("name",), f"'name': a folder of this name would be hidden, got {family.name!r}")
    seen: set[str] = set()
    for number, (depth, member) in enumerate(zip(family.depths, family.members(), strict=True)):
        place = ("depths", str(number))
        bb, big = (*place, "bb"), family.blinds[1]
        if depth.text in seen:
            raise file.fail(bb, f"there are two depths of {depth.text} big blinds")
        seen.add(depth.text)
        if member.stack != depth.bb * big:
            raise file.fail(bb, f"{depth.text} big blinds of {big} are no whole chips")
        if member.stack >= MAX_STACK:
            raise file.fail(bb, f"expected a stack below {MAX_STACK:,} chips, got {member.stack:,}")
        verify_blueprint_config(file, member, place)
        if len(member.name) > MAX_NAME:
            raise file.fail(("name",), f"'name': {member.name!r} has more than {MAX_NAME} characters")
    return family
