"""When the library was imported: a file written later may hold other text than what was imported from it."""

import time

STARTED = time.time()
