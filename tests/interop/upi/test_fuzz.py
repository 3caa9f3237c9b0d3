"""Hostile commands: each is answered once, by data or by one line, and none brings the dialogue down."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedgehog.interop.upi.dialogue import Dialogue
from tests.interop.upi.client import END
from tests.verification.mutations import hostile_texts

NODES = ("r", "r:0", "r:0:c", "r:0:b120", "r:0:b120:b300:b900:c", "r:0:c:b150:c", "r:0:c:b150:c:As:c", "r:0:c:b150:f")
COMMANDS = (
    *(f"{name} {node}" for name in ("show_node", "show_children", "show_strategy", "lock_node") for node in NODES),
    *(f"{name} {who} {node}" for name in ("calc_ev", "show_range") for who in ("OOP", "IP") for node in NODES[:4]),
    *("set_range OOP AA,KK:0.5", "set_range IP QQ AJs", "set_board Td9d6hQc", "set_eff_stack 900", "set_pot 0 0 200"),
    *("add_line 0 150 375 900", "add_line 120 300 900", "add_line 0 150 150 0", "remove_line 120 300", "clear_lines"),
    *("build_tree", "estimate_tree", "go 1 steps", "stop", "wait_for_solver", "calc_results", "free_tree"),
    *("set_accuracy 5 fraction", "set_rake 0.05 10", "set_threads 1", "set_info_freq 5", "set_isomorphism 1 0"),
    *('load_tree "x.cfr" full', "show_metadata x y", "load_all_nodes", "is_tree_present", "show_all_lines"),
    *(f"set_strategy r:0 {'0.5 ' * 2652}", f"set_strategy r:0 {'1 ' * 2652}", f"combo_lock_node r:0 {'1 ' * 1326}"),
    *("unlock_node r:0", "show_tree_info", "add_info_line #Key#Value", "show_settings", "echo x", "show_memory"),
    *("calc_eq_node OOP r:0", "calc_eq IP", "calc_global_freq r:0:b120", "load_script_silent y", "dump_tree z/z.cfr"),
    *("set_end_string END", "show_hand_order", "rebuild_forgotten_streets", "set_recalc_accuracy 1 0.5 0.1", "fly"),
)
BUILD = COMMANDS[COMMANDS.index("set_range OOP AA,KK:0.5") :][:7]


def _converse(commands: list[str]) -> None:
    said: list[str] = []
    dialogue = Dialogue(said.append)
    dialogue.answer(f"set_end_string {END}")
    for command in [*BUILD, "add_line 0 150 150 0", "clear_lines", "add_line 0 150 375 900", "build_tree", *commands]:
        if command.split()[:1] in (["exit"], ["set_end_string"], ["reset_end_string"], ["load_script"]):
            continue
        said.clear()
        goes_on = dialogue.answer(command)
        dialogue.overhear("stop")  # a solve without limits may have begun
        dialogue.answer("wait_for_solver")
        text = "".join(said)
        assert goes_on
        assert "internal fault" not in text, (command, text[:500])
        assert text.endswith(f"wait_for_solver ok!\n{END}\n")
        answer = text.removesuffix(f"wait_for_solver ok!\n{END}\n")
        if not command.strip() or command.strip().startswith("#"):
            assert answer == ""
            continue
        lines = answer.split("\n")
        assert lines.count(END) == 1 or lines[0] == "SOLVER: started" or command.startswith("echo"), command
        if lines[0].startswith("ERROR"):
            assert len(lines) == 3, command


def _fuzz(folder: Path, examples: int, *, same: bool) -> None:
    @settings(
        max_examples=examples, derandomize=same, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.lists(st.one_of(st.sampled_from(COMMANDS), hostile_texts(COMMANDS)), max_size=12))
    def run(commands: list[str]) -> None:
        _converse([line for command in commands for line in command.split("\n")])

    with contextlib.chdir(folder):
        run()


def test_every_command_of_the_corpus_is_answered(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        _converse(list(COMMANDS))


def test_a_few_hostile_dialogues(tmp_path: Path) -> None:
    _fuzz(tmp_path, 12, same=True)


@pytest.mark.slow
def test_hundreds_of_hostile_dialogues(tmp_path: Path) -> None:
    _fuzz(tmp_path, 500, same=False)
