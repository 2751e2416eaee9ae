import django.db.models.deletion
from django.db import migrations, models

# Triggers, so that no way of renaming can forget to leave a trace.
KEEP_FORMER_KEYS = """
CREATE FUNCTION providers_keep_offering_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO providers_formerkey (key, offering_id)
    SELECT slug || '/' || OLD.slug, OLD.id FROM providers_provider WHERE id = OLD.provider_id
    ON CONFLICT (key) DO UPDATE SET offering_id = EXCLUDED.offering_id;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_former_key AFTER UPDATE OF slug, provider_id ON providers_offering
FOR EACH ROW WHEN ((OLD.slug, OLD.provider_id) IS DISTINCT FROM (NEW.slug, NEW.provider_id))
EXECUTE FUNCTION providers_keep_offering_key();

CREATE FUNCTION providers_keep_provider_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO providers_formerkey (key, offering_id)
    SELECT OLD.slug || '/' || slug, id FROM providers_offering WHERE provider_id = OLD.id
    ON CONFLICT (key) DO UPDATE SET offering_id = EXCLUDED.offering_id;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_former_keys AFTER UPDATE OF slug ON providers_provider
FOR EACH ROW WHEN (OLD.slug IS DISTINCT FROM NEW.slug)
EXECUTE FUNCTION providers_keep_provider_keys();
"""
FORGET_FORMER_KEYS = """
DROP TRIGGER keep_former_keys ON providers_provider;
DROP FUNCTION providers_keep_provider_keys();
DROP TRIGGER keep_former_key ON providers_offering;
DROP FUNCTION providers_keep_offering_key();
"""


class Migration(migrations.Migration):
    dependencies = [("providers", "0002_live_listings")]

    operations = [
        migrations.CreateModel(
            name="Share",
            fields=[
                ("id", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=32)),
                ("day", models.DateField()),
                ("content", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
            ],
            options={"ordering": ["-day", "id"]},
        ),
        migrations.CreateModel(
            name="FormerKey",
            fields=[
                ("key", models.CharField(max_length=140, primary_key=True, serialize=False)),
                (
                    "offering",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_keys",
                        to="providers.offering",
                    ),
                ),
            ],
            options={"ordering": ["key"]},
        ),
        migrations.RunSQL(KEEP_FORMER_KEYS, FORGET_FORMER_KEYS),
    ]
