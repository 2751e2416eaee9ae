ovhai job run
--gpu <count>
--flavor <instance_type|OVHAI_FLAVOR>
--name <name>
<image>
[command] -- <command>
