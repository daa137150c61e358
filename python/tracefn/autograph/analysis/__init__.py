"""What is known about a function before it is converted: scopes, liveness, definitions."""
