"""A Dask cluster: vectors and P̃ stay on the workers, the map is on the client."""
