"""Offerings side by side: the address of a comparison, its differences, and what to look at next."""
