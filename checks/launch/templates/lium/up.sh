lium up
--gpu <gpu_name|LIUM_GPU>
--count <count>
--name <name>
--image <image>
[command] --cmd <command_line>
