"""``hedgehog upi``: Hedgehog for programs that speak with PioSOLVER."""
