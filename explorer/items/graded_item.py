"""Graded hands in the explorer: a store of ``hedgehog grade``, or the JSON file that it writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from hedgehog.analysis.drills.sources import is_store
from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.parts import read_store
from hedgehog.analysis.grading.store_files import PARTS, SETTINGS
from hedgehog.analysis.grading.words import story_of, taken_text
from hedgehog.explorer.items.item import Item, Params, Question, disk_state, number_asked
from hedgehog.poker.cards import format_cards
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.runtime.documents import finite
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path

WORST: Final = 200
"""Costliest decisions that are shown."""
_FORMAT: Final = "hedgehog.grading"
_HEAD: Final = 200
_MOST_BYTES: Final = 1 << 28
_TABLES: Final = ("streets", "leaks", "not_graded", "left_out", "totals", "terms_bb_per_hand")
_LATER: Final = ("spot", "since", "borrowed")
"""What older files do not have."""


def is_grade_file(path: Path) -> bool:
    """Tells whether a file is a JSON document of ``hedgehog grade``."""
    try:
        with path.open("rb") as file:
            return f'"format": "{_FORMAT}"'.encode() in file.read(_HEAD)
    except OSError:
        return False


class GradedItem(Item):
    """Graded hands: totals, leaks, and the costliest decisions."""

    kind = "graded"

    def __init__(self, path: Path) -> None:
        """
        :raises InputError: if the hands cannot be read.
        """
        super().__init__(real_path(path), real_path(path).name)
        self._state: tuple[object, ...] = ()
        self._document: dict[str, Any] = {}
        self._worst: list[Decision] = []
        self._read()

    def _files(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        return [self.path / SETTINGS, *sorted(self.path.glob(PARTS))]

    def _read(self) -> dict[str, Any]:
        state = disk_state(self._files(), self.path, InputError)
        if state != self._state:
            document = read_store(self.path)[0].document(worst=WORST) if is_store(self.path) else _load(self.path)
            self._document, self._worst = document, _decisions(document, self.path)
            self._state = state
        return self._document

    def lane(self, question: str, params: Params) -> str:
        return f"graded {self.path}"

    def describe(self) -> dict[str, Any]:
        found = self._read()
        shown: dict[str, Any] = finite({
            "player": found["players"][0],
            "depth": found["depth"],
            "hands": found["hands"],
            "can_drill": is_store(self.path),
            **{name: found[name] for name in (*_TABLES, *_LATER)},
            "worst": [
                {
                    "hand": each.hand, "source": each.source, "street": each.street, "position": each.position,
                    "board": each.board, "cards": each.cards, "action": each.action, "taken": taken_text(each),
                    "pot_bb": each.pot_bb, "best": each.best, "loss_bb": each.loss_bb,
                    "error_bb": each.error_bb, "loss_pct_pot": each.loss_pct_pot, "verdict": each.verdict,
                    "pot_type": each.pot_type, "facing": each.facing, "betting": each.betting,
                }
                for each in self._worst
            ],
        })  # fmt: skip
        return shown

    def _decision(self, params: Params) -> dict[str, Any]:
        """Returns the costly decision ``number``: the betting in words, EVs, and the grid of the action taken."""
        self._read()
        number = number_asked(params, "number", "a decision")
        if number is None or number >= len(self._worst):
            raise InputError(f"expected the number of a decision below {len(self._worst)}")
        decision = self._worst[number]
        grid = {
            HAND_CLASS_NAMES[place]: cell
            for place, cell in enumerate(decision.grid[:NUM_HAND_CLASSES])
            if cell[0] is not None
        }
        found: dict[str, Any] = finite({**decision.row(), "grid": grid, **_words(decision)})
        return found

    questions: ClassVar[Mapping[str, Question]] = {"decision": _decision}


def _words(decision: Decision) -> dict[str, Any]:
    """Returns the betting and the actions in words, amounts in big blinds; no betting where blinds are not known."""
    story = story_of(decision) if decision.big_blind else ()
    return {
        "taken": taken_text(decision),
        "caution": decision.caution,
        "story": [{"street": street, "cards": format_cards(cards), "text": text} for street, cards, text in story],
        "choices": [
            {"text": decision.named(name), "ev": ev, "frequency": often}
            for name, (ev, often) in decision.actions.items()
        ],
    }


def _load(path: Path) -> dict[str, Any]:
    """Returns a JSON document of ``hedgehog grade``.

    :raises InputError: if it is none.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError("is too large for a document of graded hands", source=str(path))
        document = json.loads(path.read_text(encoding="utf-8"))
        found = {name: document[name] for name in ("players", "depth", "hands", "worst", *_TABLES)}
        found |= {name: document.get(name) for name in _LATER}
        sound = document["format"] == _FORMAT and isinstance(found["players"][0], str)
    except (OSError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise InputError("is no document of hedgehog grade --json", source=str(path)) from error
    if not sound:
        raise InputError("is no document of hedgehog grade --json", source=str(path))
    return found


def _decisions(document: dict[str, Any], path: Path) -> list[Decision]:
    """Returns the costly decisions of a document.

    :raises InputError: if they are damaged.
    """
    try:
        found = [
            Decision(
                **{**one, "actions": {name: (float(ev), float(often)) for name, (ev, often) in one["actions"].items()}}
            )
            for one in document["worst"]
        ]
        for each in found:
            _words(each)
            each.named(each.best_action)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError("holds a decision that is damaged", source=str(path)) from error
    return [decision for decision in found if decision.loss_bb]
