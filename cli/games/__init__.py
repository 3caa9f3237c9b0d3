"""``hedgehog game``: small games, exactly, and jam or fold."""
