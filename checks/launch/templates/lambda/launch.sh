curl --fail-with-body --request POST https://cloud.lambda.ai/api/v1/instance-operations/launch
--header "Authorization: Bearer $LAMBDA_API_KEY"
--header 'Content-Type: application/json'
--data <body>
