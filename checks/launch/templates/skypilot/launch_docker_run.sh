sky launch
[private] --secret REGISTRY_USER
[private] --secret REGISTRY_TOKEN
task.yaml
