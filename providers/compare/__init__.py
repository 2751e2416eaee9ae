"""Offerings side by side: the address of a comparison, its differences, what to see next."""
