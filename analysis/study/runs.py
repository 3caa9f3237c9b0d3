"""The studies of hands: each reads all hands once and returns what it counted."""

from __future__ import annotations

from collections.abc import Sequence

from hedgehog.analysis.study.line_model import LineModel
from hedgehog.analysis.study.line_profile import LineProfile
from hedgehog.analysis.study.profiles import Profiles
from hedgehog.analysis.study.situations import SITUATIONS, Situation, Situations
from hedgehog.analysis.study.study import ActorFilter, HandStudy
from hedgehog.analysis.study.study_input import StudyInput
from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.kinds import Coverage
from hedgehog.runtime.watch import SILENT, Watch

ALL_PLAYERS = ActorFilter()


def study_hands(
    source: StudyInput,
    actors: ActorFilter = ALL_PLAYERS,
    watch: Watch = SILENT,
    *,
    situations: Sequence[Situation] = SITUATIONS,
) -> HandStudy:
    """Returns the sizes, spots and trees of hands.

    :param source: the hands. It knows afterwards what was read and left out.
    :param actors: whose bets are counted.
    :param situations: where the errors of menus are measured.
    :param watch: hears of the progress.
    :raises InputError: if a file cannot be read, there is no hand at all, or no player has a name of ``actors``.
    """
    study = HandStudy(actors, situations=Situations(situations))
    for batch in source.batches(watch):
        study.add(batch, source.players)
    actors.verify(source.players)
    return study


def study_profiles(
    source: StudyInput, actors: ActorFilter = ALL_PLAYERS, *, lines: bool = False, watch: Watch = SILENT
) -> tuple[Profiles, LineProfile | None]:
    """Returns what all players do, and with ``lines`` what those in ``actors`` do after betting lines.

    :param source: the hands.
    :param watch: hears of the progress.
    :raises InputError: if a file cannot be read, there is no hand at all, or no player has a name of ``actors``.
    """
    counted, by_line = Profiles(), LineProfile() if lines else None
    for batch in source.batches(watch):
        counted.add(batch, len(source.players.texts))
        if by_line is not None:
            by_line.add(batch, actors.counted(source.players))
    actors.verify(source.players)
    return counted, by_line


def study_model(
    source: StudyInput, model: LineModel, actors: ActorFilter = ALL_PLAYERS, watch: Watch = SILENT
) -> LineModel:
    """Counts what players do at the decisions of a spot, and returns the model.

    :param source: the hands.
    :param model: the decisions.
    :param actors: whose actions are counted.
    :param watch: hears of the progress.
    :raises InputError: if a file cannot be read, there is no hand at all, or no player has a name of ``actors``.
    """
    for batch in source.batches(watch):
        model.add(batch, actors.counted(source.players)[batch.actor()])
    actors.verify(source.players)
    return model


def study_tree(
    source: StudyInput, tree: StudyTree, actors: ActorFilter = ALL_PLAYERS, watch: Watch = SILENT
) -> StudyTree:
    """Counts hands and sizes at the nodes of a betting tree, and returns the tree.

    :param source: the hands.
    :param tree: the tree; without a shape it grows by the sequences that occur.
    :param actors: whose hands and sizes are counted.
    :param watch: hears of the progress.
    :raises InputError: if a file cannot be read, there is no hand at all, or no player has a name of ``actors``.
    """
    for batch in source.batches(watch):
        tree.add(*actors.select(batch, source.players))
    actors.verify(source.players)
    return tree


def study_coverage(source: StudyInput, watch: Watch = SILENT) -> Coverage:
    """Returns which hands betting trees contain.

    :param source: the hands.
    :param watch: hears of the progress.
    :raises InputError: if a file cannot be read, or there is no hand at all.
    """
    coverage = Coverage()
    for batch in source.batches(watch):
        coverage.add(batch)
    return coverage
