"""Hedgehog: an open heads-up poker system."""
