"""What stands on pages of others: a comparison in a frame, and a provider's badge."""
