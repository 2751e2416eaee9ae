"""All settings, grouped by concern; each comes from the environment or has a safe default."""

import os
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from providers.refresh.schedule import beat_schedule

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# --- Mode -------------------------------------------------------------------
# Development is what you get by doing nothing; production is asked for and then strict.
PRODUCTION = env.bool("GPUCOMPARE_PRODUCTION", default=False)
DEBUG = env.bool("GPUCOMPARE_DEBUG", default=False)
# What this checkout makes for itself: database files, generated key. Never in the repository.
LOCAL_DIR = Path(env.str("GPUCOMPARE_LOCAL_DIR", default=str(BASE_DIR / ".local")))

if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("GPUCOMPARE_DEBUG shows internals: unset it in production")

SECRET_KEY = env.str("GPUCOMPARE_SECRET_KEY", default="")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("set GPUCOMPARE_SECRET_KEY: production has no default key")
    from gpucompare.localkey import local_key

    SECRET_KEY = local_key(LOCAL_DIR)

# --- Web --------------------------------------------------------------------
ALLOWED_HOSTS = env.list(
    "GPUCOMPARE_ALLOWED_HOSTS", default=[] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.list("GPUCOMPARE_CSRF_TRUSTED_ORIGINS", default=[])
ROOT_URLCONF = "gpucompare.urls"
WSGI_APPLICATION = "gpucompare.wsgi.application"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials.apps.SimpleAppConfig",
    "csp",
    "gpucompare",
    "providers",
    "checks",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

_LOADERS = [
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [("django.template.loaders.cached.Loader", _LOADERS)]
                    if not DEBUG
                    else _LOADERS,
                )
            ],
            "builtins": ["template_partials.templatetags.partials"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Database ---------------------------------------------------------------
DATABASE_URL = env.str("DATABASE_URL", default="")
DATABASES = {
    "default": env.db_url_config(DATABASE_URL)
    if DATABASE_URL
    else {"ENGINE": "gpucompare.embedded_db", "NAME": "gpucompare"}
}
DATABASES["default"]["CONN_MAX_AGE"] = env.int("GPUCOMPARE_DB_CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Security ---------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_SSL_REDIRECT = env.bool("GPUCOMPARE_SSL_REDIRECT", default=PRODUCTION)
SECURE_HSTS_SECONDS = env.int("GPUCOMPARE_HSTS_SECONDS", default=31_536_000 if PRODUCTION else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# --- Languages and time -----------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("ar", _("Arabic")),
    ("ur", _("Urdu")),
    ("tr", _("Turkish")),
    ("bn", _("Bengali")),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Static files -----------------------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
# In production the names carry a hash and stay cached for ever; otherwise nothing needs collecting.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not PRODUCTION

# --- Data of the project ----------------------------------------------------
CATALOG_DIR = BASE_DIR / "fixtures" / "catalog"
GPUS_FILE = BASE_DIR / "fixtures" / "gpus.csv"
LISTINGS_DIR = BASE_DIR / "fixtures" / "listings"

# --- Workers ----------------------------------------------------------------
REDIS_URL = env.str("REDIS_URL", default="")
# Without Redis a first run queues in files under `.local/`. That broker forgets a task whose worker
# is killed; it is for one machine and never for production.
_QUEUE_DIR = LOCAL_DIR / "queue"
CELERY_BROKER_URL = REDIS_URL or "filesystem://"
# The largest price list takes half an hour to stream.
CELERY_TASK_SOFT_TIME_LIMIT = env.int("GPUCOMPARE_TASK_SOFT_LIMIT_S", default=55 * 60)
CELERY_TASK_TIME_LIMIT = env.int("GPUCOMPARE_TASK_LIMIT_S", default=60 * 60)
if REDIS_URL:
    CELERY_BROKER_TRANSPORT = "gpucompare.redis_transport:Transport"
    # A task whose worker died is handed out again only when no worker can still be at it.
    _VISIBILITY_S = env.int("GPUCOMPARE_TASK_VISIBILITY_S", default=CELERY_TASK_TIME_LIMIT + 60)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": _VISIBILITY_S,
        # Any worker looks for such tasks this often, not at every tenth time only.
        "unacked_restore_interval": min(10, _VISIBILITY_S),
        "unacked_restore_throttle": 1,
    }
elif PRODUCTION:
    raise ImproperlyConfigured("set REDIS_URL: production queues its refreshes in Redis")
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_QUEUE_DIR / "messages"),
        "data_folder_out": str(_QUEUE_DIR / "messages"),
        "control_folder": str(_QUEUE_DIR / "control"),
    }
# Whether `make run` starts a worker and the clock beside the web process.
REFRESH_BESIDE_WEB = env.bool("GPUCOMPARE_REFRESH", default=True)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# However long Redis is away: a worker that gave up would have to be started by hand.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {"providers.tasks.refresh_*": {"queue": "refresh"}}
try:
    CELERY_BEAT_SCHEDULE = beat_schedule(os.environ)
except ValueError as fault:
    raise ImproperlyConfigured(str(fault)) from None
CELERY_BEAT_SCHEDULE_FILENAME = str(LOCAL_DIR / "beat-schedule")
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# --- Logging ----------------------------------------------------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {
        "handlers": ["stderr"],
        "level": env.str("GPUCOMPARE_LOG_LEVEL", default="WARNING"),
    },
}
