"""The state of a descent, and one step of it."""
