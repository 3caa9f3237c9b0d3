"""One engine for long tasks: jobs on processes of this machine or on a dask cluster, with the same results anywhere."""
