"""The pages as a site with search and a reference of the public names: ``make docs``."""
