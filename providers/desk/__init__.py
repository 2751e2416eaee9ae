"""The curators' own screens in the admin: an offering's answers, claims of one source."""
