"""Kombu's Redis transport, with which a worker outlives a Redis that goes away during a task, and
what is no task in its queue."""

from __future__ import annotations

import logging
from typing import Any, Final

from kombu.transport import redis as kombu_redis
from redis.exceptions import ConnectionError as RedisConnectionError

# What reading one that is none raises: no JSON, or none of its parts.
_NO_MESSAGE: Final = (ValueError, TypeError, KeyError, AttributeError)

logger = logging.getLogger(__name__)


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

    def _brpop_read(self, **options: Any) -> Any:
        """Leaves out what is no message: it has left the queue, and would end the worker."""
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]
        except _NO_MESSAGE as fault:
            logger.warning("what stood in the queue was no task and is left out: %r", fault)
            return True


class Transport(kombu_redis.Transport):
    Channel = Channel
