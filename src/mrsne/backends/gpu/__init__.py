"""A GPU: the same operations in Triton and torch; P̃ and the map stay in its memory."""
