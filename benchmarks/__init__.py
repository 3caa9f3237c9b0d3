"""Scripts that measure Hedgehog and draw pictures of its pages. They are not installed.

Run one from the repository's folder, as in ``python -m benchmarks.measure_code --help``.
"""
