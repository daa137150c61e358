"""Writes events with tracefn and takes pictures of TensorBoard's tabs, to be looked at.

    python tools/tensorboard_pictures.py FOLDER

Needs the packages tensorboard, setuptools<81 and playwright, and a Chromium: the one that `playwright install chromium`
installs, or one that the search path has. The pictures are scalars.png, histograms.png, images.png, graph.png and
trace.png in FOLDER.
"""

from __future__ import annotations

import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

_DRAWING = 8000  # milliseconds; graphs are laid out by a worker that says nothing when it is done


def write_events(folder: str) -> None:
    """A small training, with summaries inside the traced step, and its graph."""
    import tracefn as tf

    tf.random.set_seed(1)
    inputs, wanted = tf.random.normal([256, 4]), tf.random.normal([256, 1])
    weights = tf.Variable(tf.random.normal([4, 1]), name="weights")
    step = tf.Variable(0, dtype=tf.int64, name="step")

    @tf.function
    def train():
        with tf.name_scope("model"):
            with tf.name_scope("halving"):
                x = inputs
                for _ in tf.range(3):
                    x = x / 2.0
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ weights - wanted) ** 2)
        with tf.name_scope("update"):
            gradient = tape.gradient(loss, weights)
            if loss > 1.0:
                weights.assign_sub(gradient)
            else:
                weights.assign_sub(0.5 * gradient)
        tf.summary.scalar("loss", loss, step=step)
        tf.summary.histogram("weights", x @ weights, step=step)
        step.assign_add(1)
        return loss

    writer = tf.summary.create_file_writer(folder)
    with writer.as_default():
        tf.summary.trace_on(graph=True)
        train()
        tf.summary.trace_export("train", step=0)
        for _ in range(30):
            train()
        rows, columns = tf.meshgrid(tf.linspace(0.0, 1.0, 64), tf.linspace(0.0, 1.0, 64), indexing="ij")
        picture = tf.stack([rows, columns, tf.zeros_like(rows)], axis=-1)
        tf.summary.image("colors", [picture, 1 - picture], step=0)
        tf.summary.graph(train.get_concrete_function().graph)
    writer.close()


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(address: str, seconds: float = 60) -> None:
    """Waits until something answers at an address.

    Raises:
      TimeoutError: nothing does.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(address, timeout=5).read()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise TimeoutError(f"Nothing answers at {address}.")


def take_pictures(address: str, folder: pathlib.Path) -> None:
    """One picture for each tab."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        browser = p.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        tabs = {
            "scalars": "scalars",
            "histograms": "histograms",
            "images": "images",
            "graph": "graphs",
            "trace": "graphs",
        }
        for name, tab in tabs.items():
            page.goto(f"{address}/?darkMode=false#{tab}")
            page.reload()
            page.wait_for_timeout(_DRAWING)
            if name == "trace":  # the graph that was exported under a tag
                page.locator("paper-dropdown-menu:visible").nth(1).click()
                page.locator("paper-item:visible", has_text="train").click()
                page.wait_for_timeout(_DRAWING)
            page.screenshot(path=folder / f"{name}.png")
        browser.close()


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    events = folder / "events"
    if events.exists():
        shutil.rmtree(events)
    write_events(str(events))
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "tensorboard.main", f"--logdir={events}", f"--port={port}", "--host=127.0.0.1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/data/runs")
        take_pictures(f"http://127.0.0.1:{port}", folder)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
