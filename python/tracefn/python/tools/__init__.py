"""`tensorflow.python.tools`: programs about files of models, and their functions."""
