"""GPU models and the families they belong to; filled from `fixtures/gpus.csv`."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from providers.models.constraints import above_zero


class GpuFamily(models.Model):
    """What a bare name such as "H100" means: any of its models."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=80)
    vendor = models.CharField(max_length=32)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "GPU families"

    def __str__(self) -> str:
        return self.name


class Gpu(models.Model):
    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=80, unique=True)
    family = models.ForeignKey(GpuFamily, on_delete=models.PROTECT, related_name="models")
    segment = models.CharField(max_length=32)
    # GB of one GPU as marketed; NULL for cards that state none.
    vram_gb = models.PositiveIntegerField(null=True, blank=True)
    architecture = models.CharField(max_length=64)
    compute_capability = models.CharField(max_length=16, blank=True)
    variant = models.CharField(max_length=64, blank=True)
    # Names other than `name`, as `source:alias`.
    aliases = ArrayField(models.CharField(max_length=120), default=list, blank=True)
    notes = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["name"]
        verbose_name = "GPU"
        constraints = [above_zero("vram_gb", "gpu_vram_above_zero")]

    def __str__(self) -> str:
        return self.name


class UnknownGpuName(models.Model):
    """The queue of GPU names that no alias explains: kept, counted, never dropped."""

    name = models.CharField(max_length=120)
    seen_at = models.CharField(max_length=64)
    vram_gb = models.PositiveIntegerField(null=True, blank=True)
    count = models.PositiveIntegerField(default=0)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    class Meta:
        ordering = ["-last_seen", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["name", "seen_at", "vram_gb"],
                nulls_distinct=False,
                name="unknown_gpu_name_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name
