docker run --rm
--gpus all
<image>
[command] <command>
