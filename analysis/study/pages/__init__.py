"""Pages and pictures of studies of real hands."""
