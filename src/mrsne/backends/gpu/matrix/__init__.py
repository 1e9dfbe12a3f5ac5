"""P̃, its connected components, and products with it."""
