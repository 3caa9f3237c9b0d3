"""Scripts that draw the pictures of the pages."""
