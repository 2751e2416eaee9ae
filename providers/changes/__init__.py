"""What changed: noticed where it happens, kept as Change, shown as a page, an export and a feed."""
