"""Why an image could not be read: keys, which `checks.image.texts` says in words."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    # The way to the registry.
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    BAD_TLS = "bad_tls"
    ADDRESS_NOT_PUBLIC = "address_not_public"
    NOT_HTTPS = "not_https"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    HOST_IS_A_WORD = "host_is_a_word"
    # What the registry says.
    NOT_PUBLIC_OR_MISSING = "not_public_or_missing"
    NO_SUCH_TAG = "no_such_tag"
    LOGIN_NEEDED = "login_needed"
    THROTTLED = "throttled"
    REFUSED = "refused"
    # What it sends.
    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    INCOMPLETE = "incomplete"
    DIGEST_MISMATCH = "digest_mismatch"
    OLD_FORMAT = "old_format"
    NOT_AN_IMAGE = "not_an_image"
    NO_PLATFORM = "no_platform"
    # This site.
    BUSY = "busy"
    TOO_MANY_READS = "too_many_reads"
    READING_IS_OFF = "reading_is_off"
    OUR_FAULT = "our_fault"


class RegistryError(Exception):
    """An image was not read. The message is for logs; it holds no query and no header."""

    def __init__(self, reason: Reason, told: str = "", retry_after: float | None = None) -> None:
        super().__init__(f"{reason}: {told}" if told else str(reason))
        self.reason = reason
        self.retry_after = retry_after  # seconds that the registry asks for
