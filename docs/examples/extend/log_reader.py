"""A log reader of your own: hands of a card room whose text differs from other sites in its first line and seats.

Run it as a script, or install it with a package, and ``hedgehog log``, ``judge``, ``grade`` and ``study`` know it::

    [project.entry-points."hedgehog.log_readers"]
    clubroom = "my_package.log_reader:ClubRoomReader"
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import hedgehog as hh
from hedgehog.analysis.histories.hand_files import FileHand
from hedgehog.analysis.histories.site_reader import MONEY, SiteReader
from hedgehog.analysis.histories.site_text import LOG_READERS


class ClubRoomReader(SiteReader):
    """Reads the lines of one hand."""

    start = re.compile(r"Club hand #([0-9]+):(.*)")
    first_line = "Club hand #ID: ..."
    no_limit = re.compile("no-limit hold'em")
    game = re.compile(rf" no-limit hold'em, blinds {MONEY}/{MONEY}")
    blinds_form = "blinds SB/BB"
    seat_line = re.compile(rf"Seat [0-9]: (.+) has {MONEY}(.*)")
    post = re.compile(rf"posts the (small|big) blind {MONEY}")
    live_posts: ClassVar = {"small": "small", "big": "big"}


HAND = """\
Club hand #7: no-limit hold'em, blinds 1/2
Seat 1: Ann has 200
Seat 2: Bob has 200
Ann: posts the small blind 1
Bob: posts the big blind 2
Ann: raises 3 to 5
Bob: folds
Uncalled bet (3) returned to Ann
Ann collected 4 from pot
*** SUMMARY ***
Total pot 4 | Rake 0
"""

if __name__ == "__main__":
    LOG_READERS.register("clubroom", ClubRoomReader)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "club.txt"
        file.write_text(HAND)
        found = hh.open_hand_file(file)
        hands = [entry.hand for entry in found.entries() if isinstance(entry, FileHand)]
        print(f"{found.format}: {len(hands)} hand, {hands[0].names} {hands[0].values}")
