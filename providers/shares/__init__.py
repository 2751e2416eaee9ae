"""Comparisons frozen with their day, under a link that lasts."""
