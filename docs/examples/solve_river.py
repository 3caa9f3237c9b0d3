# %% [markdown]
# # A river, solved and drawn
#
# The big blind has called bets on flop and turn and checks the river. What does the player in position do? The spot is
# `docs/examples/spots/river.yaml`. The picture shows the strategy of every hand, how it follows from the equity (bets
# with the best hands and with some of the worst), and how the solve came closer to equilibrium.
#
# Run it as a script (`python docs/examples/solve_river.py`), or cell by cell in an editor that knows `# %%`.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter

import hedgehog as hh
from hedgehog.poker import format_cards
from hedgehog.poker.hand_grid import COLOURS, action_styles

SPOT = hh.example_spots()["river"]
LINE = "X"

# %% [markdown]
# ## Solve
# `progress` is called now and then with the iteration and the exploitability of the strategies so far.

# %%
looks: list[tuple[int, float]] = []
spot = hh.read_spot(SPOT)
solution = hh.solve(spot, target_pct=0.1, progress=lambda done, found: looks.append((done, found.pct_pot)))
answer = hh.answer_line(solution, LINE)
view = answer.view
equity, ev = (view.average(values)[view.player] for values in (view.equity, view.ev))
print(f"{format_cards(spot.board, ' ')}, after {LINE}: equity {equity:.1%}, EV {ev:.0f} of a pot of {view.pot:,}")

# %% [markdown]
# ## Print
# One row per class of hands: combos, equity, EV in chips, and how often it takes each action.

# %%
print("hand   combos  equity     EV", *(f"{action:>7}" for action in view.actions))
for row in hh.hand_rows(answer, by_combo=False):
    shares = "".join(f"{share:8.0%}" for share in row.strategy)
    print(f"{row.name:<6}{row.weight:7.1f}{row.equity:8.1%}{row.ev:7.0f}{shares}")

# %% [markdown]
# ## Draw

# %%
INK, MUTED, FAINT = "#1b1f24", "#5b6570", "#e4e8ec"
colours = dict(zip(view.actions, map(COLOURS.__getitem__, action_styles(view.actions)), strict=True))
plt.rcParams.update({"font.size": 10, "axes.edgecolor": MUTED, "xtick.color": MUTED, "ytick.color": MUTED})

shares = {action: answer.strategy[number] for number, action in enumerate(view.actions)}
combos = view.hands()
weights = view.pair_weights[view.player]

figure = plt.figure(figsize=(12, 7), layout="constrained")
places = figure.add_gridspec(2, 2, width_ratios=(1.5, 1))
grid = figure.add_subplot(places[:, 0])
by_equity = figure.add_subplot(places[0, 1])
convergence = figure.add_subplot(places[1, 1])
title = f"{format_cards(spot.board, ' ')}, pot {view.pot:,}: the player in position after a check"
figure.suptitle(title, x=0.01, ha="left", color=INK, fontsize=13)

# %% [markdown]
# ### The strategy of every hand
# A cell is a class of hands, aces in the corner, suited hands above the diagonal. Its coloured height is the part of
# the class that gets here, the widths are the shares of the actions. In a notebook, `answer` alone in a cell shows the
# grid with the bar of the actions, and `answer.to_frame()` is a data frame.

# %%
answer.plot(grid)
grid.set_title("")

# %% [markdown]
# ### The strategy by equity
# Hands from the weakest to the strongest; each bin of equity shows how often its hands take each action.

# %%
bins = np.linspace(0, 1, 11)
place = np.clip(np.digitize(view.equity[view.player, combos], bins) - 1, 0, 9)
total = np.bincount(place, weights[combos], 10)
bottom = np.zeros(10)
for action, of_combos in shares.items():
    share = np.bincount(place, weights[combos] * of_combos[combos], 10) / np.maximum(total, 1e-12)
    by_equity.bar(bins[:-1] + 0.05, share, width=0.092, bottom=bottom, color=colours[action])
    bottom += share
by_equity.set(xlim=(0, 1), ylim=(0, 1))
by_equity.set_title("strong hands and some of the weakest bet", loc="left", fontsize=11, color=INK)
by_equity.set_xlabel("equity against the range that has checked")
for axis in (by_equity.xaxis, by_equity.yaxis):
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))

# %% [markdown]
# ### How the solve went

# %%
iterations, pct = zip(*looks, strict=True)
convergence.plot(iterations, pct, color="#0072b2", linewidth=2, marker="o", markersize=4)
convergence.set_yscale("log")
convergence.grid(color=FAINT)
convergence.set_axisbelow(True)
convergence.set_title(
    f"{pct[-1]:.2f} % of the pot after {iterations[-1]} iterations", loc="left", fontsize=11, color=INK
)
convergence.set_xlabel("iterations")
convergence.set_ylabel("exploitability, % of the pot")
convergence.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
for axes in (by_equity, convergence):
    axes.spines[["top", "right"]].set_visible(False)

figure.savefig("solve_river.png", dpi=120)
print("solve_river.png")
