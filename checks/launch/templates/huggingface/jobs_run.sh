hf jobs run
--flavor <instance_type|HF_FLAVOR>
<image>
--
<command|COMMAND>
