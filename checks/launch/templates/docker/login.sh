printf '%s' "$REGISTRY_TOKEN"
| docker login --username "$REGISTRY_USER" --password-stdin <registry>
