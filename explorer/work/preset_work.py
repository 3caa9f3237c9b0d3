"""What the process of presets does: it fills the form of a spot with the ranges of a player after a line."""

from __future__ import annotations

from typing import Any

from hedgehog.explorer.numbers import number
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.solver.packs.blueprint_spot import likely_lines, spot_text
from hedgehog.strategies.pack_games import big_blinds, find_blueprints, nearest_depth


def lines(packs: str, stack: str, blinds: str) -> dict[str, Any]:
    """Returns the preflop lines that a player takes most with a stack, and the depth of the packs that say so.

    :param packs: folder of the player's packs.
    :param stack: chips or big blinds, such as ``37.5bb``.
    :param blinds: small and big blind, such as ``1/2``; empty for 50/100.
    :raises InputError: if stack or blinds are malformed.
    :raises PackError: if there is no blueprint, or it is damaged.
    """
    gamedef = _game(stack, blinds)
    return {
        "game_bb": number(big_blinds(gamedef), 4),
        "strategy_bb": number(nearest_depth(find_blueprints(packs), big_blinds(gamedef)).depth, 4),
        "lines": [{"line": line, "share": number(share, 4)} for line, share in likely_lines(packs, gamedef)],
    }


def preset(packs: str, stack: str, blinds: str, line: str, board: str) -> dict[str, Any]:
    """Returns the spot file with a player's ranges after a line on a board, as ``text``.

    :param packs: folder of the player's packs.
    :param stack: chips or big blinds, such as ``37.5bb``.
    :param blinds: small and big blind, such as ``1/2``; empty for 50/100.
    :raises InputError: if stack, blinds, line or board are malformed, or the player never takes the line.
    :raises PackError: if there is no blueprint, or it is damaged or lacks the line.
    """
    return {"text": spot_text(packs, line, board, gamedef=_game(stack, blinds))}


def _game(stack: str, blinds: str) -> GameDef:
    return load_gamedef(chosen_game(stack, blinds or None))
