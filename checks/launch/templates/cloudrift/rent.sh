rift instance rent
--instance-type <instance_type|CLOUDRIFT_INSTANCE_TYPE>
--docker-image <image>
--name <name>
[command] --docker-command=<command*>
