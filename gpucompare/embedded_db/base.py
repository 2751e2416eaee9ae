"""Django's PostgreSQL backend over the embedded server, which is started when first needed."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.backends.postgresql import base, client

from gpucompare import embedded
from gpucompare.embedded_db.cluster import programs


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell`, with the psql that comes along."""

    # Found when it is needed: an image without the wheel compiles and collects with this backend.
    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: Iterable[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        words, environ = super().settings_to_cmd_args_env(settings_dict, parameters)
        return [str(programs() / "psql"), *words[1:]], environ

    def runshell(self, parameters: Sequence[str]) -> None:  # type: ignore[override]
        self.connection.settings_dict.update(embedded.connection())
        super().runshell(parameters)


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        self.settings_dict.update(embedded.connection())
        return super().get_connection_params()
