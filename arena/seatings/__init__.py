"""One seating of a match: played between processes over TCP, or inside this process."""
