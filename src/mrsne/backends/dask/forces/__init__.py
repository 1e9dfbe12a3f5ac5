"""Attraction along P̃, repulsion between all, and the divergence."""
