"""A PettingZoo environment (AEC) with the dealer's rules, for any game definition of two to ten players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hedgehog.interop.environments.features import Features
from hedgehog.interop.environments.menus import menu_of
from hedgehog.interop.environments.table import Hands
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.packages import require

_spaces: Any = require("gymnasium.spaces", "environments need")
_AECEnv: Any = object if TYPE_CHECKING else require("pettingzoo", "this environment needs").AECEnv


class PokerAEC(_AECEnv):  # type: ignore[misc]
    """One hand of poker as an episode; the agent ``player_0`` has position 0, and so on.

    An observation has the vector of :class:`hedgehog.interop.environments.features.Features` and the mask of legal
    actions. Action 0 folds, 1 checks or calls, N raises to N chips over the whole hand; with ``sizes`` the actions from
    2 on are those of the menu. Rewards are chips, at the end of the hand.
    """

    metadata = {  # noqa: RUF012  (PettingZoo reads a dict)
        "name": "hedgehog_poker_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self, game: str | GameDef = DEFAULT_GAME, sizes: str | None = None, *, render_mode: str | None = None
    ) -> None:
        """Makes the environment; :meth:`reset` deals the first hand.

        :param game: a game, the name of a shipped one, or the path of a game definition.
        :param sizes: sizes of raises such as ``50%,100%,a``; None: every size.
        :param render_mode: None, or ``ansi``: :meth:`render` returns the hand as text.
        :raises InputError: if the game or the sizes are wrong, or PettingZoo is not installed.
        """
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise InputError(f"expected the render mode 'ansi' or None, got {render_mode!r}")
        self.gamedef = load_gamedef(game) if isinstance(game, str) else game
        self.render_mode = render_mode
        self.menu = menu_of(self.gamedef, sizes)
        self.possible_agents = [f"player_{position}" for position in range(self.gamedef.num_players)]
        self._features = Features(self.gamedef)
        self._hands = Hands(self.gamedef)
        vector = _spaces.Box(0.0, 1.0, (self._features.length,), np.float32)
        mask = _spaces.Box(0, 1, (self.menu.count,), np.int8)
        self.observation_spaces = {
            agent: _spaces.Dict({"observation": vector, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: _spaces.Discrete(self.menu.count) for agent in self.possible_agents}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        """Returns the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Returns the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a hand.

        :param seed: 0 .. 2**32 - 1: the hands from here on are those of ``hedgehog match --seed``. None: the next hand.
        :param options: not used.
        :raises InputError: if the seed is out of range.
        """
        self._hands.start(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self._hands.playing.state.acting_position]

    def step(self, action: int | None) -> None:
        """Performs an action of the agent that is to act.

        :param action: its number; None for an agent whose hand is over.
        :raises InputError: if the mask does not have the action.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        state = self._hands.playing.state
        chosen = None if action is None else self.menu.legal(int(action), state)
        if chosen is None:
            raise InputError(f"{agent}: action {action} is not legal after {state.betting_string()!r}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._hands.act(chosen)
        if state.finished:
            self.rewards = dict(zip(self.possible_agents, self._hands.payoffs(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self._select()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """Returns what an agent sees; the mask is all zero where the agent is not to act."""
        position = self.possible_agents.index(agent)
        seen = self._hands.view(position)
        acts = seen.state.acting_position == position
        mask = self.menu.mask(seen.state) if acts else np.zeros(self.menu.count, np.int8)
        return {"observation": self._features.vector(seen), "action_mask": mask}

    def view(self, agent: str) -> MatchState:
        """Returns what an agent sees as a match state, which players of ours answer."""
        return self._hands.view(self.possible_agents.index(agent))

    def number(self, action: Action) -> int:
        """Returns the number of a legal action of the agent that is to act.

        :raises InputError: if the menu does not have it.
        """
        return self.menu.number(action, self._hands.playing.state)

    def render(self) -> str | None:
        """Returns the hand with all cards as a line of a log; None without a render mode."""
        return self._hands.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing: the environment holds no resources."""
