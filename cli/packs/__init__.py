"""The commands of hedgehog pack."""
