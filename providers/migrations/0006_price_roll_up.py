"""How far the roll-up of price points has come, and an index by which it finds a day of them.

No model: nobody but `providers.price_roll_up` reads or writes it.
"""

from django.db import migrations, models

FORWARDS = """
CREATE TABLE providers_price_roll_up (
    step text PRIMARY KEY CHECK (step IN ('day', 'week', 'forgotten')),
    until timestamptz NOT NULL
);
"""
BACKWARDS = "DROP TABLE providers_price_roll_up;"


class Migration(migrations.Migration):
    dependencies = [("providers", "0005_desk")]

    operations = [
        migrations.RunSQL(FORWARDS, BACKWARDS),
        migrations.AddIndex(
            model_name="pricepoint",
            index=models.Index(fields=["at"], name="price_point_at"),
        ),
    ]
