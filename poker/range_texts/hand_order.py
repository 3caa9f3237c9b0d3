"""The best hands before the flop: what ``15%`` means in a range."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, HAND_CLASS_SIZES

_NAMES: Final = """
AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o KJo 55 QJs K9s A5s
A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 A4o K6s K8o Q8s A3o K5s J9s Q9o JTo K7o
A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s T7s J6s K2o
22 Q2s Q5o J5s T8o J7o Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s
76s J3o 87o T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o 75o
82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s 43o 72o 52o 62o 42o
32o
"""
HAND_ORDER: Final = tuple(_NAMES.split())
"""The 169 hand classes by their exact all-in equity against a random hand, the best first."""

_CLASSES: Final = np.array([HAND_CLASS_NAMES.index(name) for name in HAND_ORDER])
_COMBOS: Final = np.cumsum(HAND_CLASS_SIZES[_CLASSES])


def top_hands(percent: float) -> NDArray[np.bool_]:
    """Returns bool[1326]: the combos of the best hands, as few whole hand classes as hold so many of all combos.

    :param percent: above 0 and up to 100.
    :raises ValueError: if it is not.
    """
    if not 0 < percent <= 100:
        raise ValueError(f"expected a percentage above 0 and up to 100, got {percent}")
    wanted = math.ceil(percent * NUM_COMBOS / 100 - 1e-9)
    held = _CLASSES[: int(np.searchsorted(_COMBOS, wanted)) + 1]
    return np.asarray(np.isin(HAND_CLASS, held))
