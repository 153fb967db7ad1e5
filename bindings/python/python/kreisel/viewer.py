"""The viewer: ``kreisel view`` beside the Python program, with a copy of the world."""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import KreiselError
from .recording import Page, bundle

if TYPE_CHECKING:
    from .remote import Remote
    from .world import World


#: [s] What a notebook shows of a viewer's world.
PREVIEW = 5.0


class View:
    """A viewer that runs. Several may run at once; they end with Python, or by ``close()``."""

    def __init__(
        self,
        process: subprocess.Popen[str],
        url: str,
        folder: tempfile.TemporaryDirectory[str],
        world: World,
    ) -> None:
        self._process, self._folder, self._world = process, folder, world
        self._page: Page | None = None
        #: where the browser finds it
        self.url = url
        atexit.register(self.close)
        # what the viewer prints later is read, so that it never waits for us
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        for _ in self._process.stdout or ():
            pass

    @property
    def running(self) -> bool:
        """Whether it is still there."""
        return self._process.poll() is None

    def connect(self, name: str = "Python") -> Remote:
        """Drives it: everything that its panel can do."""
        from .remote import connect

        return connect(self.url, name=name)

    def close(self) -> None:
        """Ends it."""
        if self.running:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()
        atexit.unregister(self.close)

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _preview(self) -> Page:
        """The first seconds as frames: a notebook may be read where the viewer is not reached."""
        if self._page is None:
            self._page = self._world.show(min(self._world.duration, PREVIEW))
        return self._page

    def widget(self, height: int = 480) -> Any:
        """An anywidget with the first seconds, and the live viewer where the browser reaches it."""
        return self._preview().widget(self.url, height)

    def _repr_html_(self) -> str:
        # no page may hold the viewer in a frame
        link = f'<a href="{self.url}" target="_blank" rel="noopener">{self.url}</a>'
        return f"<p>live at {link}</p>{self._preview()._repr_html_()}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return bundle(self._preview(), self._repr_html_(), self.url)

    def __repr__(self) -> str:
        return f"<View at {self.url}{'' if self.running else ' (ended)'}>"


def view(world: World, *, open: bool = True, port: int = 0, paused: bool = False) -> View:
    """Shows a copy of the world in the browser."""
    folder = tempfile.TemporaryDirectory(prefix="kreisel-")
    scene = Path(folder.name) / "world.toml"
    world.save(scene)
    command = [sys.executable, "-m", "kreisel", "view", str(scene), "--port", str(port)]
    command += ([] if open else ["--no-open"]) + (["--paused"] if paused else [])
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = []
    for line in process.stdout or ():
        if line.startswith("listening on "):
            return View(process, line.removeprefix("listening on ").strip(), folder, world.copy())
        said.append(line)
    process.wait()
    folder.cleanup()
    raise KreiselError("the viewer did not start: " + "".join(said).strip())
