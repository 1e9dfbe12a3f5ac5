"""Repulsion in O(n): charges on a grid, their potential, and its gradient."""
