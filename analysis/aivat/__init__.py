"""AIVAT: expected winnings with less luck."""
