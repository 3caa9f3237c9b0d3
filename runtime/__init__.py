"""The foundation of all other packages, without any poker: errors, files, folders, memory, compiled kernels."""
