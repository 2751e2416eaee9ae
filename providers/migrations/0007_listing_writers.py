"""Which transactions wrote to the listings, for an index of them to know its state by.

A snapshot sees the last sixty-four or so of the transactions that wrote and whose writes it sees,
so the set that it sees is another after each of them. Nobody waits for anybody: a transaction
writes a row of its own, and what another one is taking out is left to it. The time tells it from
one of the same number in a database that was restored from another server.
"""

from django.db import migrations

FORWARDS = """
CREATE TABLE providers_listing_writer (
    writer xid8, wrote_at timestamptz, PRIMARY KEY (writer, wrote_at)
);
INSERT INTO providers_listing_writer VALUES (pg_current_xact_id(), clock_timestamp());

CREATE FUNCTION providers_note_listing_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM providers_listing_writer
        WHERE writer = pg_current_xact_id() AND wrote_at >= transaction_timestamp()
    ) THEN
        RETURN NULL;
    END IF;
    DELETE FROM providers_listing_writer WHERE (writer, wrote_at) IN (
        SELECT writer, wrote_at FROM providers_listing_writer
        ORDER BY wrote_at DESC OFFSET 64 FOR UPDATE SKIP LOCKED
    );
    INSERT INTO providers_listing_writer VALUES (pg_current_xact_id(), clock_timestamp());
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
