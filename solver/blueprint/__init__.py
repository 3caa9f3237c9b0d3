"""A strategy for the whole game over buckets of hands: configuration, training, measuring."""
