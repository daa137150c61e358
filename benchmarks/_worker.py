"""The program of a contender's process: reads orders as lines of JSON, answers in kind. See peers.py."""

import gc
import itertools
import json
import linecache
import os
import re
import sys
import time
import zlib

import numpy as np

# The answers have the real stdout to themselves.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
spaces: dict = {}
numbers = itertools.count()


def setup(source, space):
    name = f"<setup {next(numbers)}>"
    # AutoGraph and the like look for the source of what they convert.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = spaces.setdefault(space, {"__name__": "__main__"})
    exec(compile(source, name, "exec"), namespace)


def leaves(value):
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    array = np.asarray(value)
    if array.dtype.kind in "OSU":  # texts, as numbers that tell them apart
        codes = [zlib.crc32(text if isinstance(text, bytes) else str(text).encode()) for text in array.reshape(-1)]
        array = np.array(codes, float).reshape(array.shape)
    return [array]


def result(source, space, samples=2000):
    start = time.perf_counter()
    value = eval(source, spaces[space])
    seconds = time.perf_counter() - start
    arrays = leaves(value)
    flat = [array.reshape(-1)[:: max(1, array.size // samples)].astype(float).tolist() for array in arrays]
    return {"shapes": [list(array.shape) for array in arrays], "values": flat, "seconds": seconds}


def timed(source, space, number):
    code = f"def timed(n, clock):\n    start = clock()\n    for _ in range(n):\n        {source}\n    return clock() - start\n"
    namespace = spaces[space]
    if namespace.get("timed source") != code:
        exec(code, namespace)
        namespace["timed source"] = code
    return namespace["timed"](number, time.perf_counter) / number


def resident(field):
    with open("/proc/self/status") as status:
        return int(re.search(rf"{field}:\s+(\d+) kB", status.read())[1]) * 1024


def peak(source, space):
    gc.collect()
    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    eval(source, spaces[space])
    return resident("VmHWM") - before


def forget(space):
    spaces.pop(space, None)
    gc.collect()


ORDERS = {"setup": setup, "result": result, "time": timed, "peak": peak, "forget": forget}

for line in sys.stdin:
    order = json.loads(line)
    try:
        answer = {"answer": ORDERS[order.pop("do")](**order)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}".strip().splitlines()[0][:200]}
    print(json.dumps(answer), file=answers, flush=True)
