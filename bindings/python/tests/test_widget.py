"""Notebooks: a widget that carries its frames."""

from __future__ import annotations

import kreisel as kr
import pytest
from conftest import pendulum
from kreisel import widget


def test_a_run_is_shown_without_anywidget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widget, "available", lambda: False)
    page = pendulum(step=0.01).run(0.1, frames=True).show()
    assert list(page._repr_mimebundle_()) == ["text/html"]


def test_a_run_is_a_widget_that_carries_its_frames(arm: kr.World) -> None:
    pytest.importorskip("anywidget")
    page = arm.run(0.1, frames=True).show()
    made = page.widget(height=300)
    # the page itself is in the state that is sent to the browser, or kept in the notebook
    state = made.get_state()
    assert state["page"] == str(page) and state["height"] == 300 and state["url"] == ""
    # no server and no socket is named in it
    assert "ws://" not in state["page"] and "http://127" not in state["page"]
    bundle, _ = page._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html"} <= set(bundle)


def test_a_viewer_is_a_widget_with_its_address(arm: kr.World) -> None:
    pytest.importorskip("anywidget")
    with arm.view(open=False) as view:
        state = view.widget().get_state()
        assert state["url"] == view.url and "<html" in state["page"].lower()
        bundle, _ = view._repr_mimebundle_()
        assert view.url in bundle["text/html"]
