from django.apps import AppConfig


class ChecksConfig(AppConfig):
    name = "checks"

    def ready(self) -> None:
        from checks.desk import register_desk  # noqa: PLC0415
        from checks.shares import CHECK  # noqa: PLC0415
        from providers.shares.kinds import register  # noqa: PLC0415

        register(CHECK)
        register_desk()
