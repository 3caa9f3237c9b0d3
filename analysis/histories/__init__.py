"""Hand histories: reads ACPC logs, PHH, text of poker sites and logs of local best response; writes hands in words.

>>> from hedgehog.analysis import histories
>>> file = histories.open_hand_file("tests/data/acpc/log_hunl2p_s0.log.gz")
>>> file.format, file.num_hands
('acpc', 500)
>>> histories.verify_hand_file(file).faults
()
>>> first = next(file.hands()).hand
>>> print(*histories.describe_hand(first, "Hand 0"), sep="\\n")
Hand 0
  P1_ex  big blind    5d 5c  20000 chips  posts 100
  P2_ex  small blind  9h Qd  20000 chips  posts 50
<BLANKLINE>
Preflop, pot 150
  P2_ex  calls 50
  P1_ex  raises to 9352
  P2_ex  calls 9252
<BLANKLINE>
Flop [8d As 8s], pot 18704
  P1_ex  bets 5744
  P2_ex  raises to 10648 and is all-in
  P1_ex  folds
<BLANKLINE>
Everybody else folds, pot 35096
  P1_ex  -15096
  P2_ex  +15096
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.histories.conversion import convert_logs, verify_logs
    from hedgehog.analysis.histories.hand_files import open_hand_file, verify_hand_file
    from hedgehog.analysis.histories.hand_input import HandInput
    from hedgehog.analysis.histories.hand_text import describe_hand
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "HandInput", "convert_logs", "describe_hand", "open_hand_file", "verify_hand_file", "verify_logs",
]  # fmt: skip
