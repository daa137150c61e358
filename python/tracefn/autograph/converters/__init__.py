"""The converters of Python constructs, one module per construct."""
