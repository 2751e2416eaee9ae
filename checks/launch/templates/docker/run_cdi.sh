docker run --rm
--device nvidia.com/gpu=all
<image>
[command] <command>
