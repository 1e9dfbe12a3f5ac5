"""One map of different kinds of things: similar things close, linked things close."""

__version__ = "0.1.0.dev0"
