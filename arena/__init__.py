"""Matches and tournaments: over TCP between processes, or at a table inside one process."""
