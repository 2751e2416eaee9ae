"""Django's PostgreSQL backend over the embedded server, which is started when first needed."""

from typing import Any

from django.db.backends.postgresql import base

from gpucompare import embedded


class DatabaseWrapper(base.DatabaseWrapper):  # type: ignore[misc]
    def get_connection_params(self) -> dict[str, Any]:
        self.settings_dict.update(embedded.connection())
        return super().get_connection_params()  # type: ignore[no-any-return]
