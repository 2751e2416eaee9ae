sky launch
[private] --secret SKYPILOT_DOCKER_USERNAME
[private] --secret SKYPILOT_DOCKER_PASSWORD
task.yaml
