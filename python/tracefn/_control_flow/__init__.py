"""Conditionals and loops as graph nodes: If, Case and While, and their eager counterparts."""
