"""Tree scripts of PioViewer: the lines of add_line, and the tree of the header."""

from __future__ import annotations

import pytest

from hedgehog.interop.pioviewer import parse_pio_script
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.tree import format_line

HEADER = """\
#TreeBuilding#V2
#Range0#AA,KK
#Range1#QQ
#Board#Qs Jh 2h 7c 5s
#Pot#40
#EffectiveStacks#230
#AllinThreshold#67
#AddAllinOnlyIfLessThanThisTimesThePot#300
#RiverConfig.BetSize#50
#RiverConfig.AddAllin#True
#RiverConfigIP.BetSize#
#RiverConfigIP.RaiseSize#60
"""
LINES = """\
set_eff_stack 230
set_pot 0 0 40
add_line 0 0
add_line 20 68 230
"""


def lines_of(text: str) -> list[str]:
    return [format_line(line) for line in parse_pio_script(text, "x").tree.lines]


def test_lines_are_the_tree() -> None:
    assert lines_of(HEADER + LINES) == ["X X", "B20 R68 A230"]


def test_a_header_has_the_lines_that_its_rules_say() -> None:
    """Raise to 20 + 60 % of 80 = 68; all-in of 230 is more than 300 % of 40 at the root, less than of 80 and 176."""
    assert lines_of(HEADER) == ["X X", "B20 R68 A230"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#RiverConfig.BetSize#50", "#RiverConfig.BetSize#2e", "expected percent of the pot or a"),
        ("#Pot#40", "#Pot#40.5", "whole"),
        ("#Range1#QQ\n", "", "set_range for both players"),
        ("#Board#Qs Jh 2h 7c 5s", "#Board#Qs Jh", "3, 4 or 5 cards"),
        ("#TreeBuilding#V2", "make_tree", "line 1: expected a command"),
    ],
)
def test_a_script_is_refused_with_the_reason(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_pio_script(HEADER.replace(old, new), "x")
    assert message in str(caught.value)
