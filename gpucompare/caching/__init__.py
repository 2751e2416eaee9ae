"""Answers that readers, their browsers and what stands between may keep, and for how long."""
