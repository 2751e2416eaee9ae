runpodctl registry create
--name <pull_secret>
--username "$REGISTRY_USER"
--password "$REGISTRY_TOKEN"
