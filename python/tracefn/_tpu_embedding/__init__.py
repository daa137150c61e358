"""`tf.tpu.experimental.embedding`, as far as it runs on a CPU: configurations, and lookups for serving and training."""
