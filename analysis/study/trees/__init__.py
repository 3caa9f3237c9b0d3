"""Betting trees of studied hands."""
