kubectl create secret docker-registry <pull_secret>
--docker-server=<registry_server>
--docker-username="$REGISTRY_USER"
--docker-password="$REGISTRY_TOKEN"
