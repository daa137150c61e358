"""Analyses of a function before it is converted: scopes, liveness, definitions."""
