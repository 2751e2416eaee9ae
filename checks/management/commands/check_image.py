"""manage.py check_image REF [--gpu …] [--driver …] [--cuda …] [--json] [--offline FILE]"""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder

from checks.api.schemas import CheckAnswer
from checks.command import Asking, Outcome, Unreadable, checked
from checks.printed import lines

HELP = """Check whether an image runs: on the host that --gpu, --driver and --cuda describe, or at
all offerings. Ends with 0 when it runs there (or somewhere), 1 when it does not, 2 when it could
not be read, 3 when that is not known."""


class Command(BaseCommand):
    help = HELP

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("reference", nargs="?", default="", metavar="REF")
        parser.add_argument("--gpu", default="", help="a GPU by its slug or any of its names")
        parser.add_argument("--driver", default="", help="the host's driver: 550.54.15")
        parser.add_argument("--cuda", default="", help="the CUDA that nvidia-smi shows there: 12.4")
        parser.add_argument("--json", action="store_true", help="print what the API answers")
        parser.add_argument(
            "--offline",
            type=Path,
            metavar="FILE",
            help="read what docker image inspect (or a Dockerfile) says, and no registry",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        asking = Asking(
            options["reference"],
            options["offline"],
            {name: options[name] for name in ("gpu", "driver", "cuda") if options[name]},
        )
        try:
            answer, outcome = checked(asking)
        except Unreadable as fault:
            raise CommandError(str(fault), returncode=Outcome.UNREADABLE) from None
        self._print(answer, as_json=options["json"])
        if outcome:
            sys.exit(outcome)

    def _print(self, answer: CheckAnswer, *, as_json: bool) -> None:
        if as_json:
            content = json.dumps(
                answer.model_dump(), cls=DjangoJSONEncoder, ensure_ascii=False, indent=2
            )
            self.stdout.write(content)
            return
        for line in lines(answer):
            self.stdout.write(line)
