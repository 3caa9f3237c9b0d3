"""Ranges in the forms of other programs: vectors of 1,326 numbers, the best hands, texts for other tools."""
