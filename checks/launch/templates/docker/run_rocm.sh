docker run --rm
--device /dev/kfd
--device /dev/dri
--security-opt seccomp=unconfined
<image>
[command] <command>
