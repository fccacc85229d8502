"""Sums over shards: in the threads of this process, or on the workers of a Dask cluster, the same to the last bit."""
