from django.apps import AppConfig


class ProvidersConfig(AppConfig):
    name = "providers"

    def ready(self) -> None:
        # Beside `admin`, which Django finds by its name.
        from providers import admin_refresh  # noqa: F401, PLC0415
