"""What training loops need besides optimizers and checkpoints: averages of Variables, and threads that stop together."""
