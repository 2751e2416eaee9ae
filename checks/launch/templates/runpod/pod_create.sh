runpodctl pod create
--name <name>
--image <image>
--gpu-id <gpu_name|RUNPOD_GPU_ID>
--gpu-count <count>
[min_cuda] --min-cuda-version <min_cuda>
[disk_gb] --container-disk-in-gb <disk_gb>
[private] --registry-auth-id "$RUNPOD_REGISTRY_AUTH_ID"
[command] --docker-args <command_line>
