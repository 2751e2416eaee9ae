"""manage.py dump_catalog DIR"""

from collections.abc import Mapping
from pathlib import Path

from providers.catalog.commands import DumpCommand
from providers.catalog.store import dump


class Command(DumpCommand):
    help = "Write the database's catalog as files, one a provider."
    what = "catalog"
    files = "*.yaml"
    stray = "no provider of the database"

    def dump(self, directory: Path) -> Mapping[str, bool]:
        return dump(directory)
