"""Players and the ACPC client that connects them to a dealer."""
