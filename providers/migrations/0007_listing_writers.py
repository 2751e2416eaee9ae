"""Which transactions wrote to the listings, for an index of them to know its state by.

A snapshot sees the last sixty-four of the transactions that wrote and whose writes it sees, so
the set that it sees is another after each of them. Nobody waits for anybody: a transaction writes
a row of its own, and what another one is taking out is left to it.
"""

from django.db import migrations

FORWARDS = """
CREATE TABLE providers_listing_writer (writer xid8 PRIMARY KEY);
INSERT INTO providers_listing_writer VALUES (pg_current_xact_id());

CREATE FUNCTION providers_note_listing_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO providers_listing_writer VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
    DELETE FROM providers_listing_writer WHERE writer IN (
        SELECT writer FROM providers_listing_writer
        ORDER BY writer DESC OFFSET 64 FOR UPDATE SKIP LOCKED
    ) AND writer <> pg_current_xact_id();
    RETURN NULL;
END
$$;

CREATE TRIGGER providers_listing_written
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON providers_listing
    FOR EACH STATEMENT EXECUTE FUNCTION providers_note_listing_writer();
"""
BACKWARDS = """
DROP TRIGGER providers_listing_written ON providers_listing;
DROP FUNCTION providers_note_listing_writer();
DROP TABLE providers_listing_writer;
"""


class Migration(migrations.Migration):

    dependencies = [('providers', '0006_price_roll_up')]

    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
