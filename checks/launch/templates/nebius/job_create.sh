nebius ai job create
--name <name>
--image <image>
--platform <instance_type|NEBIUS_PLATFORM>
--preset "$NEBIUS_PRESET"
--timeout "$NEBIUS_TIMEOUT"
