"""The commands of hedgehog bench."""
