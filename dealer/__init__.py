"""The ACPC dealer: hand state machine, TCP server, duplicate matches."""
