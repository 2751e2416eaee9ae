"""Shares: what a page showed on a day, frozen under a short link."""

from __future__ import annotations

from django.db import models

from providers.models.offering import Offering


class Share(models.Model):
    """Written once and never again. It holds nothing about who made it."""

    # A keyed hash of the content, so that the same content has the same link.
    id = models.CharField(primary_key=True, max_length=32)
    kind = models.CharField(max_length=32)
    day = models.DateField()
    # Compressed JSON; `providers.shares.content` reads it.
    content = models.BinaryField()
    # Bytes of `content`, for the bound on all of them.
    size = models.PositiveIntegerField()

    class Meta:
        ordering = ["-day", "id"]

    def __str__(self) -> str:
        return f"/s/{self.id}/"


class FormerKey(models.Model):
    """What an offering was called in addresses before. The database writes it at each renaming."""

    key = models.CharField(primary_key=True, max_length=140)  # "runpod/pods"
    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="former_keys")

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key
