"""A bet menu of your own: few sizes after the flop, in the grammar of spot files.

Run it as a script, or install it with a package, and ``menu: lean`` in the configuration of a blueprint,
``sizes: lean`` in a spot and ``hedgehog study hands LOG --compare lean`` know it::

    [project.entry-points."hedgehog.bet_menus"]
    lean = "my_package.bet_menu:LEAN"
"""

from hedgehog.solver.blueprint import MENUS, MenuConfig, build_blueprint_tree, menu_from

LEAN = menu_from(
    MenuConfig(
        preflop="2.5x / 3.5x / 2.3x",
        flop="50% / 100%",
        turn="75% / 100%",
        river="75%,150% / 100%",
        caps=(4, 2, 2, 2),
    )
)

if __name__ == "__main__":
    MENUS.register("lean", LEAN)
    for name in ("lean", "small"):
        tree = build_blueprint_tree(MENUS[name], blinds=(50, 100), stack=5_000)
        print(f"{name}: {len(tree.kind):,} nodes at 50 big blinds")
