"""The client of an ACPC dealer: the protocol without input and output, and the connection around it."""
