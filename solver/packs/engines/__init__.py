"""Where the jobs of a build run: processes of this machine, or a dask cluster."""
