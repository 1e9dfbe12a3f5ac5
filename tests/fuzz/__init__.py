"""Odd data, settings, files and tables by the thousand: each call returns, or says in one message what is wrong."""
