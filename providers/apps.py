from django.apps import AppConfig


class ProvidersConfig(AppConfig):
    name = "providers"

    def ready(self) -> None:
        # Beside `admin`, which Django finds by its name.
        from providers import (  # noqa: PLC0415
            admin_corrections,  # noqa: F401
            admin_refresh,  # noqa: F401
            admin_shares,  # noqa: F401
            admin_watch,  # noqa: F401
        )
        from providers.desk.backlog import register_backlog  # noqa: PLC0415
        from providers.desk.records import CATALOG  # noqa: PLC0415
        from providers.desk.records import register as register_records  # noqa: PLC0415
        from providers.shares.kinds import register  # noqa: PLC0415
        from providers.shares.of_pages import BROWSE, COMPARE  # noqa: PLC0415

        register_records(CATALOG)
        register_backlog()
        register(BROWSE)
        register(COMPARE)
