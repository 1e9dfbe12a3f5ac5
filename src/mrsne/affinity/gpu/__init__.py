"""Neighbours on a graphics card."""
