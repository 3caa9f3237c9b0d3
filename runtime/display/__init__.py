"""How results show themselves to a researcher: in a notebook, as a data frame, as a chart, and as a progress bar."""
