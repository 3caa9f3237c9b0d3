"""Registries: the named parts of Hedgehog of one kind, such as its CFR rules, with those that other packages add.

Our own parts are in the registry of their kind. Another package adds a part by an entry point of the kind's group::

    [project.entry-points."hedgehog.cfr_rules"]
    warm = "my_package.warm:RULE"

or, for this process alone, by :meth:`Registry.register`. Entry points are found when a name is first asked for, and
imported when that name is. A name that two packages give is refused when it is used, whoever of them was first.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from glob import escape, glob
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hedgehog.runtime.errors import HedgehogError, InputError
from hedgehog.runtime.extending.user_code import user_code_error

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints, SelectableGroups

T = TypeVar("T")

OURS: Final = "hedgehog-poker"
"""Name of our own package."""
GROUP_PREFIX: Final = "hedgehog."
"""What the groups of all entry points for Hedgehog start with."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9+_-]{0,31}")
_EXPECTED_NAME: Final = "expected up to 32 small letters, digits, '+', '-' and '_'"


@dataclass(frozen=True, slots=True)
class Later:
    """A part that is imported when it is first asked for."""

    module: str
    attribute: str


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a part comes from."""

    package: str
    value: Any
    """The part itself, a :class:`Later`, or an entry point."""
    entry_point: str = ""
    """The entry point as its package writes it; empty for parts that were registered from Python."""

    def __str__(self) -> str:
        return f"{self.package} (entry point {self.entry_point!r})" if self.entry_point else self.package


class Registry(Mapping[str, T]):
    """The parts of one kind by name, ours first, those of other packages in the order of their names.

    To look whether a name is there, and to go through the names, imports no part.

    :param group: group of the entry points, such as ``hedgehog.cfr_rules``.
    :param what: what a part is in messages, such as ``algorithm``.
    :param own: our parts by name; a :class:`Later` is imported when it is needed.
    :param verify: called with the name and the part of somebody else; raises an error of ours that says what is wrong.
    :param reserved: names that no part may have.
    :param error: class of the errors that are raised.
    """

    def __init__(
        self,
        group: str,
        what: str,
        own: Mapping[str, T | Later],
        *,
        verify: Callable[[str, Any], None],
        reserved: tuple[str, ...] = (),
        error: type[InputError] = InputError,
    ) -> None:
        self.group = group
        self.what = what
        self.own_names: Final = tuple(own)
        self._own = {name: _Source(OURS, value) for name, value in own.items()}
        self._verify = verify
        self._reserved = reserved
        self._error = error
        self._registered: dict[str, _Source] = {}
        self._loaded: dict[str, tuple[_Source, T]] = {}
        self._changes = 0

    def register(self, name: str, part: T, *, package: str = "this process") -> None:
        """Adds a part for this process; processes that it starts anew do not know it.

        A part that the same package has registered under this name is replaced, as happens when a cell of a notebook
        runs again.

        :param package: what messages call the owner of the part.
        :raises InputError: if another package has this name already, or the part is not what it must be.
        """
        source = _Source(package, part)
        others = [other for other in self._sources(name) if other.package != package]
        if others:
            raise self._error(f"{self.what} {name!r} is given by two packages: {others[0]} and {source}")
        self._verify_name(name, source)
        self._verify_part(name, part, source)
        self._registered[name] = source
        self._changes += 1

    def unregister(self, name: str) -> None:
        """Takes back :meth:`register`; nothing happens if no such part was registered."""
        self._registered.pop(name, None)
        self._changes += 1

    def __getitem__(self, name: str) -> T:
        """Returns the part of a name, imported.

        :raises KeyError: if there is none.
        :raises InputError: if two packages have this name, or its entry point cannot be imported or is no such part.
        """
        sources = self._sources(name)
        if not sources:
            raise KeyError(name)
        if len(sources) > 1:
            raise self._error(f"{self.what} {name!r} is given by two packages: {sources[0]} and {sources[1]}")
        known = self._loaded.get(name)
        if known is None or known[0] is not sources[0]:
            known = self._loaded[name] = (sources[0], self._load(name, sources[0]))
        return known[1]

    def find(self, name: str) -> T:
        """Returns the part of a name, imported.

        :raises InputError: if there is none, and then the message lists the names; or as ``[]``.
        """
        if name not in self:
            raise self._error(f"unknown {self.what} {name!r}: expected {', '.join(self)}")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._own, *sorted([*self._registered, *_entry_points(self.group)])]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._own or (isinstance(name, str) and bool(self._sources(name)))

    def verify(self, name: str) -> None:
        """Checks that the part of a name can be used, without importing a part of ours.

        :raises KeyError: if there is none.
        :raises InputError: as ``[]``.
        """
        if [source.package for source in self._sources(name)] != [OURS]:
            self[name]

    def owner(self, name: str) -> str:
        """Returns the package that a name comes from, of several the first; empty for our own parts."""
        package = self._sources(name)[0].package
        return "" if package == OURS else package

    def describe(self, name: str, describe: Callable[[T], str]) -> str:
        """Returns what a list of the parts says about one: what it is and its package, or why it cannot be used.

        :param describe: returns what the part is.
        """
        try:
            text = describe(self[name])
        except HedgehogError as error:
            return f"cannot be used: {error}"
        owner = self.owner(name)
        return f"{text} ({owner})" if owner else text

    @property
    def version(self) -> tuple[int, int]:
        """A value that changes with the parts, for callers that keep what they make of them."""
        return self._changes, id(_entry_points(self.group))

    def foreign_names(self) -> list[str]:
        """Returns the names that are not ours, in order."""
        return [name for name in self if name not in self._own]

    def usable(self) -> Iterator[tuple[str, T]]:
        """Yields the names and parts that can be used; :meth:`describe` says what is wrong with the others."""
        for name in self:
            try:
                part = self[name]
            except HedgehogError:
                continue
            yield name, part

    def _sources(self, name: str) -> list[_Source]:
        """Returns who gives a part of this name; ours is the first."""
        sources = [parts[name] for parts in (self._own, self._registered) if name in parts]
        return [*sources, *_entry_points(self.group).get(name, ())]

    def _load(self, name: str, source: _Source) -> T:
        part: Any = source.value
        if isinstance(part, Later):
            part = getattr(importlib.import_module(part.module), part.attribute)
        if source.package != OURS:
            self._verify_name(name, source)
            if source.entry_point:
                try:
                    part = part.load()
                except (Exception, SystemExit) as error:
                    failed = user_code_error(f"cannot import {self.what} {name!r} of {source}", error, None)
                    raise self._error(failed.message, source=failed.source, line=failed.line) from error
            self._verify_part(name, part, source)
        loaded: T = part
        return loaded

    def _verify_name(self, name: str, source: _Source) -> None:
        if not _NAME.fullmatch(name):
            raise self._error(f"{self.what} {name!r} of {source} has no possible name: {_EXPECTED_NAME}")
        if name in self._reserved:
            raise self._error(f"{self.what} {name!r} of {source} has a name that means something else already")

    def _verify_part(self, name: str, part: Any, source: _Source) -> None:
        try:
            self._verify(name, part)
        except HedgehogError as error:
            raise self._error(f"{self.what} {name!r} of {source}: {error}") from error


@cache
def _installed() -> SelectableGroups | EntryPoints | None:
    """Returns the entry points of all installed packages; None if no package has any for Hedgehog.

    The files are looked through first: to let ``importlib.metadata`` read all packages takes longer than many commands.
    """
    for folder in sys.path:
        for kind in ("dist-info", "egg-info"):
            for file in glob(os.path.join(escape(folder or "."), f"*.{kind}", "entry_points.txt")):
                with suppress(OSError), open(file, "rb") as opened:
                    if f"[{GROUP_PREFIX}".encode() in opened.read():
                        from importlib.metadata import entry_points

                        return entry_points()
    return None


@cache
def _entry_points(group: str) -> Mapping[str, tuple[_Source, ...]]:
    """Returns the entry points of a group in the installed packages, by name."""
    installed = _installed()
    if installed is None:
        return {}
    found: dict[str, list[_Source]] = {}
    for point in installed.select(group=group):
        package = point.dist.name if point.dist is not None else "an unknown package"
        found.setdefault(point.name, []).append(_Source(package, point, f"{point.name} = {point.value}"))
    return {name: tuple(sorted(sources, key=str)) for name, sources in found.items()}


def forget_packages() -> None:
    """Forgets which packages are installed, so that entry points of a package installed since are found."""
    importlib.invalidate_caches()
    _entry_points.cache_clear()
    _installed.cache_clear()


def first_line(part: object) -> str:
    """Returns the first line of the docstring of a part, for lists; its name if it has none."""
    text = (getattr(part, "__doc__", None) or "").strip() or str(getattr(part, "__name__", type(part).__name__))
    return text.splitlines()[0].strip()
