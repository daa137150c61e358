"""The time at which the library was imported: a file written later may differ from the code that was imported."""

import time

STARTED = time.time()
