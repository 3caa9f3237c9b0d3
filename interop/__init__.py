"""Formats and protocols of other poker programs, so that tools made for them work with Hedgehog."""
