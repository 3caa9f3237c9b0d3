"""Our player as a client of the HTTP games of Slumbot and of the GTO Wizard benchmark."""
