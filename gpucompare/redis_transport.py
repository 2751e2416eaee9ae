"""Kombu's Redis transport, with which a worker outlives a Redis that goes away during a task."""

from __future__ import annotations

from typing import Any

from kombu.transport import redis as kombu_redis
from redis.exceptions import ConnectionError as RedisConnectionError


class Channel(kombu_redis.Channel):
    """Fails as a lost connection where kombu trips over the one that it gave up itself.

    The worker lets go of the connection first and closes its channels then; these want to put
    back what was not acknowledged, find no connection, and the AttributeError ends the worker
    (celery 5.7.0, kombu 5.7). A lost connection it knows how to bear, and the task is handed out
    again after the visibility time-out.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection.client is None:
            raise RedisConnectionError("the connection of this channel was given up")
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[misc]
        return parameters


class Transport(kombu_redis.Transport):
    Channel = Channel
