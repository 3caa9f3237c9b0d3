# %% [markdown]
# # A duplicate match, and what it proves
#
# Our player meets a bot that always calls. Both seatings have the same cards, so that much of the luck cancels. The
# picture shows how the winnings add up, and the confidence band that stays valid however often you look at it.
#
# Run it as a script (`python docs/examples/duplicate_match.py`), or cell by cell in an editor that knows `# %%`.

# %%
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter

from hedgehog.analysis.stats import anytime_interval, largest_result, read_winnings, score_winnings
from hedgehog.arena import play_match

PLAYERS = ("default", "call")
PAIRS = 1000

# %% [markdown]
# ## Play
# The logs of both seatings are all that is needed afterwards.

# %%
with tempfile.TemporaryDirectory() as folder:
    played = play_match(PLAYERS, hands=PAIRS, seed=1, out=folder)
    winnings = read_winnings(played.logs, played.names, played.gamedef)
result = score_winnings(winnings, played.gamedef)
print(f"{result.hands:,} hands, {result.groups:,} duplicate pairs")
for name, won in zip(played.names, result.mbb_per_hand, strict=True):
    print(f"{name:<10}{won.mean:+8.0f} ± {won.half_width:.0f} mbb per hand")

# %% [markdown]
# ## Draw
# `winnings.chips` has the chips per seating, pair and player.

# %%
INK, MUTED, BLUE, ORANGE, GREEN = "#1b1f24", "#5b6570", "#0072b2", "#c04e00", "#00805f"
plt.rcParams.update(
    {
        "font.size": 10,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#e4e8ec",
        "axes.axisbelow": True,
    }
)
big_blind = played.gamedef.big_blind
chips = winnings.chips[:, :, 0]
pairs = np.arange(1, PAIRS + 1)
mbb = chips.mean(axis=0) * 1000 / big_blind
bound = largest_result(played.gamedef) * 1000 / big_blind
low, high = anytime_interval(mbb, bound=bound)
mean = mbb.cumsum() / pairs

figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 7.2), sharex=True, layout="constrained")
me, other = played.names
figure.suptitle(f"{me} against {other}: {PAIRS:,} pairs of hands with the same cards", x=0.01, ha="left", color=INK)

for seating, (colour, label) in enumerate(((ORANGE, "first seating"), (GREEN, "seats exchanged"))):
    upper.plot(pairs, chips[seating].cumsum() / big_blind, color=colour, linewidth=1, alpha=0.8, label=label)
upper.plot(pairs, chips.mean(axis=0).cumsum() / big_blind, color=BLUE, linewidth=2, label="mean of both: less luck")
upper.axhline(0, color=MUTED, linewidth=0.8)
upper.set_ylabel(f"big blinds won by {me}")
upper.legend(loc="upper left", frameon=False)

lower.fill_between(pairs, low, high, color=BLUE, alpha=0.18, linewidth=0, label="anytime 95 % band")
lower.plot(pairs, mean, color=BLUE, linewidth=2, label="mean so far")
fixed = result.mbb_per_hand[0]
lower.errorbar(
    PAIRS, fixed.mean, fixed.half_width, color=INK, capsize=4, linewidth=1.5, label="95 % for this number of pairs"
)
lower.axhline(0, color=MUTED, linewidth=0.8)
lower.set_ylim(-3 * abs(mean[-1]), 5 * abs(mean[-1]))
sure = np.flatnonzero((low > 0) | (high < 0))
if len(sure):
    first = sure[0]
    lower.axvline(pairs[first], color=MUTED, linewidth=1, linestyle=":")
    lower.annotate(
        f"pair {pairs[first]:,}: the band leaves zero,\nyou may stop here",
        (pairs[first], lower.get_ylim()[1]),
        xytext=(6, -4),
        textcoords="offset points",
        va="top",
        color=MUTED,
    )
lower.set_ylabel("mbb per hand")
lower.set_xlabel("duplicate pairs played")
lower.legend(loc="lower right", frameon=False)
for axes in (upper, lower):
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:+,.0f}" if value else "0"))
lower.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
lower.set_xlim(0, PAIRS * 1.02)

figure.savefig("duplicate_match.png", dpi=120)
print("duplicate_match.png")
