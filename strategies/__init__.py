"""Strategy packs: the on-disk format, its reader and writer, and bet-size translation."""
