printf '%s' "$REGISTRY_TOKEN"
| podman login --username "$REGISTRY_USER" --password-stdin <registry>
