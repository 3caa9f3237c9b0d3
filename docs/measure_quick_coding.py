"""Compares the quick pack's arithmetic coder with general compressors on the rows that the shipped pack stores.

usage: .venv/bin/python docs/measure_quick_coding.py [--every N]

The rows of every block are decoded, laid out for a general compressor (see ``tokens``), and compressed in three ways:
one stream per flop class of a line, one stream per decision, one stream per line. The coder's blocks are one per flop
class and decision. ``--every N`` takes every N-th flop class, which is faster.
"""

from __future__ import annotations

import argparse
import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable

import numpy as np

from strategies.blueprint_pack import blueprint_beside
from strategies.pack import default_packs, open_pack
from strategies.quick_flop_coding import Block, BlockCoder, own_hands
from strategies.quick_flops import QuickLine, read_quick_flops

LZMA = {"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 22, "lc": 0, "lp": 0, "pb": 0}
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib": lambda data: zlib.compress(data, 9),
    "bz2": lambda data: bz2.compress(data, 9),
    "lzma": lambda data: lzma.compress(data, lzma.FORMAT_RAW, filters=[LZMA]),
}
COLUMNS = ["raw", "coder", *(f"{name}/{part}" for part in ("class", "decision", "line") for name in COMPRESSORS)]


def tokens(block: Block, flop_class: int, coder: BlockCoder) -> bytes:
    """Returns the rows of one flop class and decision as bytes that general compressors like.

    Hands outside the range are left out. The others stand in the order of what the blueprint does with them, so that
    hands that play alike are neighbours. A hand is one 0 if its row is the blueprint's, else the levels of its actions
    plus one, up to the action that takes all that is left. All this can be undone with the blueprint at hand.
    """
    coder.decode(block)
    coding = block.coding
    own = own_hands(flop_class)
    played = coding.in_range[own]
    own, buckets = own[played], block.buckets[played]
    order = np.lexsort((buckets, coding.prior_levels[buckets, 0], coding.reach_classes[buckets]))
    kept, levels = coder.kept[own[order]] != 0, coder.levels[own[order], : max(coding.num_actions - 1, 1)]
    written = (levels.cumsum(axis=1) - levels < 16) & ~kept[:, None]
    written[:, 0] = True
    return np.where(kept[:, None], 0, levels + 1)[written].astype(np.uint8).tobytes()


def measure(line: QuickLine, rows: list[list[bytes]], every: int) -> list[int]:
    """Returns the bytes of :data:`COLUMNS`; ``rows`` are :func:`tokens` by class and decision."""
    lengths = np.diff(line.ends).reshape(len(line.classes), -1)[::every]
    streams: list[Iterable[bytes]] = [
        [b"".join(of_class) for of_class in rows],
        [b"".join(of_node) for of_node in zip(*rows, strict=True)],
        [b"".join(part for of_node in zip(*rows, strict=True) for part in of_node)],
    ]
    # The coder needs the length of every block and the probabilities it starts from, too.
    sizes = [sum(map(len, streams[0])), int(lengths.sum()) + 2 * lengths.size + line.model.nbytes // every]
    return sizes + [sum(len(compress(s)) for s in part) for part in streams for compress in COMPRESSORS.values()]


def main() -> None:
    """Prints one row per line and one for all, in MB."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th flop class")
    every = parser.parse_args().every
    pack = open_pack(default_packs() / "quick-flops")
    quick = read_quick_flops(pack, blueprint_beside(pack))
    coder = BlockCoder()
    print("MB".ljust(15) + "".join(column.rjust(14) for column in COLUMNS))
    total = np.zeros(len(COLUMNS))
    for line in quick.lines:
        classes = line.classes[::every].tolist()
        rows = [[tokens(quick.stored(int(n), index), index, coder) for n in line.nodes] for index in classes]
        sizes = np.array(measure(line, rows, every))
        total += sizes
        print(line.betting.ljust(15) + "".join(f"{size / 1e6:14.3f}" for size in sizes), flush=True)
    print("all".ljust(15) + "".join(f"{size / 1e6:14.3f}" for size in total))
    print("to the coder".ljust(15) + "".join(f"{ratio:14.3f}" for ratio in total / total[1]))


if __name__ == "__main__":
    main()
