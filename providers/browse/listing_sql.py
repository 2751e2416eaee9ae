"""The current listings in SQL."""

# The rows that speak.
#
# A GPU that the catalog names stands for listings of unknown price and stock, until a listing
# of the same GPU is known: then that one speaks. A listing whose form is open (H100) speaks for
# its models, and the catalog's open name is spoken for by any of them. The snapshot is silent
# about an offering once its provider's own API has spoken.
#
# A live row is seen whenever its source is, unless it has a time of its own.
CURRENT = """
    SELECT l.id, l.offering_id, l.origin, l.gpu_name, l.family_id, l.gpu_id, l.gpu_count, l.vram_gb,
        l.region, l.usd_per_hour, l.spot_usd_per_hour, l.spot, l.stock, l.stock_count, l.driver,
        l.cuda, l.tier, l.source_url,
        COALESCE(l.seen_at, state.good_at) AS seen_at, l.source, l.seen_at AS own_seen_at
    FROM providers_listing l
    LEFT JOIN providers_sourcestate state ON state.slug = l.source
    LEFT JOIN (
        SELECT DISTINCT offering_id FROM providers_listing
        WHERE origin = 'live' AND withdrawn_at IS NULL
    ) live ON live.offering_id = l.offering_id
    WHERE l.withdrawn_at IS NULL AND CASE l.origin
        WHEN 'live' THEN TRUE
        WHEN 'snapshot' THEN live.offering_id IS NULL
        ELSE l.family_id IS NULL OR NOT EXISTS (
            SELECT 1 FROM providers_listing known
            WHERE known.offering_id = l.offering_id AND known.withdrawn_at IS NULL
              AND known.origin = CASE WHEN live.offering_id IS NULL THEN 'snapshot' ELSE 'live' END
              AND known.family_id = l.family_id
              AND (known.gpu_id = l.gpu_id OR known.gpu_id IS NULL OR l.gpu_id IS NULL))
        END
"""
