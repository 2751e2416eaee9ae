"""The texts that explain: guide, FAQ and glossary, an entry a row in each language."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords


class ContentKind(models.TextChoices):
    GUIDE = "guide", _("Guide")
    FAQ = "faq", _("FAQ")
    GLOSSARY = "glossary", _("Glossary")


class ContentEntry(models.Model):
    """One section, question or term in one language.

    `key` is its anchor and the same in all languages. `digest` stands for what a reader reads;
    a translation keeps in `of` the digest of the English that it was made from.
    """

    kind = models.CharField(max_length=16, choices=ContentKind)
    # No choices: another language is a line in the settings and no migration.
    language = models.CharField(max_length=8)
    key = models.SlugField(max_length=64)
    position = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=200)
    body = models.TextField(blank=True)
    live = models.TextField(blank=True)
    dimension = models.CharField(max_length=32, blank=True)
    sources = models.JSONField(default=list, blank=True)
    # Of a term: its other forms, and words that are not to stand for it.
    forms = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    avoid = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    of = models.CharField(max_length=16, blank=True)
    digest = models.CharField(max_length=16, editable=False)
    edited_at = models.DateTimeField(null=True, blank=True, editable=False)  # at the desk

    history = HistoricalRecords(excluded_fields=["digest", "edited_at", "position"])

    class Meta:
        ordering = ("kind", "language", "position", "key")
        verbose_name = _("text")
        verbose_name_plural = _("texts")
        constraints = (
            models.UniqueConstraint(fields=("kind", "language", "key"), name="one_text_a_key"),
        )

    def __str__(self) -> str:
        return f"{self.language}/{self.kind}#{self.key}"


class ContentFile(models.Model):
    """A file of texts as it was last loaded: `en/faq`, byte for byte."""

    name = models.CharField(max_length=32, primary_key=True)
    text = models.TextField()
    loaded_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
