"""manage.py verdicts FILE.csv"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from checks.cases.judge import CasesError, judged


class Command(BaseCommand):
    help = "Judge each row of a CSV file of images on hosts; one JSON object a line."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            for answer in judged(options["file"]):
                self.stdout.write(json.dumps(answer))
        except CasesError as error:
            raise CommandError(str(error)) from error
