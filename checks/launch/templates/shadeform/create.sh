curl --fail-with-body --request POST https://api.shadeform.ai/v1/instances/create
--header "X-API-KEY: $SHADEFORM_API_KEY"
--header 'Content-Type: application/json'
--data <body>
