"""The widget of notebooks: a page that carries its frames, as an anywidget.

It needs no server and no websocket: the page is part of the widget's state, so that it works in
Colab and in a notebook that is exported. Where a viewer runs beside it (``w.view()``), its port is
tried, and a button opens it if it answers.
"""

from __future__ import annotations

import importlib.util
from typing import Any

#: The half in the browser: a frame with the page; its clock is told and heard by messages.
SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "width:100%;border:0";
  const size = () => { frame.style.height = model.get("height") + "px"; };
  const page = () => { frame.srcdoc = model.get("page"); };
  size(); page();
  model.on("change:height", size);
  model.on("change:page", page);
  el.appendChild(frame);

  const bar = document.createElement("div");
  el.appendChild(bar);
  const live = async () => {
    bar.textContent = "";
    const url = model.get("url");
    if (!url) return;
    try {
      await fetch(url, { mode: "no-cors", cache: "no-store" });
    } catch {
      bar.textContent = "the live viewer cannot be reached from here";
      model.set("reached", false); model.save_changes();
      return;
    }
    const button = document.createElement("a");
    button.href = url; button.target = "_blank"; button.rel = "noopener";
    button.textContent = "open the live viewer";
    bar.appendChild(button);
    model.set("reached", true); model.save_changes();
  };
  live();
  model.on("change:url", live);
}
export default { render };
"""


def available() -> bool:
    """Whether anywidget is installed (``pip install kreisel[view]``)."""
    return importlib.util.find_spec("anywidget") is not None


def _class() -> Any:
    import anywidget
    import traitlets

    class Widget(anywidget.AnyWidget):
        """A page that carries its frames, and the address of a viewer that may run."""

        _esm = SCRIPT
        page = traitlets.Unicode("").tag(sync=True)
        url = traitlets.Unicode("").tag(sync=True)
        height = traitlets.Int(480).tag(sync=True)
        reached = traitlets.Bool(False).tag(sync=True)

    return Widget


_made: Any = None


def widget(page: str, url: str = "", height: int = 480) -> Any:
    """A widget of a page; ``url`` is where a viewer runs."""
    global _made
    if _made is None:
        _made = _class()
    return _made(page=page, url=url, height=height)


__all__ = ["available", "widget"]
