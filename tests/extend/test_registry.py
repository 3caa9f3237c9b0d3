"""Registries: names, clashes, packages that cannot be imported."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.runtime.extending.registry import Later, Registry
from tests.extend.packages import Install

GROUP = "hedgehog.test_parts"


def verify(name: str, part: Any) -> None:
    if not isinstance(part, str):
        raise InputError(f"expected a text, got {part!r}")


@pytest.fixture
def registry() -> Registry[str]:
    own = {"ours": "a part", "late": Later("string", "digits")}
    return Registry(GROUP, "part", own, verify=verify, reserved=("all",), error=SpotError)


def test_our_parts_are_there_and_imported_when_they_are_needed(registry: Registry[str]) -> None:
    assert list(registry) == ["ours", "late"]
    assert dict(registry) == {"ours": "a part", "late": "0123456789"}
    assert registry.owner("ours") == ""
    with pytest.raises(KeyError):
        registry["theirs"]
    with pytest.raises(SpotError, match=r"^unknown part 'theirs': expected ours, late$"):
        registry.find("theirs")


def test_parts_are_registered_from_python_and_taken_back(registry: Registry[str]) -> None:
    registry.register("mine", "one")
    registry.register("mine", "two")  # a cell of a notebook that runs again
    assert (registry["mine"], registry.owner("mine")) == ("two", "this process")
    with pytest.raises(SpotError, match="part 'ours' is given by two packages: hedgehog-poker and this process"):
        registry.register("ours", "another")
    with pytest.raises(SpotError, match="part 'mine' is given by two packages: this process and other"):
        registry.register("mine", "three", package="other")
    with pytest.raises(SpotError, match="part 'number' of this process: expected a text, got 3"):
        registry.register("number", 3)  # type: ignore[arg-type]
    with pytest.raises(SpotError, match="part 'all' of this process has a name that means something else"):
        registry.register("all", "x")
    for name in ("", "A", "a b", "a:b", "a,b", "a=b", "x" * 33):
        with pytest.raises(SpotError, match="expected up to 32 small letters"):
            registry.register(name, "x")
    registry.unregister("mine")
    registry.unregister("mine")
    assert list(registry) == ["ours", "late"]


def test_entry_points_are_imported_when_their_name_is_asked_for(registry: Registry[str], install: Install) -> None:
    install("them-one", {GROUP: {"theirs": "them_one:PART"}, "other": {"x": "y"}}, {"them_one": "PART = 'theirs'"})
    assert list(registry) == ["ours", "late", "theirs"]
    assert "theirs" in registry
    assert "them_one" not in sys.modules
    assert registry["theirs"] == "theirs"
    assert registry.owner("theirs") == "them-one"
    assert registry.describe("theirs", str.upper) == "THEIRS (them-one)"
    assert registry.describe("ours", str.upper) == "A PART"


def test_names_that_clash_are_refused_for_both_packages(registry: Registry[str], install: Install) -> None:
    install("them-one", {GROUP: {"theirs": "them_one:PART"}}, {"them_one": "PART = 'one'"})
    install("them-two", {GROUP: {"theirs": "them_two:PART", "ours": "them_two:PART"}}, {"them_two": "PART = 'two'"})
    assert list(registry) == ["ours", "late", "theirs"]
    message = (
        r"^part 'theirs' is given by two packages: them-one \(entry point 'theirs = them_one:PART'\) and "
        r"them-two \(entry point 'theirs = them_two:PART'\)$"
    )
    with pytest.raises(SpotError, match=message):
        registry["theirs"]
    with pytest.raises(SpotError, match="'ours' is given by two packages: hedgehog-poker and them-two"):
        registry["ours"]
    with pytest.raises(SpotError, match="'theirs' is given by two packages: them-one"):
        registry.register("theirs", "three")
    assert registry["late"] == "0123456789"
    assert dict(registry.usable()) == {"late": "0123456789"}
    assert registry.describe("theirs", str).startswith("cannot be used: part 'theirs' is given by two packages")


@pytest.mark.parametrize(
    ("name", "where", "message"),
    [
        ("absent", "no_such_module:PART", r"ModuleNotFoundError: No module named 'no_such_module'"),
        ("nothing", "them:NOTHING", r"AttributeError: module 'them' has no attribute 'NOTHING'"),
        ("number", "them:NUMBER", r"expected a text, got 3"),
        ("broken", "them_broken:PART", r"ValueError: not today"),
        ("leaves", "them_leaves:PART", r"SystemExit: 0"),
        ("Big", "them:PART", r"no possible name"),
        ("all", "them:PART", r"means something else"),
        ("module", "them", r"expected a text, got <module 'them'"),
    ],
)
def test_a_part_that_cannot_be_imported_is_one_error(
    registry: Registry[str],
    install: Install,
    name: str,
    where: str,
    message: str,
) -> None:
    modules = {
        "them": "PART, NUMBER = 'fine', 3",
        "them_broken": "def fail():\n    raise ValueError('not today')\n\nfail()",
        "them_leaves": "raise SystemExit(0)",
    }
    install("them-all", {GROUP: {"fine": "them:PART", name: where}}, modules)
    assert registry["fine"] == "fine"
    with pytest.raises(SpotError) as raised:
        registry[name]
    text = str(raised.value)
    assert f"part {name!r} of them-all (entry point '{name} = {where}')" in text
    assert "\n" not in text
    with pytest.raises(SpotError, match=message):
        registry[name]
    assert [key for key, _ in registry.usable()] == ["ours", "late", "fine"]
    if name == "broken":
        assert text.startswith(f"{sys.path[0]}/them_broken.py:2: ")
