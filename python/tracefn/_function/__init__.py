"""The slow path of a Function: binding, tracing, retracing notices, concrete functions."""
