"""The benchmarks of hedgehog bench."""
