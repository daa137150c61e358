"""When the library was imported: a file written later may differ from what was imported."""

import time

STARTED = time.time()
