"""Hand histories: ACPC logs, PHH and LBR files, hands in words."""
