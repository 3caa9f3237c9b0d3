"""``hedgehog explore``: strategies in the browser."""
