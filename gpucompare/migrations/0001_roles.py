"""The roles of the curators' desk, as groups."""

from django.apps import apps as installed
from django.db import migrations

from gpucompare.roles import make_groups


def make(apps, schema_editor):
    labels = ("auth", "providers", "checks")
    make_groups(apps, [installed.get_app_config(label) for label in labels])


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("providers", "0005_desk"),
        ("checks", "0003_text_history"),
    ]
    # Whoever goes back keeps the groups: people are in them.
    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
