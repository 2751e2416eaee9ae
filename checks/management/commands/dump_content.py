"""manage.py dump_content DIR"""

from collections.abc import Mapping
from pathlib import Path

from checks.content.store import dump
from providers.catalog.commands import DumpCommand


class Command(DumpCommand):
    help = "Write the database's texts as files: a folder a language."
    what = "content"
    files = "*/*.yaml"
    stray = "no texts of the database"

    def dump(self, directory: Path) -> Mapping[str, bool]:
        return dump(directory)
