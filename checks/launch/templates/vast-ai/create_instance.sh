[query] vastai search offers
[query_spot] --type=bid
[query] <query>

vastai create instance <offer|VAST_OFFER_ID>
--image <image>
[disk_gb] --disk <disk_gb>
[spot_flag] --bid_price "$VAST_BID_PRICE"
[private] --login "-u $REGISTRY_USER -p $REGISTRY_TOKEN "<registry>
--args
<command>
