"""Django's PostgreSQL backend over the embedded server, which is started when first needed."""

from collections.abc import Sequence
from typing import Any

from django.db.backends.postgresql import base, client

from gpucompare import embedded
from gpucompare.embedded_db.cluster import programs


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell`, with the psql that comes along."""

    executable_name = str(programs() / "psql")

    def runshell(self, parameters: Sequence[str]) -> None:  # type: ignore[override]
        self.connection.settings_dict.update(embedded.connection())
        super().runshell(parameters)


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        self.settings_dict.update(embedded.connection())
        return super().get_connection_params()
