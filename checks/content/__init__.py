"""Guide, FAQ and glossary: files ⇄ database, texts → pages with the numbers of today."""
