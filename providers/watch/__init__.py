"""Sources that claims cite: looked at again, and a curator is told where they changed."""
