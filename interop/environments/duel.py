"""A Gymnasium environment: one seat for the learner, all others for a player of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.specs import PlayerSpec, ready_player
from hedgehog.arena.in_process import Seat
from hedgehog.dealer.response import read_action
from hedgehog.interop.environments.features import Features
from hedgehog.interop.environments.menus import MenuMask, menu_of
from hedgehog.interop.environments.table import SEEDS, Hands, verify_seed
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.packages import require

_spaces: Any = require("gymnasium.spaces", "environments need")
_Env: Any = object if TYPE_CHECKING else require("gymnasium", "environments need").Env

Observation = NDArray[np.float32]
MOST_SKIPPED: Final = 1000
"""Most hands in a row that may end before the learner is to act."""


class PokerGym(_Env):  # type: ignore[misc]
    """One hand of poker as an episode, against a player of ours.

    Observations are vectors (:class:`hedgehog.interop.environments.features.Features`). ``info["action_mask"]`` and
    :meth:`action_masks` tell the legal actions, which have the numbers of
    :class:`hedgehog.interop.environments.aec.PokerAEC`. The reward is the chips won, at the end of the hand.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  (Gymnasium reads a dict)

    def __init__(
        self,
        opponent: str | PlayerSpec = "default",
        game: str | GameDef = DEFAULT_GAME,
        sizes: str | None = None,
        *,
        position: int | None = None,
        repair: bool = False,
        think_ms: int = 0,
        render_mode: str | None = None,
    ) -> None:
        """Loads the opponents.

        :param opponent: the player in all other seats, such as ``default``.
        :param game: a game, the name of a shipped one, or the path of a game definition.
        :param sizes: sizes of the learner's raises such as ``50%,100%,a``; None: every size. The opponent has its own.
        :param position: the learner's position; None: it moves on with every hand.
        :param repair: make illegal actions legal as the dealer does: a size that is too large or small becomes the
            nearest, anything else a call. Without it they are refused.
        :param think_ms: most milliseconds of thinking of an opponent per decision; 0: from packs alone.
        :param render_mode: None, or ``ansi``: :meth:`render` returns the hand as text.
        :raises InputError: if an argument is wrong, the player cannot play the game, or Gymnasium is not installed.
        """
        if render_mode not in (None, "ansi"):
            raise InputError(f"expected the render mode 'ansi' or None, got {render_mode!r}")
        self.gamedef = load_gamedef(game) if isinstance(game, str) else game
        if position is not None and not 0 <= position < self.gamedef.num_players:
            raise InputError(f"expected a position from 0 to {self.gamedef.num_players - 1}, got {position}")
        self.render_mode = render_mode
        self.menu = menu_of(self.gamedef, sizes)
        self._features = Features(self.gamedef)
        self._hands = Hands(self.gamedef)
        self._fixed, self._position, self._repair = position, position or 0, repair
        self._opponents = [
            Seat(ready_player(opponent, self.gamedef, seed=seat, think_ms=think_ms), PlayRecord())
            for seat in range(self.gamedef.num_players - 1)
        ]
        self.observation_space = _spaces.Box(0.0, 1.0, (self._features.length,), np.float32)
        self.action_space = _spaces.Discrete(self.menu.count)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deals a hand and plays on to the learner's first decision.

        A hand that ends before the learner is to act, such as a blind that nobody contests, is no episode: the next one
        is dealt. What the learner has won in such hands is ``info["skipped"]``.

        :param seed: 0 .. 2**32 - 1: begins a new match with these cards, in which opponents forget the last one. None:
            the next hand.
        :param options: not used.
        :returns: the observation, and an info with the mask of legal actions and the chips won in skipped hands.
        :raises InputError: if the seed is out of range, or the learner is never to act.
        """
        super().reset(seed=seed)
        if seed is not None:
            verify_seed(seed)
            for seat, opponent in enumerate(self._opponents):
                opponent.player.new_match(self.gamedef, (seed + seat) % SEEDS)
        skipped = 0.0
        for _ in range(MOST_SKIPPED):
            self._deal(seed)
            if not self._hands.playing.state.finished:
                return self._observation(), {**self._info(), "skipped": skipped}
            skipped += self._hands.payoffs()[self._position]
            seed = None
        raise InputError(f"the opponents have ended {MOST_SKIPPED:,} hands before the learner was to act")

    def _deal(self, seed: int | None) -> None:
        players = self.gamedef.num_players
        self._position = self._hands.upcoming(seed) % players if self._fixed is None else self._fixed
        others = [position for position in range(players) if position != self._position]
        self._hands.start(seed, dict(zip(others, self._opponents, strict=True)))
        self._play_on()

    def _play_on(self) -> None:
        """Lets the opponents act until the learner is to act or the hand is over."""
        state = self._hands.playing.state
        while not state.finished and state.acting_position != self._position:
            self._hands.step()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Performs the learner's action and plays on to its next decision or the end of the hand.

        :param action: number of an action.
        :returns: observation, reward, whether the hand is over, False, info.
        :raises InputError: if the action is not legal (unless the environment repairs it), or the hand is over.
        """
        state = self._hands.playing.state
        if state.finished:
            raise InputError("the hand is over: call reset()")
        chosen = self.menu.legal(int(action), state)
        if chosen is None and self._repair and 0 <= int(action) < self.menu.count:
            chosen = read_action(f":{self.menu.action(int(action), state)}", 0, state)[0]
        if chosen is None:
            raise InputError(f"action {action} is not legal after {state.betting_string()!r}")
        self._hands.act(chosen)
        self._play_on()
        reward = self._hands.payoffs()[self._position] if state.finished else 0.0
        return self._observation(), reward, state.finished, False, self._info()

    def _observation(self) -> Observation:
        return self._features.vector(self.view())

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def _mask(self) -> MenuMask:
        return self.menu.mask(self._hands.playing.state)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns bool[actions]: which actions are legal, as MaskablePPO asks for."""
        return self._mask().astype(np.bool_)

    def view(self) -> MatchState:
        """Returns what the learner sees as a match state."""
        return self._hands.view(self._position)

    def render(self) -> str | None:
        """Returns the hand with all cards as a line of a log; None without a render mode."""
        return self._hands.text() if self.render_mode == "ansi" else None
