"""What was read at registries: documents by digest, and where each reading stands."""

from django.db import models


class RegistryDocument(models.Model):
    """A manifest, an index or a configuration, byte for byte; it was verified when it came in."""

    digest = models.CharField(max_length=140, primary_key=True)
    body = models.BinaryField()
    size = models.PositiveIntegerField()
    used_at = models.DateTimeField(db_index=True)  # when a reading last needed it

    def __str__(self) -> str:
        return self.digest


class ImageReading(models.Model):
    """One reference: what it last led to, why it last failed, and who is reading it."""

    reference = models.CharField(max_length=800, primary_key=True)
    # Rises whenever a reading starts or ends: who changes a row says which one was meant.
    turn = models.PositiveBigIntegerField(default=0)
    asked_at = models.DateTimeField(db_index=True)
    # Set while a process reads; past that moment the process is taken for dead.
    lease_until = models.DateTimeField(null=True, blank=True)
    phase = models.CharField(max_length=16, blank=True)
    # The last good answer: the digest of the index, or of the manifest where there is none.
    digest = models.CharField(max_length=140, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)
    # The last failure, if it is newer than that.
    reason = models.CharField(max_length=32, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.reference


class RegistryPause(models.Model):
    """A registry that asked to be left alone for a while."""

    host = models.CharField(max_length=260, primary_key=True)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.host} until {self.until:%Y-%m-%d %H:%M}"
