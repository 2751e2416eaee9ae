koyeb apps init <name>
--docker <image>
--instance-type <instance_type|KOYEB_INSTANCE_TYPE>
--type worker
[region] --regions <region>
[private] --docker-private-registry-secret "$KOYEB_REGISTRY_SECRET"
