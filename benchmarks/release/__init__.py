"""What must hold before a release: ``make release-check``."""
