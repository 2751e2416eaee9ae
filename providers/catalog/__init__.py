"""The catalog: `fixtures/catalog/*.yaml` ⇄ database, without loss either way.

`files` reads YAML text and knows the line of everything, `schema` says what a
file may hold, `canonical` writes the one form a file has, `merge` joins what
the files and the curators changed, `rows` and `store` meet the database, and
`lint` runs the rules of `rules/` over what was read.
"""
