"""The pages of a first start: what it takes and costs, and how to launch there."""
