"""What every package stands on and that knows nothing about poker: errors, files, folders, memory, compiled kernels."""
