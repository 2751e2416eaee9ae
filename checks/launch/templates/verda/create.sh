curl --fail-with-body --request POST https://api.verda.com/v1/instances
--header "Authorization: Bearer $VERDA_TOKEN"
--header 'Content-Type: application/json'
--data <body>
