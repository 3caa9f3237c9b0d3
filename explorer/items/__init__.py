"""What the explorer shows: an item for each kind of pack, solve, log and betting tree, and its questions."""
