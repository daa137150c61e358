"""What converted code calls, as attributes of one object: `ag__`."""
