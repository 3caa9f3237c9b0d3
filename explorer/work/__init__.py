"""Processes beside the server of the explorer, and what they compute."""
