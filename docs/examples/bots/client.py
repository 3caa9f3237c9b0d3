"""A whole ACPC client for heads-up no-limit hold'em, 200 big blinds deep; it needs nothing but Python.

It raises pairs and aces once per street, to three times what there is to match, and calls everything else.
"""

import re
import socket
import sys

BIG_BLIND, STACK = 100, 20000


def is_my_turn(position, betting, hands):
    if "f" in betting or all(hands):  # somebody has folded, or both hands are shown: the hand is over
        return False
    rounds = betting.split("/")
    actions = len(re.findall("[cfr]", rounds[-1]))
    first = 1 if len(rounds) == 1 else 0  # heads-up the big blind is position 0, and acts last before the flop only
    return (first + actions) % 2 == position


def choose_action(betting, hole_cards):
    strong = hole_cards[0] == hole_cards[2] or "A" in hole_cards
    to_match = max([BIG_BLIND, *map(int, re.findall("r([0-9]+)", betting))])  # totals over the whole hand
    if strong and "r" not in betting.split("/")[-1] and to_match < STACK:
        return f"r{min(3 * to_match, STACK)}"
    return "c"


host, port = sys.argv[1:]
with socket.create_connection((host, int(port))) as connection:
    dealer = connection.makefile("rw", newline="\r\n")
    print("VERSION:2.0.0", file=dealer, flush=True)
    for line in map(str.strip, dealer):  # until the dealer closes the connection
        if line and line[0] not in "#;":
            _, position, _, betting, cards = line.split(":")
            hands = cards.split("/")[0].split("|")
            if is_my_turn(int(position), betting, hands):
                print(f"{line}:{choose_action(betting, hands[int(position)])}", file=dealer, flush=True)
