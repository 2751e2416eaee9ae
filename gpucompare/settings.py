"""All settings, grouped by concern; each comes from the environment or has a safe default."""

import logging
import os
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from limits import parse as parse_rate

from gpucompare import logs
from gpucompare.environment import SecretError, secret
from gpucompare.outside.hosts import allowed_hosts
from gpucompare.proxies import PROTO, proxy_networks
from gpucompare.secrets_in_text import secrets_of
from providers.price_retention import retention
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

# Each may also be in a file that its name with _FILE at the end leads to.
try:
    SECRET_KEY = secret("GPUCOMPARE_SECRET_KEY", os.environ)
    DATABASE_URL = secret("DATABASE_URL", os.environ)
    REDIS_URL = secret("REDIS_URL", os.environ)
    METRICS_TOKEN = secret("GPUCOMPARE_METRICS_TOKEN", os.environ)
    _SECRETS = [*secrets_of(os.environ)]
except SecretError as fault:
    raise ImproperlyConfigured(str(fault)) from None
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
# Other bounds of a request are Django's and the server's: see gpucompare.limits.
LONGEST_ADDRESS = env.int("GPUCOMPARE_LONGEST_ADDRESS", default=16_000)
LARGEST_BODY_MB = env.int("GPUCOMPARE_LARGEST_BODY_MB", default=10)
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000
# Networks of the proxies in front: X-Forwarded-For and X-Forwarded-Proto count from them alone.
try:
    PROXIES = proxy_networks(env.list("GPUCOMPARE_PROXIES", default=[]))
except ValueError as fault:
    raise ImproperlyConfigured(f"GPUCOMPARE_PROXIES: {fault}") from None
SECURE_PROXY_SSL_HEADER = (PROTO, "https") if PROXIES else None
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
    "simple_history",
    "gpucompare",
    "providers",
    "checks",
]

MIDDLEWARE = [
    "gpucompare.seen.SeenMiddleware",
    "gpucompare.proxies.ProxyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "gpucompare.headers.HeadersMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "gpucompare.operators.OperatorsMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "gpucompare.limits.LimitsMiddleware",
    "gpucompare.rest.middleware.ApiMiddleware",
    "gpucompare.caching.middleware.HeldMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "gpucompare.caching.middleware.AnswersMiddleware",
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
                    [("gpucompare.drawn_once.Loader", _LOADERS)] if not DEBUG else _LOADERS,
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
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url_config(DATABASE_URL)
    if DATABASE_URL
    else {"ENGINE": "gpucompare.embedded_db", "NAME": "gpucompare"}
}
DATABASES["default"]["CONN_MAX_AGE"] = env.int("GPUCOMPARE_DB_CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# A server that does not even refuse must not hold a request for minutes.
DATABASES["default"]["OPTIONS"] = {"connect_timeout": 5, **DATABASES["default"].get("OPTIONS", {})}
# Seconds that one statement of a page may take, waiting for others included; 0: any time.
STATEMENT_TIMEOUT_S = env.float("GPUCOMPARE_STATEMENT_TIMEOUT_S", default=10.0)
if not 0 <= STATEMENT_TIMEOUT_S <= 3600:
    raise ImproperlyConfigured("GPUCOMPARE_STATEMENT_TIMEOUT_S is from 0 to 3600")
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
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
# A session ends so long after its login, and with the browser before that.
SESSION_ENGINE = "gpucompare.sessions"
SESSION_COOKIE_AGE = int(env.float("GPUCOMPARE_SESSION_HOURS", default=12.0) * 3600)
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
# How often a login may be tried, right or wrong. By name it is more: whoever knows a name could
# otherwise keep its owner out with a few tries.
LOGIN_RATE = env.str("GPUCOMPARE_LOGIN_RATE", default="10/hour")
LOGIN_NAME_RATE = env.str("GPUCOMPARE_LOGIN_NAME_RATE", default="30/hour")
for _name, _rate in (("LOGIN_RATE", LOGIN_RATE), ("LOGIN_NAME_RATE", LOGIN_NAME_RATE)):
    try:
        parse_rate(_rate)
    except ValueError:
        raise ImproperlyConfigured(
            f"GPUCOMPARE_{_name} is a rate such as 10/hour, not {_rate!r}"
        ) from None
if SESSION_COOKIE_AGE <= 0:
    raise ImproperlyConfigured("GPUCOMPARE_SESSION_HOURS is a number of hours above 0")
SECURE_SSL_REDIRECT = env.bool("GPUCOMPARE_SSL_REDIRECT", default=PRODUCTION)
# Whatever watches a process asks it directly, where there is no TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
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
CONTENT_DIR = BASE_DIR / "fixtures" / "content"
GPUS_FILE = BASE_DIR / "fixtures" / "gpus.csv"
LISTINGS_DIR = BASE_DIR / "fixtures" / "listings"

# --- Workers ----------------------------------------------------------------
# Without Redis a first run queues in files under `.local/`. That broker forgets a task whose worker
# is killed; it is for one machine and never for production.
_QUEUE_DIR = LOCAL_DIR / "queue"
CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost"
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
CELERY_BEAT_SCHEDULER = "gpucompare.clock:Clock"
CELERY_BEAT_MAX_LOOP_INTERVAL = 30
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# --- Price history --------------------------------------------------------------
# Days that every change of a price is kept, then what bounds each day, then each week.
try:
    PRICES_KEPT = retention(
        env.int("GPUCOMPARE_PRICES_ALL_DAYS", default=14),
        env.int("GPUCOMPARE_PRICES_DAILY_DAYS", default=120),
        env.int("GPUCOMPARE_PRICES_KEPT_DAYS", default=1096),
    )
except ValueError as fault:
    raise ImproperlyConfigured(str(fault)) from None

# --- Images at registries ------------------------------------------------------
# Hosts (host or host:port) that may be private or plain http; all others must be neither.
REGISTRY_ALLOW = env.list("GPUCOMPARE_REGISTRY_ALLOW", default=[])
REGISTRY_CA_FILE = env.str("GPUCOMPARE_REGISTRY_CA_FILE", default="")
REGISTRY_READS = env.int("GPUCOMPARE_REGISTRY_READS", default=4)
REGISTRY_RATE = env.str("GPUCOMPARE_REGISTRY_RATE", default="10/minute")
REGISTRY_CALL_S = env.float("GPUCOMPARE_REGISTRY_CALL_S", default=10.0)
REGISTRY_READ_S = env.float("GPUCOMPARE_REGISTRY_READ_S", default=25.0)
REGISTRY_FRESH_S = env.int("GPUCOMPARE_REGISTRY_FRESH_S", default=15 * 60)
REGISTRY_RETRY_S = env.int("GPUCOMPARE_REGISTRY_RETRY_S", default=2 * 60)
REGISTRY_CACHE_MB = env.int("GPUCOMPARE_REGISTRY_CACHE_MB", default=256)
try:
    allowed_hosts(REGISTRY_ALLOW)
except ValueError as fault:
    raise ImproperlyConfigured(f"GPUCOMPARE_REGISTRY_ALLOW: {fault}") from None
try:
    parse_rate(REGISTRY_RATE)
except ValueError:
    raise ImproperlyConfigured(
        f"GPUCOMPARE_REGISTRY_RATE is a rate such as 10/minute, not {REGISTRY_RATE!r}"
    ) from None

# --- Sources that are watched --------------------------------------------------
# Hosts (host or host:port) that may have private addresses; all others must have public ones.
WATCH_ALLOW = env.list("GPUCOMPARE_WATCH_ALLOW", default=[])
# Seconds between two calls to one host.
WATCH_PAUSE_S = env.float("GPUCOMPARE_WATCH_PAUSE_S", default=2.0)
try:
    allowed_hosts(WATCH_ALLOW)
except ValueError as fault:
    raise ImproperlyConfigured(f"GPUCOMPARE_WATCH_ALLOW: {fault}") from None

# --- The JSON API -----------------------------------------------------------------
API_RATE = env.str("GPUCOMPARE_API_RATE", default="120/minute")
try:
    parse_rate(API_RATE)
except ValueError:
    raise ImproperlyConfigured(
        f"GPUCOMPARE_API_RATE is a rate such as 120/minute, not {API_RATE!r}"
    ) from None

# --- Shares -----------------------------------------------------------------------
SHARE_RATE = env.str("GPUCOMPARE_SHARE_RATE", default="30/hour")
SHARES_MB = env.int("GPUCOMPARE_SHARES_MB", default=1024)
try:
    parse_rate(SHARE_RATE)
except ValueError:
    raise ImproperlyConfigured(
        f"GPUCOMPARE_SHARE_RATE is a rate such as 30/hour, not {SHARE_RATE!r}"
    ) from None

FONT_DIRS = env.list(
    "GPUCOMPARE_FONT_DIRS", default=["/usr/share/fonts/truetype/noto", "/usr/share/fonts/noto"]
)
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # Previews of shares; each can be drawn again, so a machine may forget any of them.
    "pictures": {
        "BACKEND": "gpucompare.picture_cache.PictureCache",
        "LOCATION": LOCAL_DIR / "pictures",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": 2_000},
    },
}

# --- Corrections ------------------------------------------------------------------
CORRECTION_RATE = env.str("GPUCOMPARE_CORRECTION_RATE", default="10/hour")
# More that wait than these are no help to curators.
CORRECTIONS_OPEN = env.int("GPUCOMPARE_CORRECTIONS_OPEN", default=10_000)
try:
    parse_rate(CORRECTION_RATE)
except ValueError:
    raise ImproperlyConfigured(
        f"GPUCOMPARE_CORRECTION_RATE is a rate such as 10/hour, not {CORRECTION_RATE!r}"
    ) from None

# --- Changes ----------------------------------------------------------------------
# By how much of the price last told a price must differ to be told.
PRICE_CHANGE_PERCENT = env.float("GPUCOMPARE_PRICE_CHANGE_PERCENT", default=5.0)
# More changes of one refresh or load than these are told by one digest.
CHANGES_SINGLY = env.int("GPUCOMPARE_CHANGES_SINGLY", default=10)
if not 0 <= PRICE_CHANGE_PERCENT <= 100:
    raise ImproperlyConfigured(
        f"GPUCOMPARE_PRICE_CHANGE_PERCENT is from 0 to 100, not {PRICE_CHANGE_PERCENT:g}"
    )

# --- Seeing -----------------------------------------------------------------------
# Processes that count here are added up. A container's own file system is one machine's.
METRICS_DIR = Path(env.str("GPUCOMPARE_METRICS_DIR", default=str(LOCAL_DIR / "metrics")))
# Without a token nobody may read the metrics.
if METRICS_TOKEN and len(METRICS_TOKEN) < 16:
    raise ImproperlyConfigured("GPUCOMPARE_METRICS_TOKEN is too easy to guess: give 16 characters")
LOG_FORMAT = env.str("GPUCOMPARE_LOG_FORMAT", default="json" if PRODUCTION else "line")
if LOG_FORMAT not in logs.FORMATS:
    raise ImproperlyConfigured(f"GPUCOMPARE_LOG_FORMAT is json or line, not {LOG_FORMAT!r}")
# What Python warns of is a line of the log, too.
logging.captureWarnings(LOG_FORMAT == "json")
LOGGING = logs.configuration(
    LOG_FORMAT,
    env.str("GPUCOMPARE_LOG_LEVEL", default="INFO" if PRODUCTION else "WARNING"),
    [*_SECRETS, SECRET_KEY],
)
