"""The run-time functions of converted code, as attributes of one object: `ag__`."""
