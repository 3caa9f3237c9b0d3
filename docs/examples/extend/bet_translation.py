"""A bet translation of your own: a bet between two sizes counts for both, linearly by its distance from them.

Run it as a script, or install it with a package, and the player ``default?translation=linear`` knows it::

    [project.entry-points."hedgehog.translations"]
    linear = "my_package.bet_translation:linear"
"""

from hedgehog.strategies.translation import TRANSLATIONS, find_mapping, translate_size


def linear(lower: float, upper: float, size: float) -> float:
    """Returns the share of the lower size; all sizes are fractions of the pot after calling."""
    return (upper - size) / (upper - lower)


if __name__ == "__main__":
    TRANSLATIONS.register("linear", linear)
    print("what a bet of 0.6 to 1.8 pots is to a tree with bets of half the pot and twice the pot")
    print("bet    " + "".join(f"{name:>24}" for name in TRANSLATIONS))
    for bet in (0.6, 1.0, 1.8):
        shares = [translate_size([0.5, 2.0], bet, find_mapping(name)) for name in TRANSLATIONS]
        texts = [" + ".join(f"{weight:.2f} x {[0.5, 2.0][size]}" for size, weight in found) for found in shares]
        print(f"{bet:<7}" + "".join(f"{text:>24}" for text in texts))
