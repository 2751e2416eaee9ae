"""Rules about curated data, one a file; `providers.catalog.lint` finds them by walking here."""
