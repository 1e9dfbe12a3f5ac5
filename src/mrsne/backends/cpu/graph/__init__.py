"""Neighbours and links into the blocks of P̃, and these into one matrix."""
