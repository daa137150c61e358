"""Modules below `tensorflow.python.data.kernel_tests`: base classes of tests of datasets."""
