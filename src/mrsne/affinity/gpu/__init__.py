"""Affinities on a graphics card: the same stages as in the folder above, under the same names, in Triton and torch."""
