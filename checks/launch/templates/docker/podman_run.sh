podman run --rm
--device nvidia.com/gpu=all
--security-opt=label=disable
<full_image>
[command] <command>
