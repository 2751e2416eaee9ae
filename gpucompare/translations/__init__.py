"""The interface in other languages: `locale/<language>/LC_MESSAGES/django.po`, without gettext."""
