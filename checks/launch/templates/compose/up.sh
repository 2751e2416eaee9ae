docker compose --file compose.yaml up
