"""An agent for Kaggle's poker: the file that the arena runs. It calls the last function of the file."""

from hedgehog.interop.openspiel import kaggle_agent

_play = kaggle_agent("default", think_ms=0)


def agent(observation, configuration):
    """Returns the action of Hedgehog's player."""
    return _play(observation, configuration)
