"""A table of every parser: valid examples, the errors that it documents, and a check of its results.

Adding a parser is one entry in ``PARSERS`` of a module of this package. Input that once broke a parser goes to ``KEPT``
of the same module.
"""

from __future__ import annotations

from tests.verification.parsers import explorer, games, http_games, interop, logs, matches, positions, solves, study
from tests.verification.parsers.entry import ROOT, Parser

__all__ = ["KEPT", "NOT_FUZZED", "PARSERS", "ROOT", "Parser"]

_MODULES = (positions, logs, matches, solves, study, games, explorer, http_games, interop)
PARSERS = tuple(parser for module in _MODULES for parser in module.PARSERS)
KEPT = tuple(kept for module in _MODULES for kept in module.KEPT)
"""Pairs (parser, input) that once raised an error that the parser does not document."""
NOT_FUZZED = {
    "hedgehog.explorer.work.spot_form.parse_page_spot": "parse_spot, and another message",
    "hedgehog.runtime.input_files.read_input": "returns the bytes of a file",
    "hedgehog.runtime.input_files.read_file": "returns the bytes of a file",
    "hedgehog.explorer.app.read_static": "reads the files of the page, which are ours",
    "hedgehog.runtime.kernel_cache.load_overload": "numba's look-up in the cache; tests/runtime/test_kernel_cache.py",
    "hedgehog.strategies.blueprint_pack.read_blueprint": "reads arrays whose checksums open_pack has verified",
    "hedgehog.strategies.limit_pack.read_limit_pack": "reads arrays whose checksums open_pack has verified",
    "hedgehog.strategies.limit_pack.find_limit_pack": "find_packs, read_manifest, parse_gamedef, open_pack",
    "hedgehog.solver.blueprint.trainer.read_checkpoint": "calls read_npz and checks the header",
    "hedgehog.solver.blueprint.trainer.read_checkpoint_status": "calls read_npz and checks the header",
    "hedgehog.strategies.pack.read_tree": "reads arrays whose checksums open_pack has verified",
    "hedgehog.analysis.solves.meetings.sources.read_meeting_spot": "composed of read_saved_solve and read_spot",
    "hedgehog.solver.postflop.solution_files.load_state": "reads arrays whose checksums open_pack has verified",
    "hedgehog.solver.postflop.saving.find_saved": "composed of read_saved_solve and verify_same_spot",
    "hedgehog.runtime.engines.status.find_status": "reads a file and calls parse_status",
    "hedgehog.solver.packs.build_status.read_status": "reads a file and calls parse_status",
    "hedgehog.solver.packs.build_status.find_builds": "calls read_status, parse_depths or read_checkpoint_status",
    "hedgehog.strategies.pack_games.find_blueprints": "composed of find_packs, read_manifest and parse_gamedef",
    "hedgehog.strategies.pack_games.find_game_packs": "composed of find_packs, read_manifest and parse_gamedef",
    "hedgehog.strategies.flop_turns.read_turn_rows": "reads arrays whose checksums open_pack has verified",
    "hedgehog.solver.packs.exact_flops.read_job": "reads a work file through read_npz_arrays",
    "hedgehog.solver.packs.quick_flops.read_job": "reads a work file through read_npz and checks its arrays",
    "hedgehog.solver.packs.jobs.load_job": "calls a reader of work files",
    "hedgehog.solver.packs.jobs.load_line": "reads the files of a line through load_job",
    "hedgehog.strategies.flop_pack.read_flop_lines": "reads arrays whose checksums open_pack has verified",
    "hedgehog.strategies.preflop_values.read_preflop_values": "reads an array with a verified checksum",
    "hedgehog.strategies.quick_flops.read_quick_flops": "reads arrays with verified checksums",
    "hedgehog.solver.blueprint.cards.card_abstraction.load_or_build": "calls load_or_build_tables",
    "hedgehog.solver.blueprint.cards.card_tables.load_or_build": "maps checked cache files, or builds them",
    "hedgehog.solver.blueprint.cards.card_tables.load_or_build_tables": "maps checked cache files, or builds them",
    "hedgehog.solver.abstraction._pass_kernels.read_exits": "copies a part of an array",
    "hedgehog.analysis.grading.grade.read_hands": "reads hands by HandInput",
    "hedgehog.analysis.grading.leaks.find_leaks": "sorts decisions that were graded",
    "hedgehog.analysis.stats.play_statistics.read_play_statistics": "composed of add_report and read_answers",
    "hedgehog.cli.outputs.parse_args": "click parses the words of the shell, then once more with one of them changed",
    "hedgehog.interop.strategies.read_strategy": "composed of read_saved_solve, open_solution and parse_strategy",
    "hedgehog.interop.wasmpostflop.exports.parse_settings": "takes a JSON value; the entry of parse_export calls it",
    "hedgehog.analysis.lab.counting.find_flop_list": "composed of find_flop_subset",
    "hedgehog.strategies.translation.find_mapping": "looks a name up in a registry",
    "hedgehog.interop.upi.desk.load_tree": "a command; tests/interop/upi/test_fuzz.py sends it",
    "hedgehog.interop.upi.desk.load_all_nodes": "a command; tests/interop/upi/test_fuzz.py sends it",
    "hedgehog.solver.postflop.queries.find_node": "composed of parse_line, parse_action and parse_card",
    "hedgehog.analysis.histories.phh.parse_history": "takes a hand that pokerkit has parsed; read_phh calls it",
    "hedgehog.arena.tournament.load_progress": "read_progress calls it",
    "hedgehog.poker.acpc.gamedef.load_gamedef": "composed of find_gamedef and read_gamedef",
    "hedgehog.agent.plugins.load_player_class": "imports the user's own code",
    "hedgehog.arena.jam_tables.find_jam_tables": "reads files by read_jam_tables",
    "hedgehog.gametheory.files.read_efg": "pygambit, an optional package, reads the file",
    "hedgehog.arena.jam_tables.load_jam_tables": "reads files by read_jam_tables, or solves",
    "hedgehog.dealer.connection.read_now": "reads a socket into memory",
    "hedgehog.poker.evaluation.matchups.read_matchups": "maps a shipped table through map_npy, and checks it",
}
"""Functions named like parsers that no entry covers, and why."""
