"""Queues: `tf.queue`. Their elements are in objects of Python, over which threads wait; nodes of graphs call them."""
